"""The critical path is as long as the run; every step begins where the one before allowed it."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from nasm.analysis.profile.path import critical_path
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.sim.history import History
from tests.parts import part
from tests.profile.whole import whole
from tests.sim.random_runs import DELAY, DISPATCH, NOTIFY, Run, drawn
from tests.test_toy_cores import SWAP
from tests.toy.target import TARGETS as TOY

PROGRAMS = sorted((Path(__file__).parents[2] / "programs").glob("*.nasm"))


@pytest.mark.parametrize("first", part(range(0, 400, 50), 4))
def test_a_path_is_as_long_as_a_random_run_and_leaves_nothing_over(first: int) -> None:
    edges: set[str] = set()
    for seed in range(first, first + 50):
        history = History()
        run = Run(drawn(random.Random(seed)), history, interlock=seed % 5 > 0)
        if not len(history):
            assert critical_path(history) == ()
            continue
        total = int(history.column("finish").max())
        edges |= whole(history, total)
        assert run.hung or total == run.scheduler.now, seed
        leads = {"hand-off": DELAY, "notification": NOTIFY, "dispatch": DISPATCH}
        for step in critical_path(history):
            if step.lead in leads and step.start > step.begin:
                assert step.start - step.begin == leads[step.lead], (seed, step)
    assert {"order", "unit", "port", "result", "engine", "transfer", "issue"} <= edges


@pytest.mark.parametrize("path", part(PROGRAMS, 6), ids=lambda path: path.stem)
def test_so_it_is_in_programs(path: Path) -> None:
    session, history = Session.load(source_of(path)), History()
    session.machine.scheduler.observe(history)
    session.run(hashes=False)
    whole(history, session.now)


@pytest.mark.parametrize("direct", [False, True])
def test_so_it_is_where_cores_exchange_tiles(direct: bool) -> None:
    text = SWAP
    if direct:
        text = SWAP.replace("Swap  y, x", "Swap y, x, true").replace(
            "Swap  q, p", "Swap q, p, true"
        )
    session, history = Session.load(Source("toy.nasm", text), targets=TOY), History()
    session.machine.scheduler.observe(history)
    session.run(hashes=False)
    edges = whole(history, session.now)
    assert direct or "core" in edges
