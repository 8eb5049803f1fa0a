"""What would fix a race is searched for when it is asked for, and is of the run as it was then."""

from __future__ import annotations

import copy
import gc
import pickle
import weakref

import pytest

import nasm
from nasm.analysis.hazards import races
from nasm.base.problems import LateProblem, Problem

RACE = """\
.target trn2
.sbuf a f32[128, 64] = zeros
.sbuf b f32[128, 64]
.sbuf c f32[128, 64]
.sem made
.for r in 0..4
@vector TensorCopy b, a  $made++
@scalar TensorCopy c, b  $made >= r + 1
.end
"""


def searched(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The faults for which a fix was searched."""
    found: list[object] = []
    search = races.Races._advised

    def watched(self: races.Races, fault: races.Fault) -> object:
        found.append(fault)
        return search(self, fault)

    monkeypatch.setattr(races.Races, "_advised", watched)
    return found


def test_only_a_hint_that_is_asked_for_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    found = searched(monkeypatch)
    report = nasm.Session(RACE).run()
    assert not report.ok
    (problem,) = report.hazards
    assert problem.code == "E0502"
    assert not found
    assert problem.hint.startswith("let line 8 say 'post b_free[r] @read', and let line 7 say ")
    assert found
    count = len(found)
    assert problem.facts["edits"] is not None
    assert "hint: " in str(report)
    assert len(found) == count


@pytest.mark.parametrize("changes", ["back", "typed", "run"])
def test_a_hint_is_of_the_run_that_was_reported(changes: str) -> None:
    wanted = nasm.Session(RACE).run().hazards[0].hint
    session = nasm.Session(RACE)
    session.run()
    (problem,) = session.report().hazards
    if changes == "back":
        session.restart()
    elif changes == "typed":
        session.execute("@vector TensorCopy b, a")
    else:
        session.execute("@scalar TensorCopy c, b")
        session.run()
    assert problem.hint == wanted


def test_a_race_is_copied_with_its_hint() -> None:
    (problem,) = nasm.Session(RACE).run().hazards
    assert isinstance(problem, LateProblem)
    for made in (pickle.loads(pickle.dumps(problem)), copy.copy(problem), copy.deepcopy(problem)):
        assert type(made) is Problem
        assert made == problem
        assert problem == made
        assert made.hint == problem.hint != ""
    assert problem != Problem("E0502", problem.message)


def test_a_hint_that_was_found_keeps_no_run() -> None:
    session = nasm.Session(RACE)
    (problem,) = session.run().hazards
    machine = weakref.ref(session.machine)
    assert problem.hint
    del session
    gc.collect()
    assert machine() is None
