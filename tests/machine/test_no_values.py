"""Runs without values: the same ticks and trace, and what cannot be known is refused."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.machine.records import Status
from tests.machine.alike import NEEDS_VALUES, alike, without_values
from tests.parts import part
from tests.tables import each
from tests.test_toy_cores import SWAP
from tests.toy.target import TARGETS as TOY
from tests.vendor.published import CASES

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((ROOT / "programs").glob("*.nasm"))
BY_MEMORY = ("columns", "embedding", "embedding_gather", "histogram")
"""Programs whose addresses stand in tensors."""


def ended(text: str) -> tuple[Session, list[str]]:
    """A text without values, and the messages of what ended it."""
    session = without_values(nasm.assemble(Source("text", text)))
    return session, [f"{p.code} {p.message}" for p in session.problems]


# -- the same


@pytest.mark.parametrize("path", part(PROGRAMS, 4), ids=lambda p: p.stem)
def test_a_program_takes_the_same_ticks_and_leaves_the_same_trace(path: Path) -> None:
    session = alike(nasm.assemble(source_of(path)))
    wanted = Status.FAULT if path.stem in BY_MEMORY else Status.FINISHED
    assert session.status is wanted


@each("name", part(sorted(CASES), 7))
def test_a_published_program_does_too(name: str) -> None:
    program = nasm.assemble(source_of(ROOT / "tests" / "vendor" / f"{name}.nasm"))
    alike(program, CASES[name](np.random.RandomState(0)))


@pytest.mark.parametrize("direct", [False, True])
def test_two_cores_exchange_nothing_in_the_same_time(direct: bool) -> None:
    text = SWAP
    if direct:
        text = text.replace("Swap  y, x", "Swap y, x, true").replace(
            "Swap  q, p", "Swap q, p, true"
        )
    ran, bare = (
        Session.load(Source("toy.nasm", text), targets=TOY, values=values) for values in (1, 0)
    )
    whole, report = ran.run(), bare.run()
    assert report.ok
    assert (report.ticks, report.trace_hash) == (whole.ticks, whole.trace_hash)


def test_what_it_makes_has_no_tensors() -> None:
    program = nasm.assemble(
        ".target trn2\n.hbm A f32[65536, 65536] input\n.sbuf a f32[128, 512]\n.sem s\n"
        "@sync DmaCopy a, A[0:128, 0:512] $s += 16\n@sync EventSemaphore $s >= 16\n"
    )
    session = without_values(program)  # 16 GiB with values
    assert session.status is Status.FINISHED
    held = [thing for thing in gc.get_objects() if isinstance(thing, np.ndarray)]
    assert all(array.nbytes < 2**20 for array in held)
    assert session.machine.state.by_tensor == {}


def test_going_back_goes_the_same_way_again() -> None:
    session = Session(ROOT / "programs" / "countdown.nasm", values=False)
    first = session.run()
    session.restart()
    session.step(count=3)
    here = session.checkpoint()
    assert session.run() == first
    session.back_to(here)
    assert session.run() == first


def test_engine_values_are_ready_and_missing_as_with_values() -> None:
    head = ".target trn1\n.sbuf a f32[128, 8] = zeros\n.sbuf i u32[128, 8]\n"
    late = f"{head}@vector MatchValueLoad a\n@vector FindIndex8 i, a\n"
    assert alike(nasm.assemble(Source("late", late))).status is Status.FINISHED
    _, said = ended(f"{head}@vector FindIndex8 i, a\n")
    assert said == ["E0503 the engine holds no match values yet"]


# -- registers


LOOP = """\
.target trn1
.sbuf t f32[128, 64]
@vector RegisterMove %r0, 3
again: @vector Memset t[:, %r0 : +4], 1.0
@vector RegisterAlu %r0, %r0, 1, op=subtract
@vector CompareBranch %r0, 0, op=greater, target=again
"""


def test_branches_and_addresses_by_register_arithmetic_work() -> None:
    session = alike(nasm.assemble(Source("loop", LOOP)))
    assert session.registers("vector") == {0: 0}
    assert session.queues()[1].completed == 1 + 3 * 3


HEAD = """\
.target trn2
.sbuf n i32[1, 1] = [[5]]
.sbuf t f32[128, 64] = zeros
.sbuf u f32[128, 64]
.sbuf at u16[128, 1] = zeros
.hbm T f32[128, 64]
.sem s
"""
LOADED = HEAD + "@vector TensorLoad %r1, n\n@vector RegisterAlu %r2, %r1, 1, op=add\n"


def test_a_loaded_register_is_unknown_and_so_is_what_follows_from_it() -> None:
    text = LOADED + "@vector RegisterMove %r3, 7\n@vector TensorStore n, %r2\n"
    session = alike(nasm.assemble(Source("loaded", text)))
    assert session.status is Status.FINISHED
    assert session.registers("vector") == {1: None, 2: None, 3: 7}
    assert Session(text).run().ok


REFUSED = [
    (
        LOADED + "there: @vector CompareBranch %r2, 0, op=less, target=there\n",
        "CompareBranch depends on %r2",
    ),
    (LOADED + "@vector Memset t[:, %r2 : +4], 1.0\n", "Memset is addressed by %r2"),
    (
        LOADED.replace("vector", "gpsimd") + "@gpsimd DmaCopy t[:, %r1 : +4], T[:, 0:4] $s += 16\n",
        "DmaCopy is addressed by %r1",
    ),
    (HEAD + "@gpsimd DevicePrint n\n", "DevicePrint needs the elements of n"),
    (
        HEAD.replace("trn2", "trn3")
        + "@vector TensorCopy u[:, 0:16], t.indirect(at[:, 0:1], 16)\n",
        "TensorCopy is addressed by the elements of at",
    ),
]


@pytest.mark.parametrize(("text", "said"), REFUSED)
def test_what_depends_on_memory_is_refused_when_it_starts(text: str, said: str) -> None:
    assembled = nasm.assemble(Source("refused", text))
    session = alike(assembled)
    (problem,) = session.problems
    assert problem.code == NEEDS_VALUES
    assert problem.message.startswith(said)
    assert problem.message.endswith(": a run without values does not know it")
    assert "--no-values" in problem.hint
    last = len(text.splitlines())
    assert problem.span is not None
    assert problem.span.line == last
    starts = [r[4] for r in Session(assembled, trace=True).machine.trace.instructions]
    assert session.now >= max(starts, default=0)


def test_a_branch_that_does_not_compare_goes_its_way() -> None:
    text = LOADED + "@vector CompareBranch target=end\n@vector Nop\nend: @vector Nop\n"
    session = alike(nasm.assemble(Source("always", text)))
    assert session.status is Status.FINISHED


# -- found and not found


def test_races_and_deadlocks_are_found_and_uninitialised_reads_are_not() -> None:
    text = HEAD + "@gpsimd Memset t, 1.0\n@vector TensorCopy t, u\n@sync Nop $s >= 3\n"
    report = without_values(nasm.assemble(Source("wrong", text))).report()
    assert report.status is Status.DEADLOCK
    assert [p.code for p in (*report.hazards, *report.problems)] == ["E0502", "E0510"]
    assert "E0501" in [p.code for p in Session(text).run().hazards]


def test_a_register_that_was_never_set_is_found() -> None:
    text = HEAD + "@vector TensorStore n, %r9\n@vector Memset t[:, %r8 : +4], 1.0\n"
    session = alike(nasm.assemble(Source("unset", text)))
    assert [p.code for p in session.hazards] == ["E0505", "E0505"]


# -- what is told


EXPECTING = HEAD + (
    "@vector Memset u, 2.0\n"
    ".expect u == 3\n.expect busy(vector) > 0\n.expect mean(u) < 0\n.expect time_us() < 1000\n"
)


def test_expectations_of_values_are_counted_and_the_others_judged() -> None:
    report = nasm.run(Source("expecting", EXPECTING), values=False).report
    assert [e.text for e in report.expectations] == ["busy(vector) > 0", "time_us() < 1000"]
    assert (report.ok, report.not_judged, report.values) == (True, 2, False)
    assert str(report).endswith(
        "PASS: 2 expectations met, not judged: 2 expectations that ask for values"
    )
    full = nasm.run(Source("expecting", EXPECTING)).report
    assert (full.ok, full.not_judged, full.values) == (False, 0, True)


def asks(session: Session, done: Any) -> list[Any]:
    return [
        lambda: session.read("u"),
        lambda: session.known("u[0:2]"),
        session.outputs,
        session.banks,
        lambda: done.outputs["T"],
    ]


def test_reading_a_tensor_says_that_there_are_no_values() -> None:
    text = EXPECTING.replace("f32[128, 64]\n.sem", "f32[128, 64] output\n.psum p f32[8, 8]\n.sem")
    done = nasm.run(Source("expecting", text), values=False)
    for ask in asks(done.session, done):
        with pytest.raises(Failure) as caught:
            ask()
        (problem,) = caught.value.problems
        assert problem.code == NEEDS_VALUES
        assert "a run without values has none" in problem.message
        assert "values=True" in problem.hint


def test_inputs_are_named_rightly_and_not_read(tmp_path: Path) -> None:
    text = '.target trn1\n.hbm X f32[4] input\n.hbm Y f32[4] input = "no.npy"\n@sync Nop\n'
    assert nasm.run(Source("inputs", text), {"X": None}, values=False).ok
    with pytest.raises(Failure) as caught:
        nasm.run(Source("inputs", text), {"Z": np.zeros(4)}, values=False)
    assert [p.code for p in caught.value.problems] == ["E0803"]


def test_what_a_core_takes_in_of_memory_is_refused_where_that_is_read() -> None:
    path = ROOT / "programs" / "tensix" / "matmul.nasm"
    report = Session(path, values=False).run()
    (problem,) = report.problems
    assert problem.code == "E0518"
    assert problem.message.startswith("l1 is read at 0x8000, and what is there may decide the time")
    assert problem.span is not None
    assert problem.span.text.startswith("UNPACR")
