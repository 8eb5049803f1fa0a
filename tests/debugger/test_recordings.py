"""A recording is replayed at the same place with the same past; what is damaged is refused."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base.dtypes import DTYPES
from nasm.base.problems import Failure, Refused
from nasm.base.source_files import RECORDING
from nasm.debugger.recordings.writing import DATA, DOCUMENT, PROGRAM
from nasm.debugger.session import Session
from nasm.language.objects.bodies import document
from nasm.language.objects.sections import joined, parted
from nasm.nki.loading import load
from tests.debugger.journeys import LOOP, Traveller, differing, made, programs, session, standing
from tests.parts import part
from tests.tables import each

ROOT = Path(__file__).parents[2]
KERNEL = ROOT / "programs" / "nki" / "rmsnorm.py"
KINDS = [
    *(("file", n) for n in range(7)),
    *(("ordered", n) for n in range(20)),
    *(("stuck", n) for n in range(20)),
    *(("any", n) for n in range(20)),
]


def changed(data: bytes, change: Callable[[dict[str, Any]], object]) -> bytes:
    """A recording with something else in its document; its checksums agree."""
    parts = {name: bytes(body) for name, body in parted(data, RECORDING).items()}
    content = json.loads(parts[DOCUMENT])
    change(content)
    return joined({**parts, DOCUMENT: document(content)}, RECORDING)


@each("kind", part(KINDS, 5))
def test_a_replayed_session_is_where_the_recorded_one_was_and_goes_the_same_ways(
    kind: tuple[str, int],
) -> None:
    with programs(*kind) as given:
        draw = random.Random(f"recorded {kind}")
        one = session(given)
        traveller = Traveller(one, draw)
        for _ in range(draw.randrange(1, 14)):
            (traveller.change if draw.random() < 0.4 else traveller.move)()
        data = one.recorded()
        other = Session.replayed(data)
        assert not differing(standing(one.execution), standing(other.execution)), traveller.went
        assert other.recorded() == data
        assert list(map(repr, other.moments())) == list(map(repr, one.moments()))
        both = [Traveller(each, random.Random(f"on {kind}")) for each in (one, other)]
        for step in range(6):
            for again in both:
                again.marks = traveller.marks
                (again.change if step == 3 else again.move)()
            assert not differing(standing(one.execution), standing(other.execution))


def test_what_was_typed_and_gone_back_over_is_there_again() -> None:
    one = Session(LOOP)
    one.step(count=2)
    one.execute(
        ".sbuf t f32[4, 4] = iota\n.macro twice(a)\n@vector TensorTensor a, a, a, op=add\n.end"
    )
    one.mark("typed")
    one.execute("twice(t)")
    one.goto("typed")
    one.execute("@vector Memset t, 7.0")
    one.let("all", "t[0:2]")
    one.break_at("if max(t) > 50", name="large", condition="1 < 2", ignore=3)
    one.watch("t", "written")
    one.breakpoints.delete(1)
    other = Session.replayed(one.recorded())
    assert (other.read("t") == 7).all()
    assert other.named == {"all": "t[0:2]"}
    assert list(map(str, other.breakpoints)) == list(map(str, one.breakpoints)) != []
    assert other.changes.typed_text() == one.changes.typed_text()
    assert other.execute("twice(t)").pending == 0
    assert (other.read("t") == 14).all()


def test_inputs_and_included_texts_are_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = """\
.target trn1
.include "sizes.nasm"
.hbm X bf16[N, 4] input
.hbm W f32[4] input = "w.npy"
.hbm Y bf16[N, 4] output
.sbuf x bf16[N, 4]
.sem s
@sync DmaCopy x, X $s += 16
@sync DmaCopy Y, x $s >= 16 $s += 16
@sync EventSemaphore $s >= 32
.expect Y == X
.expect sum(W) == 6
"""
    (tmp_path / "p.nasm").write_text(text)
    (tmp_path / "sizes.nasm").write_text(".const N = 8\n.const M = 1\n")
    np.save(tmp_path / "w.npy", np.arange(4, dtype=np.float32))
    monkeypatch.chdir(tmp_path)
    array = np.arange(32).reshape(8, 4).astype(DTYPES["bfloat16"].numpy)
    one = Session(
        Path("p.nasm"), {"X": array}, options={"rounding": "stochastic"}, defines={"N": 8}
    )
    array[:] = 0  # a caller's array is the caller's again
    assert one.run().ok
    data = one.recorded()
    (tmp_path / "sizes.nasm").write_text(".const N = 8\n.const M = 2\n")
    with pytest.raises(Refused, match="has changed since it was loaded"):
        one.recorded()
    for path in tmp_path.iterdir():
        path.unlink()
    other = Session.replayed(data)
    assert other.report().ok
    assert other.report().options == one.report().options
    assert (other.read("Y") == one.read("Y")).all()
    assert other.recorded() == data
    other.restart()
    assert other.run().ok


def test_a_kernel_is_recorded_as_the_program_that_it_became() -> None:
    rng = np.random.default_rng(1)
    arrays = {"x": rng.random((128, 64), np.float32), "w": np.ones((1, 64), np.float32)}
    traced = load(f"{KERNEL}:rmsnorm", arrays, {})
    one = Session(traced.program, dict(traced.inputs))
    one.step(count=3)
    one.set("@scalar %r0", 4)
    data = one.recorded()
    other = Session.replayed(data)
    assert not differing(standing(one.execution), standing(other.execution))
    assert other.recorded() == data
    assert ended(one) == ended(other)
    spans = [span for span in other.program.spans if span is not None]
    assert {Path(span.source.name).name for span in spans} >= {KERNEL.name}


def ended(one: Session) -> tuple[object, ...]:
    report = one.run()
    return report.status, report.ticks, report.trace_hash, report.memory_hash


def refused(data: bytes) -> str:
    with pytest.raises(Failure) as caught:
        Session.replayed(data)
    (problem,) = caught.value.problems
    assert problem.code == "E0848"
    return problem.message


@pytest.fixture(scope="module")
def recorded() -> bytes:
    one = Session(LOOP)
    one.step(count=3)
    one.set("y[0, 0:2]", 3)
    one.mark("here")
    one.execute("@vector Memset y, 1.0")
    one.step(count=2)
    return one.recorded()


WRONG: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "trace": (lambda d: d["state"].update(trace="00"), "computes another run: another trace"),
    "memory": (lambda d: d["state"].update(memory="00"), "another run: other values"),
    "status": (lambda d: d["state"].update(status="DEADLOCK"), "another run: another end"),
    "semaphores": (lambda d: d["state"].update(semaphores=[[0, 9]]), "other semaphores"),
    "tick": (lambda d: d["at"].__setitem__(1, 10**9), "another run: event"),
    "far": (lambda d: d["at"].__setitem__(0, 10**15), "another run: event"),
    "moment": (lambda d: d.update(at=[1, 2, 3]), "damaged: a moment in it is none"),
    "changes": (lambda d: d["at"].__setitem__(2, 9), "more changes before it than there are"),
    "before": (lambda d: d["typed"][0].update(after=[]), "other changes before it than it lists"),
    "order": (lambda d: d.update(branch=[1, 0]), "changes in it are in no order"),
    "itself": (lambda d: d["changes"][0].update(after=[0], at=[0, 0, 1, False]), "in no order"),
    "mark's": (lambda d: d["marks"][0].update(after=[1]), "changes in it are in no order"),
    "array": (lambda d: d["changes"][0].update(array=7), "it has no array 7"),
    "kind": (lambda d: d["changes"][0].update(do="call"), "a change of no known kind"),
    "place": (lambda d: d["changes"][0].update(place="y[0, 0:3]"), "does not fit|does not hold"),
    "typed": (lambda d: d["changes"][1].update(typed=3), "before it was typed"),
    "text": (lambda d: d["typed"][0].update(text="@vector Memset q, 1"), "q"),
    "file": (lambda d: d["typed"][0].update(text='.sbuf t f32[4] = "/etc/passwd.npy"'), "no files"),
    "missing": (lambda d: d.pop("marks"), "lacks 'marks'"),
    "mark": (lambda d: d["marks"][0].update(name="a b"), "a moment in it has no name"),
    "break": (lambda d: d.update(breakpoints=[{"number": 1}]), "lacks 'what'"),
    "names": (lambda d: d.update(names=[["a", "a + 1"]]), "a"),
    "shape": (lambda d: d["arrays"][0].update(shape=[10**9]), "an array in it is cut off"),
    "dtype": (lambda d: d["arrays"][0].update(dtype="object"), "no such dtype"),
    "options": (lambda d: d["text"].update(options={"rounding": "up"}), "rounding"),
    "program": (lambda d: d["text"].update(defines={"K": 3}), "K"),
}


@each("name", WRONG)
def test_another_run_and_what_is_damaged_are_refused(recorded: bytes, name: str) -> None:
    change, message = WRONG[name]
    assert re.search(message, refused(changed(recorded, change)))


def test_each_changed_bit_is_refused(recorded: bytes) -> None:
    draw = random.Random(5)
    for _ in range(200):
        at = draw.randrange(len(recorded))
        bit = bytes([recorded[at] ^ 1 << draw.randrange(8)])
        refused(recorded[:at] + bit + recorded[at + 1 :])
    for size in (0, 5, 20, 100, len(recorded) - 1):
        refused(recorded[:size])
    parts = {name: bytes(body) for name, body in parted(recorded, RECORDING).items()}
    for name in (DOCUMENT, PROGRAM, DATA):
        refused(joined({n: b for n, b in parts.items() if n != name}, RECORDING))


def test_what_no_recording_holds_is_refused_when_it_is_written(tmp_path: Path) -> None:
    np.save(tmp_path / "t.npy", np.zeros((4, 4), np.float32))
    one = Session(LOOP)
    one.declare(f'.sbuf t f32[4, 4] = "{tmp_path}/t.npy"')
    with pytest.raises(Refused, match="t was typed with values of a file"):
        one.recorded()


def test_a_recording_is_no_program(tmp_path: Path, recorded: bytes) -> None:
    path = tmp_path / "run.nrec"
    path.write_bytes(recorded)
    with pytest.raises(Failure, match="is a recording of a run"):
        nasm.run(path)
    assert Session.replayed(path).moment == Session.replayed(recorded).moment
    with pytest.raises(Failure, match="No such file"):
        Session.replayed(tmp_path / "other.nrec")
    assert made(LOOP)
