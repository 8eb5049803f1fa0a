"""The other verbs, the help, and what happens when nasm itself is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nasm import repl
from nasm.cli import main, verbs
from tests.cli.programs import HALVES, MATMUL, written


def test_check_tells_the_errors_of_every_file_and_runs_none(
    ran: Any, halves: Path, tmp_path: Path
) -> None:
    bad = written(tmp_path, ".target trn1\n@sync Npo\n")
    done = ran("check", bad, halves, MATMUL)
    assert done.code == 2
    assert f"{halves}: ok, 4 instructions on 2 engines, NeuronCore-v2 (Trn1)" in done.out
    assert "PASS" not in done.out
    assert "error[E0201]" in done.err
    assert done.err.splitlines()[-1] == "1 error in 1 of 3 files"


def test_check_judges_what_expectations_say_without_a_run(ran: Any, halves: Path) -> None:
    halves.write_text(HALVES.replace("X * 0.5\n", "X * 0.5 tol=1\n"), encoding="utf-8")
    done = ran("check", halves)
    assert done.code == 2
    assert "E0222" in done.err


def test_check_passes_what_a_run_would_fail(ran: Any, halves: Path) -> None:
    halves.write_text(HALVES.replace("X * 0.5\n", "X * 0.25\n"), encoding="utf-8")
    assert ran("check", halves, "--quiet").code == 0


def test_isa_lists_every_instruction(ran: Any) -> None:
    from nasm.targets.neuron import TARGET

    out = ran("isa").out
    assert set(TARGET.isa.rows) <= set(out.split())


def test_isa_shows_the_page_of_one(ran: Any) -> None:
    done = ran("isa", "MultiplyMoving")
    assert done.code == 0
    for word in ("moving", "accumulate", "LoadStationary a", "E0409", "nki.isa.nc_matmul"):
        assert word in done.out


@pytest.mark.parametrize("name", ["tensor_tensor", "TENSOR_TENSOR", "Tensortensor", "TensorTenser"])
def test_isa_knows_what_was_meant(ran: Any, name: str) -> None:
    done = ran("isa", name)
    assert done.code == 2
    assert "did you mean" in done.err
    assert "'TensorTensor'" in done.err


@pytest.mark.parametrize("target", ["trn1", "trn2", "trn3"])
def test_isa_prints_a_program_that_runs_an_example(ran: Any, tmp_path: Path, target: str) -> None:
    printed = ran("isa", "TensorTensor", "--example", "--target", target)
    assert (printed.code, printed.err) == (0, "")
    assert printed.out.startswith("; TensorTensor: ")
    assert f".target {target}\n" in printed.out
    assert "TensorTensor c, a, b, op=add\n" in printed.out
    assert ran("run", written(tmp_path, printed.out)).code == 0


def test_an_example_is_for_the_first_machine_that_has_the_instruction(ran: Any) -> None:
    assert ".target trn3\n" in ran("isa", "Exponential", "--example", "--json").document["example"]
    assert ".target trn1\n" in ran("isa", "Max8", "--example").out


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["Exponential", "--example", "--target", "trn1"], "it runs on NeuronCore-v4 (Trn3)"),
        (["Max8", "--example", "--target", "trn9"], "no target 'trn9'"),
        (["max8", "--example"], "did you mean 'Max8'"),
        (["--example"], "--example wants the name of an instruction"),
        (["Max8", "--target", "trn1"], "--target says for which machine --example writes"),
    ],
)
def test_an_example_that_there_is_not_exits_2_with_a_sentence(
    ran: Any, given: list[str], said: str
) -> None:
    done = ran("isa", *given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_explain_tells_a_code_at_length_and_lists_them_all(ran: Any) -> None:
    assert "a read of memory that nobody has written" in ran("explain", "e0501").out
    every = ran("explain").out
    assert "E0101" in every
    assert "E0901" in every
    unknown = ran("explain", "E9999")
    assert unknown.code == 2
    assert "E9999" in unknown.err


def test_repl_is_handed_everything(
    ran: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    seen: list[Any] = []

    def debugger(path: str | None, **options: Any) -> int:
        seen.append((path, options))
        return 7

    monkeypatch.setattr(repl, "main", debugger, raising=False)
    np.save(tmp_path / "x.npy", np.arange(3))
    done = ran(
        "repl",
        "p.nasm",
        "-x",
        "script",
        "-ex",
        "run",
        "-ex",
        "queues",
        "-D",
        "N=2",
        "--in",
        f"X={tmp_path / 'x.npy'}",
        "--target",
        "trn2",
        "--option",
        "rounding.seed=3",
    )
    assert done.code == 7
    path, options = seen[0]
    assert path == "p.nasm"
    assert options.pop("inputs")["X"].tolist() == [0, 1, 2]
    assert options == {
        "target": "trn2",
        "defines": {"N": 2},
        "options": {"rounding.seed": "3"},
        "script": "script",
        "commands": ["run", "queues"],
    }


# -- the command itself


def test_alone_it_prints_its_help(ran: Any) -> None:
    done = ran()
    assert done.code == 0
    for verb in verbs.VERBS:
        assert verb in done.out


@pytest.mark.parametrize("verb", ["run", "check", "isa", "explain", "repl"])
def test_every_verb_explains_its_options_with_an_example(ran: Any, verb: str) -> None:
    done = ran(verb, "--help")
    assert done.code == 0
    assert f"neuron-nasm {verb}" in done.out.split("examples:")[1]
    assert max(len(line) for line in done.out.splitlines()) <= 80


def test_the_version_is_told(ran: Any) -> None:
    done = ran("--version")
    assert done.code == 0
    assert done.out.split()[0] == "neuron-nasm"


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("profile", "not there yet"),
        ("asm", "not there yet"),
        ("rnu", "did you mean 'run'"),
        ("matmul.nasm", "neuron-nasm run matmul.nasm"),
    ],
)
def test_a_verb_that_is_none_exits_2_with_a_sentence(ran: Any, given: str, said: str) -> None:
    done = ran(given, "x")
    assert done.code == 2
    assert said in done.err


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (["run", "--optoin", "rounding=nearest", "x.nasm"], "no option --optoin: did you mean"),
        (["check", "x.nasm", "--quite"], "did you mean '--quiet'"),
        (["explain", "--all"], "explain has no option --all: it has -h, --help, --json"),
        (["--jsn"], "neuron-nasm has no option --jsn: it has -h, --help, --version"),
        (["run", "x.nasm", "y.nasm"], "run takes no 'y.nasm' here"),
    ],
)
def test_an_option_that_is_none_exits_2_with_a_sentence(
    ran: Any, given: list[str], said: str
) -> None:
    done = ran(*given)
    assert (done.code, done.out) == (2, "")
    assert said in done.err


def test_a_defect_exits_70_and_keeps_its_details_in_a_file(
    ran: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def broken(_: object) -> int:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setitem(verbs.VERBS, "explain", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = ran("explain", "E0101")
    assert done.code == 70
    assert "E0901" in done.err
    (details,) = tmp_path.iterdir()
    assert str(details) in done.err
    text = details.read_text(encoding="utf-8")
    assert "ZeroDivisionError: by nothing" in text
    assert "Traceback" in text


def test_a_defect_prints_its_details_if_asked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(verbs.VERBS, "explain", lambda _: 1 // 0)
    monkeypatch.setenv("NASM_DEBUG", "1")
    assert main(["explain"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_too_little_memory_is_no_defect(ran: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(_: object) -> int:
        raise MemoryError

    monkeypatch.setitem(verbs.VERBS, "explain", greedy)
    done = ran("explain")
    assert done.code == 2
    assert "E0808" in done.err
