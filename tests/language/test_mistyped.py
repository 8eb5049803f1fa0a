"""What is said of mistakes can be typed: each proposal of ``mistyped.txt`` puts its line right."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

import pytest

import nasm
from nasm.base.problems import Failure, Problem

HEAD = """\
.target trn2
.hbm A f32[128, 64] input = iota
.hbm C f32[128, 64] output
.sbuf t f32[128, 64] = iota
.sbuf u f32[128, 64] = iota
.sbuf a f32[128, 64] = iota
.sbuf b f32[128, 64] = iota
.sbuf c f32[128, 64] = iota
.sbuf w bf16[128, 128] = iota
.sbuf x bf16[128, 512] = iota
.sbuf m f32[128, 1] = iota
.psum p f32[128, 512]
.const N = 64
.sem s
"""


class Entry(NamedTuple):
    """A mistake: its code and place, whether what is said of it can be typed, and what is right."""

    wrong: str
    where: str
    said: str
    right: str


def entries() -> Iterator[Entry]:
    """The mistakes of the table, four lines each."""
    lines = (Path(__file__).parent / "mistyped.txt").read_text(encoding="utf-8").splitlines()
    written = (line.strip() for line in lines if line and not line.startswith("#"))
    while group := tuple(islice(written, 4)):
        yield Entry(*group)


def problems(text: str) -> list[Problem]:
    """All that is wrong with some lines behind the head."""
    try:
        nasm.assemble(HEAD + text.replace(";", "\n") + "\n")
    except Failure as failure:
        return list(failure.problems)
    return []


def faults(entry: Entry) -> Iterator[str]:
    """What of an entry is not so."""
    found = problems(entry.wrong)
    if len(found) != 1 or found[0].span is None:
        yield f"reported: {found}"
        return
    (problem,) = found
    assert problem.span is not None
    where = f"{problem.code} at {(problem.span.text.splitlines() or [''])[0]}".rstrip()
    if where != entry.where:
        yield f"reported: {where}"
    how, _, said = entry.said.partition(": ")
    if said not in problem.hint and said not in problem.message:
        yield f"said: {problem.message}; {problem.hint}"
    if how == "typed" and said not in entry.right:
        yield "what is proposed was not typed"
    if more := problems(entry.right):
        yield f"the right text is wrong: {more}"


def test_each_mistake_is_reported_once_at_its_place_with_what_puts_it_right() -> None:
    every = list(entries())
    wrong = [f"{entry.wrong}: {fault}" for entry in every for fault in faults(entry)]
    assert not wrong, "\n".join(wrong)
    assert len({entry.wrong for entry in every}) == len(every) >= 120


def test_an_instruction_behind_a_semicolon_is_warned_of_and_one_on_its_own_line_is_not() -> None:
    def warned(text: str) -> list[tuple[str, str]]:
        found = nasm.assemble(f"{HEAD}{text}\n").warnings
        return [(p.code, p.span.text) for p in found if p.span is not None]

    assert warned("@vector Memset t, 0; @vector Nop") == [("E0247", "@vector Nop")]
    assert warned("@vector Memset t, 0; Memset u, 0 ; both") == [("E0247", "Memset u, 0 ")]
    assert warned("@vector Memset t, 0\n@vector Nop") == []
    assert warned("; @vector Nop\n@vector Memset t, 0  ; Memset t, as above") == []
    assert warned("@vector Memset t, 0  ; Nop\n@vector Nop ; copy t, u") == []


def test_a_wait_an_update_or_a_moment_behind_a_semicolon_is_warned_of() -> None:
    def warned(text: str) -> list[tuple[str, str]]:
        try:
            found = nasm.assemble(f"{HEAD}{text}\n").warnings
        except Failure as failure:
            found = list(failure.problems)
        return [(p.code, p.span.text) for p in found if p.span is not None]

    assert warned("@sync DmaCopy t, A ; $s += 16") == [("E0247", "$s += 16")]
    assert warned("@vector Nop ; take $s, 3") == [("E0247", "take $s, 3")]
    assert warned("@vector Nop post a\n@scalar Nop; after a") == [("E0247", "after a")]
    lost = [("E0247", "post a[0]"), ("E0331", "a[0]")]
    assert warned("@vector Nop; post a[0]\n@scalar Nop after a[0]") == lost
    assert warned("@vector Nop ; after that\n.const Q = 4  ; $s >= 16") == []
    assert warned("@vector Nop $s++ ; $s += 16 in all\n@scalar Nop $s >= 1") == []


def test_a_machine_without_transfers_has_a_hint_for_words_that_move_data_elsewhere() -> None:
    for word in ("DmaCopy", "dma_start", "load", "mov"):
        with pytest.raises(Failure) as failure:
            nasm.assemble(f".target wormhole\n@t0 {word} 0, 1\n")
        assert [p.code for p in failure.value.problems] == ["E0201"]
