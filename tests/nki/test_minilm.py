"""programs/models/minilm.py with a small model: two layers, and made-up weights."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import nasm
import nasm.nki

FOLDER = Path(__file__).parents[2] / "programs" / "models"


def imported(name: str) -> ModuleType:
    return nasm.nki.module(str(FOLDER / f"{name}.py"))


weights, tokens, reference, minilm = map(
    imported, ("minilm_weights", "minilm_tokens", "minilm_reference", "minilm")
)
SMALL = weights.Config(layers=2, hidden=64, heads=2, width=128, vocabulary=50, positions=128)
TWO = weights.made_up(SMALL, "small ones")
ONE = weights.made_up(replace(SMALL, layers=1), "small ones")
LISTS = [[1, 7, 3, 2], list(range(1, 40)), [4, 4, 9]]


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(minilm, "load", lambda random: ONE)


def test_two_layers_are_those_of_the_model_in_numpy() -> None:
    with nasm.nki.Model() as model:
        found = minilm.encode(TWO, LISTS, model, dtype="f32")
    assert np.abs(found - reference.embeddings(TWO, LISTS)).max() < 2e-6
    assert [each.name for each in model.report.launches] == [
        "layernorm",
        *2 * ["projection", "attention", "projection", "layernorm", "mlp", "layernorm"],
    ]
    assert [copy.after for copy in model.report.copies if copy.back] == [13]
    assert model.report.ok


def test_what_is_packed_with_a_sentence_does_not_change_it() -> None:
    with nasm.nki.Model() as model:
        together = minilm.encode(ONE, LISTS, model)
        alone = minilm.encode(ONE, LISTS[:1], model)
    assert (together[0] == alone[0]).all()


def test_sentences_fill_blocks_and_straddle_none() -> None:
    found = minilm.packed(TWO, [[1] * 100, [2] * 50, [3] * 28])
    assert found.places == (slice(0, 100), slice(128, 178), slice(100, 128))
    assert found.rows.shape == (256, 64)
    seen = (found.mask == 0).sum(axis=1)
    assert seen[0] == 100
    assert seen[127] == 28
    assert seen[130] == 50


def test_a_fused_layer_on_two_cores_computes_the_same() -> None:
    lists = [[1] * 100, [2, 3] * 30]
    with nasm.nki.Model() as model:
        one = minilm.encode(ONE, lists, model)
    with nasm.nki.Model() as model:
        two = minilm.encode(ONE, lists, model, cores=2, fused=True)
    assert (one == two).all()
    assert [each.name for each in model.report.launches] == ["layernorm", "transformer_layer"]


# What the pages of the library's kernels promise, in NumPy: inputs and results have a batch in
# front, heads are apart, and tokens attend within their bounds.


def qkv(x: Any, matrix: Any, *, bias: Any) -> Any:
    assert x.shape[0] == bias.shape[0] == 1
    return x @ np.asarray(matrix) + bias


def attention(q: Any, k: Any, v: Any, **how: Any) -> Any:
    least, past = how.pop("bound_min"), how.pop("bound_max")
    assert how == {"causal_mask": False, "tp_k": True, "tp_out": True}
    scores, at = q @ k.transpose(0, 2, 1), np.arange(k.shape[1])
    assert least.shape == past.shape == (q.shape[1], 1)
    powers = np.where((at >= least) & (at < past), np.exp(scores), 0)
    return (powers / powers.sum(axis=2, keepdims=True) @ v).transpose(0, 2, 1)


def output(mixed: Any, matrix: Any, bias: Any, *, output_dtype: Any) -> Any:
    batch, heads, depth, tokens = mixed.shape
    rows = mixed.transpose(0, 3, 1, 2).reshape(batch, tokens, heads * depth)
    return (rows @ np.asarray(matrix) + bias).astype(output_dtype)


def test_layers_on_kernels_of_the_library_are_those_of_the_model() -> None:
    kernels = minilm.minilm_library.LibraryKernels(qkv, attention, output)
    with nasm.nki.Model() as model:
        found = minilm.encode(TWO, LISTS, model, dtype="f32", library=kernels)
    assert np.abs(found - reference.embeddings(TWO, LISTS)).max() < 2e-6
    assert [each.name for each in model.report.launches] == [
        "layernorm",
        *2 * ["layernorm", "mlp", "layernorm"],
    ]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "is no checkout of nki-library"),
        (["--fused"], "a launch for each kernel"),
        (["--dtype", "f32"], "multiplies in bfloat16"),
    ],
)
def test_a_library_that_cannot_be_used_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], message: str
) -> None:
    with pytest.raises(SystemExit):
        minilm.main(["--library", str(tmp_path), *words])
    assert message in capsys.readouterr().err


@pytest.mark.usefixtures("small")
def test_the_program_prints_cosines_times_and_a_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert minilm.main(["one sentence", "and another one"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("weights: small ones\n\ncosines:\n  0   1.0000 ")
    assert "against NumPy in float64: cosine 0.9999" in text
    assert "published" not in text  # made-up weights have no published cosines
    assert text.endswith("PASS\n")


@pytest.mark.usefixtures("small")
def test_the_program_fails_where_a_vector_is_another_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = weights.made_up(ONE.config, "others", seed=2)
    wanted = reference.embeddings(wrong, LISTS[:2])
    monkeypatch.setattr(minilm.minilm_reference, "embeddings", lambda *_: wanted)
    assert minilm.main(["one sentence", "and another one", "--json"]) == 1
    found = json.loads(capsys.readouterr().out)
    assert not found["right"]
    assert found["model"]["launches"][0]["name"] == "layernorm"


@pytest.mark.usefixtures("small")
def test_a_timeline_that_cannot_be_written_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert minilm.main(["--timeline", str(tmp_path / "no" / "such.json")]) == 2
    assert "No such file" in capsys.readouterr().err


# -- weights


def test_without_the_package_weights_are_random_and_said_to_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(weights, "PACKAGE", "no_such_package")
    monkeypatch.setattr(weights, "Config", lambda: SMALL)
    found = weights.load()
    assert found.source.startswith("random ones, seed 1 (the package no-such-package is not")
    assert not found.published
    assert all((found.arrays[name] == array).all() for name, array in TWO.arrays.items())


def test_weights_are_read_from_the_files_of_the_package(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    array = np.arange(6, dtype="<f4").reshape(2, 3)
    numbers = np.zeros(1, "<i8")
    entries = {
        "__metadata__": {"format": "pt"},
        "position_ids": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]},
        "some.weight": {"dtype": "F32", "shape": [2, 3], "data_offsets": [8, 32]},
    }
    header = json.dumps(entries).encode()
    folder = tmp_path / "made_package" / "model"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise RuntimeError('never imported')\n")
    held = len(header).to_bytes(8, "little") + header + numbers.tobytes() + array.tobytes()
    (folder / "model.safetensors").write_bytes(held)
    (folder / "vocab.txt").write_text("[UNK]\n[CLS]\n[SEP]\nword\n", encoding="utf-8")
    sizes = ("num_hidden_layers", "hidden_size", "num_attention_heads", "intermediate_size")
    others = {"vocab_size": 4, "max_position_embeddings": 9, "layer_norm_eps": 0.5}
    made = dict(zip(sizes, (1, 2, 3, 4), strict=True)) | others
    (folder / "config.json").write_text(json.dumps(made), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(weights, "PACKAGE", "made_package")
    found = weights.load()
    assert found.config == weights.Config(1, 2, 3, 4, 4, 9, 0.5)
    assert found.published
    assert list(found.arrays) == ["some.weight"]
    assert (found.arrays["some.weight"] == array).all()


# -- tokens


def with_words(*words: str) -> Any:
    return tokens.Tokenizer(weights.Weights(SMALL, {}, ("[UNK]", "[CLS]", "[SEP]", *words), ""))


def test_words_are_split_into_the_longest_known_pieces() -> None:
    known = with_words("un", "##able", "##a", "##ble", "una", "!", "cafe", "##s")
    assert known.tokens("Unable!", 10) == [1, 7, 6, 8, 2]
    assert known.tokens("CAFÉS unx", 10) == [1, 9, 10, 0, 2]
    assert known.tokens("un un un un", 4) == [1, 3, 3, 2]


def test_punctuation_and_ideographs_are_words_and_control_characters_are_none() -> None:
    assert tokens.words("It's $5\tnow\u00a0北京\u200b!") == [
        *("it", "'", "s", "$", "5", "now", "北", "京", "!")
    ]
    assert tokens.words(" \0\ufffd") == []


def test_without_a_vocabulary_a_word_has_the_same_number_everywhere() -> None:
    first = tokens.Tokenizer(TWO).tokens("one two", 9)
    assert first == tokens.Tokenizer(TWO).tokens("ONE two", 9)
    assert len(set(first)) == 4
    assert max(first) < SMALL.vocabulary


# -- what the guide shows


@pytest.mark.thorough  # of a model as large as the published one
@pytest.mark.parametrize("fused", [False, True])
def test_the_guide_has_the_times_of_the_model(fused: bool) -> None:
    root = FOLDER.parents[1]
    text = (root / "docs" / "guide" / "14-model.md").read_text(encoding="utf-8")
    full = weights.load(random=True)
    with nasm.nki.Model(values=False) as model, pytest.raises(nasm.Failure):
        minilm.encode(full, [[1] * 8] * 3, model, fused=fused)  # there are no values to read
    assert len(model.report.launches) == (7 if fused else 37)
    assert f"which makes {model.report.end:,.0f} µs on a device" in text
    if fused:
        return
    assert f"which makes {model.report.end:,.0f} µs on a device" in (root / "README.md").read_text(
        encoding="utf-8"
    )
    for each in model.report.kernels:
        row = f"{each.launches:,}", f"{each.instructions:,}", f"{each.microseconds:,.3f}"
        shown = next(line for line in text.splitlines() if line.startswith(f"{each.name}  "))
        assert [word for word in shown.split()[1:] if word in row] == list(row)
