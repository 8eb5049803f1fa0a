"""DmaTrigger: transfers that a .dma block prepared, and patterns as profiles print them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import nasm
from nasm.debugger.session import Session
from nasm.machine import transfers
from nasm.machine.records import Status
from tests.neuron.programs import hbm, ran, refused, sbuf
from tests.shares import shares

F32 = np.float32
DATA = np.arange(128 * 512, dtype=F32).reshape(128, 512)


def moved(of: Session) -> dict[int, int]:
    """Bytes by DMA engine, of those that moved any."""
    return {s.channel: s.bytes for s in shares(of.machine.trace) if s.bytes}


PREPARED = """
.sem s
.dma load queue=5
  a <- A[0:128]
  b[0:4] <- B
.end
"""


@pytest.mark.parametrize("engine", ["tensor", "vector", "scalar", "gpsimd", "sync"])
def test_any_engine_rings_a_prepared_transfer(engine: str) -> None:
    done = ran(
        f"{PREPARED}@{engine}\nDmaTrigger load  $s += 16\nEventSemaphore $s >= 16",
        "trn2",
        A=hbm("f32", DATA),
        B=hbm("f32", DATA[:4]),
        a=sbuf("f32", (128, 512)),
        b=sbuf("f32", DATA),
    )
    np.testing.assert_array_equal(done.read("a"), DATA)
    np.testing.assert_array_equal(done.read("b[0:4]"), DATA[:4])
    # Engine 0 moves its eight partitions of the first line and the four of the second.
    assert moved(done)[0] == 12 * 2048
    assert {s.ring for s in shares(done.machine.trace)} == {5}


def test_a_prepared_transfer_can_be_rung_again() -> None:
    done = ran(
        """.sem s
        .dma move
          c <- a
        .end
        @sync DmaTrigger move  $s += 16
        @vector Memset a, 5.0  $s >= 16  $s++
        @sync DmaTrigger move  $s >= 17  $s += 16
        @sync EventSemaphore   $s >= 33""",
        a=sbuf("f32", np.ones((3, 3))),
        c=hbm("f32", (3, 3)),
    )
    assert (done.read("c") == 5).all()
    assert done.semaphores()[0].value == 33


def test_lines_of_a_prepared_transfer_are_moved_in_order() -> None:
    done = ran(
        ".dma twice\n  c <- A\n  c <- B\n.end\n@sync DmaTrigger twice",
        A=hbm("f32", np.ones((2, 4))),
        B=hbm("f32", 2 * np.ones((2, 4))),
        c=sbuf("f32", (2, 4)),
    )
    assert (done.read("c") == 2).all()


# -- options


def test_a_prepared_transfer_has_a_priority_on_v4() -> None:
    lines = (
        ".dma late queue=1\n  b <- A\n.end\n.dma soon queue=2 priority=1\n  c <- A\n.end\n"
        "@vector\nDmaCopy a, A\nDmaTrigger late\nDmaTrigger soon"
    )
    tile = sbuf("f32", (128, 512))
    done = ran(lines, "trn3", A=hbm("f32", DATA), a=tile, b=tile, c=tile)
    jobs = sorted((s.start, s.ring) for s in shares(done.machine.trace) if s.channel == 0)
    assert [ring for _, ring in jobs] == [0, 2, 1]


@pytest.mark.parametrize(
    ("option", "on", "code", "said"),
    [
        ("priority=4", "trn3", "E0301", "priority=4; wanted an integer from 0 to 3"),
        ("priority=0", "trn2", "E0408", "transfers have no priority on NeuronCore-v3 (Trn2)"),
        ("urgent=1", "trn3", "E0309", ".dma has no option 'urgent'"),
    ],
)
def test_an_option_that_does_not_fit_is_refused(option: str, on: str, code: str, said: str) -> None:
    lines = f".dma t {option}\n  c <- A\n.end\n"
    problem, *_ = refused(lines, on, A=hbm("f32", [1]), c=hbm("f32", (1,)))
    assert (problem.code, problem.message) == (code, said)


# -- the profiler's patterns: [steps][counts], the fastest first, in bytes, of whole elements


def test_the_pattern_of_a_load_in_the_dma_overview() -> None:
    # src_elem_size=256 dst_elem_size=256 src_pattern=[256,1][128,1]
    # dst_pattern=[262144,1][128,1]: 128 rows of 256 bytes, into partitions 262,144 bytes apart.
    values = np.arange(128 * 128).reshape(128, 128)
    done = ran(
        ".dma load\n  t.view(u8).ap([[512, 128], [1, 256]], offset=128) <- "
        "A.view(u8).ap([[256, 128], [1, 256]])\n.end\n@gpsimd DmaTrigger load",
        "trn2",
        A=hbm("i16", values),
        t=sbuf("i16", np.zeros((128, 256))),
    )
    assert moved(done) == dict.fromkeys(range(16), 2048)
    got = done.read("t")
    np.testing.assert_array_equal(got[:, 64:192], values)
    assert not got[:, :64].any()
    assert not got[:, 192:].any()


def test_the_two_sides_are_cut_into_elements_of_their_own() -> None:
    # src_elem_size=6 src_pattern=[10,1][4,1], dst_elem_size=8 dst_pattern=[16,1][3,1].
    values = np.arange(40)
    done = ran(
        ".dma t\n  c.ap([[16, 3], [1, 8]]) <- A.ap([[10, 4], [1, 6]], offset=2)\n.end\n"
        "@sync DmaTrigger t",
        A=hbm("u8", values),
        c=hbm("u8", np.full(48, 255)),
    )
    taken = [2 + 10 * row + byte for row in range(4) for byte in range(6)]
    want = np.full(48, 255)
    for place in range(24):
        want[place // 8 * 16 + place % 8] = taken[place]
    assert done.read("c").tolist() == want.tolist()


TILE = np.arange(128 * 64).reshape(128, 64)


@pytest.mark.parametrize(
    ("view", "want"),
    [
        ("a[3:128:25]", TILE[3:128:25]),
        ("a[127:2:-31]", TILE[127:2:-31]),
        ("a[17:26]", TILE[17:26]),
        (
            "a.ap([[-3 * 64, 5], [2, 7], [-1, 3]], offset=60 * 64 + 9)",
            np.array(
                [
                    [[TILE[60 - 3 * p, 9 + 2 * n - m] for m in range(3)] for n in range(7)]
                    for p in range(5)
                ]
            ),
        ),
    ],
)
def test_a_dma_addresses_any_partitions_and_steps(view: str, want: np.ndarray[Any, Any]) -> None:
    done = ran(
        f".dma t\n  C <- {view}\n.end\n@vector DmaTrigger t",
        a=sbuf("i32", TILE),
        C=hbm("i32", want.shape),
    )
    np.testing.assert_array_equal(done.read("C"), want)


@pytest.mark.turns(3)
def test_transfers_that_nothing_waits_for_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfers, "MOST_IN_FLIGHT", 8)
    text = (
        ".target trn2\n.hbm X f32[128, 512] output\n.sbuf t f32[128, 512]\n.sem moved\n"
        "@gpsimd Memset t, 1.0\n@sync\nagain: RegisterMove %r0, 1\n"
        + "DmaCopy X, t  $moved += 16\n" * 4
        + "{wait}CompareBranch %r0, 0, op=greater, target=again\n"
    )
    endless = nasm.run(text.replace("{wait}", ""), max_instructions=10_000)
    assert [p.code for p in endless.report.problems] == ["E0517"]
    assert endless.report.status is Status.FAULT
    waits = nasm.run(
        text.replace("{wait}", "EventSemaphore $moved >= 64  $moved = 0\n"), max_instructions=200
    )
    assert [p.code for p in waits.report.problems] == ["E0511"]
