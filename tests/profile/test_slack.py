"""Slack: a record may be so much later, and one tick more makes some run longer."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from nasm.analysis.profile.slack import slack
from nasm.sim.history import History
from tests.parts import part
from tests.sim.random_runs import Line, Lines, Run, drawn


def plain(line: Line, rng: random.Random) -> Line:
    """A line that only waits for counters that rise, and posts when it completes."""
    wait = (line.wait[0], ">=", line.wait[2]) if line.wait else None
    update = (line.update[0], "+", 1, rng.random() < 0.3) if line.update else None
    return replace(
        line, wait=wait, update=update, reads=None, writes=None, sets=False, uses=False,
        ports=(), key=None, slow=0, move=None,
    )  # fmt: skip


def total(lines: Lines) -> tuple[int, History, bool]:
    history = History()
    run = Run(lines, history)
    return run.scheduler.now, history, run.hung


@pytest.mark.parametrize("first", part(range(0, 300, 100), 1))
def test_what_takes_longer_by_its_slack_makes_the_run_no_longer(first: int) -> None:
    tried = longer = 0
    for seed in range(first, first + 100):
        rng = random.Random(seed)
        lines = [[plain(line, rng) for line in its] for its in drawn(rng)]
        before, history, hung = total(lines)
        if hung:
            continue
        for number, late in enumerate(slack(history).tolist()):
            row = history[number]
            if row.kind or rng.random() < 0.7:
                continue
            for more in (late, late + 1):
                changed = [list(its) for its in lines]
                line = changed[row.queue][row.pc]
                changed[row.queue][row.pc] = replace(line, interval=line.interval + more)
                after, _, _ = total(changed)
                tried += 1
                longer += after > before
                assert after == before or more > late, (seed, number, late)
    assert tried > 100
    assert longer > tried / 8
