"""What a move changed in memory, against all of memory before and after it."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from nasm.debugger.moving import delta, past
from nasm.debugger.session import Session
from nasm.sim import memory
from tests.debugger.journeys import CASES, LOOP, made, programs, session
from tests.debugger.test_breakpoints import Record
from tests.parts import part

SHARED = """\
.target trn1
.sbuf a f32[128, 64] @ 0:0
.sbuf b u8[128, 256] @ 0:0
.sbuf c bf16[16, 3] @ 96:1024
.sbuf d u8[16, 5] @ 96:1028
@vector Memset a, 1.0
@vector Memset b[32:34, 7:9], 7
@vector Memset c, 2.0
@gpsimd Memset d[:, 1], 3
"""


def compared(one: Session, before: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """What of each tensor is another, by its elements."""
    found = {}
    for name, (now, known) in Record._memory(one).items():
        was, knew = before[name]
        other = (knew != known) | ((was != now) & knew & known)
        if not other.any():
            continue
        at = np.argwhere(other)
        box = tuple((int(lo), int(hi) + 1) for lo, hi in zip(at.min(0), at.max(0), strict=True))
        found[name] = len(at), box, [tuple(int(i) for i in index) for index in at[: delta.FEW]]
    return found


def problems_of(one: Session, since: Any) -> dict[str, tuple[Any, ...]]:
    """The same as the session says it."""
    return {
        c.tensor: (c.count, c.box, [e.index for e in c.elements]) for c in one.memory.changes(since)
    }


KINDS = [("loop", 0), ("shared", 0), *part([*CASES[:4], *CASES[29::3]], 3)]


@pytest.mark.parametrize("block", [memory.BLOCK, 64])
@pytest.mark.parametrize(("kind", "seed"), KINDS)
def test_it_is_what_differs_element_by_element(
    kind: str, seed: int, block: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(past, "EVERY", 0.0)
    monkeypatch.setattr(past, "SHARE", 0)
    monkeypatch.setattr(memory, "BLOCK", block)
    monkeypatch.setattr(delta, "MOST", 1 << 30)
    draw = random.Random(f"{kind} {seed}")
    if kind in ("loop", "shared"):
        along(session(made(LOOP if kind == "loop" else SHARED), keep=0), draw)
        return
    with programs(kind, seed) as given:
        along(session(given, keep=draw.choice((0, 1 << 20))), draw)


def along(one: Session, draw: random.Random) -> None:
    """Compare before and after moves."""
    for _ in range(200):
        if one.over:
            break
        since, before = one.memory.since(), Record._memory(one)
        one.step(count=draw.choice((1, 2, 9)))
        assert problems_of(one, since) == compared(one, before)
        one.memory.release(since)
    assert one.over


def test_first_values_and_nan_are_those_there() -> None:
    one = session(made(SHARED))
    since = one.memory.since()
    one.run()
    (a,) = [c for c in one.memory.changes(since) if c.tensor == "a"]
    assert (a.place, a.count, a.nan) == ("a", 128 * 64, None)
    assert [(e.index, e.before, e.after) for e in a.elements[:2]] == [
        ((0, 0), None, np.float32(1)),
        ((0, 1), None, np.float32(1)),
    ]
    one.memory.release(since)
    since = one.memory.since()
    one.set("a[5, 6:9]", float("nan"))
    (a,) = [c for c in one.memory.changes(since) if c.tensor == "a"]
    assert (a.place, a.count, a.nan) == ("a[5, 6:9]", 3, (5, 6))
    one.goto("start")
    assert one.memory.changes(since) == ()


def test_of_a_very_large_tensor_it_says_that_there_may_be_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(delta, "MOST", 1)
    one = session(made(".target trn2\n.sbuf t f32[128, 512]\n@vector Memset t, 1.0\n"))
    since = one.memory.since()
    one.run()
    (change,) = one.memory.changes(since)
    assert change.more
    assert change.count == memory.BLOCK // 4


SPREAD = """\
.target trn2
.sbuf t f32[128, 1024]
.sbuf all u8[128, 1002] @ 0:0
.sbuf low  f32[32, 2] @ 0:8
.sbuf high f32[32, 2] @ 96:8
.sbuf cut  f32[128, 2] @ 0:404
"""
"""Of t, with rows of 4 KiB, 16 are in a block. The others share memory with rows of 1,002 bytes.

There the second block begins with byte 406 of row 65, in the middle of cut[65, 0].
"""


@pytest.mark.parametrize(
    ("place", "first"),
    [
        ("t[15, 1022:1024]", (15, 1022)),  # the last bytes of the first block
        ("t[16, 0:2]", (16, 0)),  # the first of the second
        ("t[127, 1022:1024]", (127, 1022)),
        ("t[40, 7]", (40, 7)),
        ("low[31, 0:2]", (31, 0)),
        ("high[0, 0:2]", (0, 0)),
        ("high[31, 1]", (31, 1)),
        ("cut[64, 0:2]", (64, 0)),
        ("cut[65, 0]", (65, 0)),
        ("cut[65, 0:2]", (65, 0)),
        ("cut[65, 1]", (65, 1)),
    ],
)
def test_an_element_is_found_where_it_is_in_whatever_block(
    place: str, first: tuple[int, int]
) -> None:
    one = session(made(SPREAD))
    one.set(place.partition("[")[0], 0)
    change = next(c for c in one.set(place, 5).memory if c.tensor == place.partition("[")[0])
    count = 2 if ":" in place else 1
    assert (change.place, change.count, change.more) == (place, count, False)
    assert [(e.index, e.before, e.after) for e in change.elements] == [
        ((first[0], first[1] + n), 0, 5) for n in range(count)
    ]


def test_of_as_many_blocks_as_are_looked_at_there_are_no_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    one = session(made(SPREAD))
    for most, more in ((8, False), (7, True)):  # 128 rows in blocks of 16
        monkeypatch.setattr(delta, "MOST", most)
        (change,) = one.set("t", most).memory
        assert (change.count, change.more) == (most * 16 * 1024, more)


def test_an_element_of_which_only_the_block_behind_changed_is_found() -> None:
    one = session(made(SPREAD))
    one.set("all", 0)
    found = one.set("all[65, 406:408]", np.array([0x80, 0x3F])).memory  # of cut[65, 0]: 0x3f800000
    assert [(c.place, c.count) for c in found] == [("all[65, 406:408]", 2), ("cut[65, 0]", 1)]
    assert [(e.before, e.after) for e in found[1].elements] == [(0, 1)]
