"""Tensors of ``.scope`` blocks: whose bytes they share, and until when they are there."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nasm
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.printing import text as printed
from nasm.program.program import Program
from nasm.runs.check import examine
from nasm.targets import TARGETS
from tests.parts import examples


def program(text: str) -> Program:
    return assemble(Source("test.nasm", f".target trn2\n{text}"), TARGETS)


def places(text: str) -> dict[str, int | None]:
    return {t.name: t.offset for t in program(text).tensors.values()}


def said(text: str) -> list[tuple[str, str]]:
    with pytest.raises(Failure) as caught:
        program(text)
    return [(p.code, p.message) for p in caught.value.problems]


def block(*lines: str) -> str:
    return "\n".join((".scope", *lines, ".end", ""))


def sbuf(name: str, size: int) -> str:
    return f".sbuf {name} f32[128, {size // 4}]"


def test_blocks_one_after_the_other_share_their_bytes() -> None:
    text = sbuf("keep", 64) + "\n" + block(sbuf("a", 128), sbuf("b", 64)) + block(sbuf("c", 192))
    assert places(text) == {"keep": 0, "a": 64, "b": 192, "c": 64}


def test_what_is_in_no_block_shares_its_bytes_with_nothing() -> None:
    text = block(sbuf("a", 64)) + sbuf("x", 32) + "\n" + block(sbuf("b", 96)) + sbuf("y", 32) + "\n"
    # b does not fit under x, which a loop may still need when it comes back to the first block
    assert places(text) == {"a": 0, "x": 64, "b": 96, "y": 192}


def test_a_block_in_a_block_shares_with_its_sisters_and_not_with_what_is_around_it() -> None:
    inner = block(sbuf("b", 64)) + block(sbuf("c", 32), sbuf("d", 64))
    text = block(sbuf("a", 32), inner, sbuf("e", 32)) + block(sbuf("f", 256))
    assert places(text) == {"a": 0, "b": 32, "c": 32, "d": 64, "e": 128, "f": 0}


def test_tensors_that_the_program_places_stay_clear_of_all() -> None:
    text = block(".sbuf p f32[128, 8] @ 0:32", sbuf("a", 64)) + block(sbuf("b", 32))
    assert places(text) == {"p": 32, "a": 64, "b": 0}


def test_blocks_come_from_loops_and_macros() -> None:
    text = (
        ".macro m(n)\n.scope\n.sbuf t f32[128, n]\n@vector Memset t, n\n.end\n.end\n"
        ".for k in 1..4\nm(k)\n.end\n.scope\nm(2)\nm(8)\n.end\n"
    )
    assert places(text) == dict.fromkeys([f"m_{n}_t" for n in range(1, 6)], 0)


def test_psum_is_shared_bank_by_bank_and_a_full_memory_says_what_helps() -> None:
    banks = "\n".join(f".psum p{n} f32[128, 512]" for n in range(8))
    assert list(
        places(block(banks) + block(banks.replace("p", "q").replace(".qsum", ".psum"))).values()
    ) == [2048 * n for n in (*range(8), *range(8))]
    (found,) = said(banks + "\n.psum r f32[128, 1]\n")
    assert found[0] == "E0311"


def test_a_program_that_is_printed_has_the_same_places() -> None:
    text = block(sbuf("a", 64), "@vector Memset a, 1") + block(sbuf("b", 64), "@vector Memset b, 2")
    made = program(text)
    again = printed(made)
    assert "a  float32[128, 16]  @ 0:0" in again
    found = program(again.removeprefix(".target trn2\n"))
    assert [t.offset for t in found.tensors.values()] == [t.offset for t in made.tensors.values()]


def test_who_shares_bytes_and_is_not_in_order_is_reported_with_both_names() -> None:
    text = ".target trn2\n.sem s\n" + block(sbuf("a", 64), "@vector Memset a, 1  $s++")
    text += block(sbuf("b", 64), "@gpsimd Memset b, 2 {}")
    (hazard,) = nasm.run(text.format("")).report.hazards
    assert hazard.code == "E0502"
    assert "which writes b" in hazard.message
    assert "which writes a" in hazard.message
    assert nasm.run(text.format("$s >= 1")).ok


def test_moments_keep_blocks_in_order() -> None:
    text = ".target trn2\n" + block(sbuf("a", 64), "@vector Memset a, 1  post first")
    text += block(sbuf("b", 64), "@gpsimd Memset b, 2  after first")
    assert nasm.run(text).ok


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("@vector Memset a, 1", "E0240"),
        (".view v = a[:, 0:1]\n@vector Memset v, 1", "E0240"),
        (".dma d\nx <- a\n.end\n@sync DmaTrigger d", "E0240"),
        ("@sync DmaTrigger inside", "E0240"),
        (".scope\n@vector Memset a, 1\n.end", "E0240"),
        (".expect a == 1", "E0240"),
        (".expect half == 1", "E0240"),
    ],
)
def test_a_tensor_is_not_used_behind_its_block(text: str, code: str) -> None:
    head = ".hbm x f32[128, 8]\n" + block(
        ".sbuf a f32[128, 8]", ".view half = a[:, 0:4]", ".dma inside", "x <- a", ".end"
    )
    assert [c for c, _ in said(head + text + "\n")] == [code]


def test_initial_values_are_refused_in_a_block() -> None:
    assert [c for c, _ in said(block(".sbuf a f32[128, 8] = zeros"))] == ["E0241"]
    assert places(block(".hbm a f32[128, 8] input = zeros")) == {"a": 0}


def test_the_map_shows_who_owns_which_bytes_when() -> None:
    text = ".sem s\n" + block(sbuf("a", 64), "@vector Memset a, 1  $s++")
    text += block(sbuf("b", 64), "@gpsimd Memset b, 2 $s >= 1")
    (found,) = (m for m in examine(program(text)).memories if m.memory == "sbuf")
    owners = [(c.name, c.low, c.high, [(o.name, o.meets) for o in c.sharing]) for c in found.claims]
    assert owners == [("a", 0, 64, [("b", False)]), ("b", 0, 64, [("a", False)])]


# -- random blocks, against the definition

TREES = st.recursive(
    st.integers(1, 16), lambda inner: st.lists(inner, max_size=5).map(tuple), max_leaves=24
)


@settings(max_examples=examples(80, 10), deadline=None)
@given(st.lists(TREES, max_size=8))
def test_tensors_share_bytes_only_if_no_block_holds_both_and_none_is_outside(tree: list) -> None:
    lines: list[str] = []
    paths: dict[str, tuple[int, ...]] = {}
    count = 0

    def write(items: object, path: tuple[int, ...]) -> None:
        nonlocal count
        for item in items:  # type: ignore[attr-defined]
            if isinstance(item, tuple):
                count += 1
                lines.append(".scope")
                write(item, (*path, count))
                lines.append(".end")
            else:
                paths[f"t{len(paths)}"] = path
                lines.append(sbuf(f"t{len(paths) - 1}", 4 * item))

    write(tree, ())
    made = program("\n".join([*lines, ""]))
    spans = {t.name: range(t.offset or 0, (t.offset or 0) + t.bytes) for t in made.tensors.values()}
    for one, own in paths.items():
        for other, theirs in paths.items():
            if one != other and set(spans[one]) & set(spans[other]):
                shorter = min(len(own), len(theirs))
                assert own[:shorter] != theirs[:shorter]


def unwritten(*lines: str) -> list[str]:
    """The lines that read what is not written, of a text with two blocks that share bytes."""
    tiles = ".sbuf b f32[128, 64]", ".sbuf c f32[128, 64]"
    first = block(".sbuf a f32[128, 128]", "@vector Memset a, 1")
    found = program(first + block(*tiles, *lines)).warnings
    return [p.span.text for p in found if p.code == "E0501" and p.span is not None]


def test_what_a_block_reads_before_it_writes_it_was_anothers() -> None:
    assert unwritten("@vector TensorCopy c, b", "@vector Memset b, 1") == ["TensorCopy c, b"]
    assert unwritten("@vector Memset b, 1", "@vector TensorCopy c, b") == []


def test_a_part_that_is_not_written_is_reported() -> None:
    lines = "@vector Memset b[:, 0:32], 1", "@vector TensorCopy c[:, 0:2], b[:, 31:33]"
    assert unwritten(*lines) == ["TensorCopy c[:, 0:2], b[:, 31:33]"]
    assert unwritten("@gpsimd Memset b[:, 32:33], 1", *lines) == []


def test_another_queue_may_write_before() -> None:
    assert unwritten("@vector TensorCopy c, b", "@gpsimd Memset b, 1") == []


def test_a_queue_that_only_it_writes_for_itself_later_is_none() -> None:
    assert unwritten("@gpsimd Memset c, 1", "@vector TensorCopy c, b") == ["TensorCopy c, b"]


def test_in_a_loop_the_first_round_counts() -> None:
    lines = "@vector TensorCopy c, b", "@vector Memset b, 1"
    assert unwritten(".loop k in 0..4", *lines, ".end") == ["TensorCopy c, b"]


def test_what_a_branch_may_skip_may_come_later() -> None:
    lines = (
        "@vector",
        "CompareBranch %r1, 0, op=equal, target=fill",
        "again: TensorCopy c, b",
        "fill: Memset b, 1",
        "CompareBranch %r1, 0, op=equal, target=again",
    )
    assert unwritten(*lines) == []
    assert unwritten(*lines[:1], *lines[2:]) == ["TensorCopy c, b"]


def test_it_is_reported_once_for_a_run() -> None:
    text = block(".sbuf a f32[128, 64]", ".sbuf b f32[128, 64]", "@vector TensorCopy a, b")
    session = nasm.Session(program(text))
    assert [p.code for p in session.run().hazards] == ["E0501"]
