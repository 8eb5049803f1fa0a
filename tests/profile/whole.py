"""What holds for the critical path of every run."""

from __future__ import annotations

import itertools

from nasm.analysis.profile.path import COMPLETION, critical_path
from nasm.analysis.profile.slack import slack
from nasm.sim.history import History
from nasm.sim.recording import Recording
from nasm.sim.replay import Replay
from nasm.sim.scheduler import Scheduler


def whole(history: History, total: int) -> set[str]:
    """Check a path and slack along it; returns the edges it has."""
    steps = critical_path(history)
    assert steps[0].begin == 0
    assert steps[-1].end == total
    assert all(a.end == b.begin for a, b in itertools.pairwise(steps))
    late = slack(history)
    assert len(late) == len(history)
    assert (late >= 0).all()
    for step in steps:
        assert step.begin <= step.start <= step.end, step
        assert step.lead or step.begin == step.start, step
        assert step.work or step.start == step.end, step
        assert sum(ticks for _, ticks in step.parts) == step.ticks
        assert not late[step.record] or step.edge == COMPLETION, step
        if step.lead == "order":
            assert step.start - step.begin == 1
    return {step.edge for step in steps}


def again(history: History, recording: Recording, scheduler: Scheduler) -> None:
    """Check that a replay of a run that has ended has every start of it."""
    replay = Replay(history, recording, scheduler)
    assert replay.run() == scheduler.now
    assert replay.starts == {number: history[number].start for number in recording.tasks}
