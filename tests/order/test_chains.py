"""A chain leads from an event to a start, each link of it by the definition of order."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.order.chains import IN_ORDER, MET, WAITED, ChainLink, Chains
from nasm.order.skeleton import LANDS, Event, Step
from tests.order.judged import clocks, definition
from tests.order.oracle import TooLarge, events, rising, steps
from tests.order.skeletons import EVENTS, KINDS, RISING, Drawn, drawn, executed
from tests.parts import part

ROOT = Path(__file__).parents[2]


def follows(event: Event, link: ChainLink) -> bool:
    """Whether what a chain begins with is the event, or comes later in the same queue."""
    queue, index = link.earlier
    if queue != event.queue or event.kind > link.kind:
        return False
    return event.index == index if event.kind == LANDS else event.index <= index


def chains_of(one: Drawn) -> Counter[str]:
    """Look at every chain of a skeleton; returns how many links of each kind there are."""
    order, before = clocks(one), definition(one.skeleton, 20_000)
    chains, kinds = Chains(order), Counter[str]()
    waits = [step.wait.counter for step in steps(one.skeleton) if step.wait is not None]
    plain = rising(one.skeleton) and not any(map(order.goes_down, waits))
    for event in events(one.skeleton):
        for start in steps(one.skeleton):
            at = start.queue, start.index
            links = chains.chain(event, at)
            ordered = order.before(event, *at)
            exact = plain and not _together(one, event, start)
            assert bool(links) == ordered if exact else bool(links) <= ordered
            if not links:
                continue
            assert links[-1].later == at
            assert follows(event, links[0]), (event, at, links)
            for link, following in pairwise(links):
                assert following.earlier == link.later
            for link in links:
                kinds[link.how] += 1
                if link.how != MET and link.alone:
                    assert before(Event(link.kind, *link.earlier), *link.later), (event, at, link)
                if link.how == WAITED and link.posted:
                    assert link.wait is not None
                    assert link.posted - link.through < link.wait.value <= link.posted
    return kinds


def _together(one: Drawn, event: Event, start: Step) -> bool:
    fellow = one.skeleton[event.queue][event.index].meeting == start.meeting >= 0
    return (event.queue, event.index) == (start.queue, start.index) or fellow


@pytest.mark.parametrize("kind", [RISING, EVENTS, *(k for k in KINDS if k not in (RISING, EVENTS))])
def test_each_link_is_one_by_the_definition(kind: str) -> None:
    kinds = Counter[str]()
    for seed in part(range(400), 25):
        one = drawn(seed, kind)
        for run in (one, executed(one.skeleton, Random(seed))):
            with suppress(TooLarge):
                kinds += chains_of(run)
    assert kinds[WAITED] > 50
    assert kinds[IN_ORDER] > 20


# -- two lines of a text


def test_two_lines_of_a_program_and_the_waits_between_them() -> None:
    session = nasm.Session(MATMUL)
    session.run()
    answer = session.order(16, 19)
    assert answer.ordered
    assert not answer.sharing
    assert [step.span.line for step in answer.steps if step.span] == [17, 18, 19]
    assert "waits for $loaded >= 32" in answer.steps[0].text
    assert "of at most 32 only 16 can be posted without it" in answer.steps[0].text
    assert str(nasm.check(MATMUL, why=(16, 19)).order) == str(answer)


def test_what_is_missing_between_two_lines_that_race() -> None:
    text = MATMUL.replace("$multiplied >= 1", "")
    answer = nasm.check(text, why=(18, 19)).order
    assert answer is not None
    assert (answer.ordered, answer.sharing) == (False, True)
    assert answer.summary.startswith("nothing orders tensor pc 1 (MultiplyMoving) of line 18 and")
    assert "nothing of tensor has certainly completed" in answer.steps[0].text


def test_every_pair_of_rounds_that_share_bytes_is_looked_at() -> None:
    text = """.target trn2
.sbuf x f32[128, 8]
.sbuf y f32[128, 8]
.sem made, used
.for k in 0..4
@vector Memset x, 1.0 $used >= {wait} $made++
@scalar TensorCopy y, x $made >= k + 1 $used++
.end
"""
    answer = nasm.check(text.format(wait="k"), why=(6, 7)).order
    assert answer is not None
    assert (answer.ordered, answer.pairs) == (True, 16)
    answer = nasm.check(text.format(wait="min(k, 2)"), why=(6, 7)).order
    assert answer is not None
    assert not answer.ordered
    assert answer.first == "vector pc 3 (Memset) of line 6"
    assert answer.second == "scalar pc 2 (TensorCopy) of line 7"


def test_lines_that_were_not_executed_are_refused() -> None:
    with pytest.raises(Failure, match="no instruction of line 2 was executed"):
        nasm.check(MATMUL, why=(2, 19))


MATMUL = (ROOT / "programs" / "matmul.nasm").read_text(encoding="utf-8")
