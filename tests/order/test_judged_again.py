"""The order of a run that goes back: what was judged stays so, until the run takes another way."""

import pytest

import nasm
from nasm.base.source import Source
from nasm.order import check
from nasm.order.clocks import Order
from nasm.order.skeleton import Step
from nasm.order.trial import Trials

COPIES = """
.target trn2
.hbm a f32[128, 64] = iota
.sbuf b f32[128, 64]
.sbuf c f32[128, 64]
.sem loaded
.for i in 0..6
@sync DmaCopy b, a  $loaded += 16
@sync EventSemaphore $loaded >= 16 * (i + 1)
.end
.for i in 0..6
@vector TensorCopy c, b  $loaded >= 96
.end
"""

TEXT = Source("copies", COPIES)


def problems_of(session: nasm.Session) -> list[tuple[str, str]]:
    judged = session.judged()
    return [(problem.code, problem.message) for problem in (*judged.errors, *judged.warnings)]


def afresh(count: int, *skipped: str) -> list[tuple[str, str]]:
    """What is told of a run to where so many have completed, judged once."""
    session = nasm.Session(nasm.assemble(TEXT), keep=0)
    session.step(count=count)
    for engine in skipped:
        session.skip(engine)
        session.step()
    return problems_of(session)


def test_what_was_judged_is_not_judged_again_behind_it_nor_on_the_way_there() -> None:
    session = nasm.Session(nasm.assemble(TEXT))
    session.run()
    assert problems_of(session) == afresh(18)
    ordering = session.ordering
    assert ordering is not None
    order = ordering.judged().order
    for count in (17, 9, 12, 3, 18):
        session.goto("start")
        session.step(count=count)
        assert problems_of(session) == afresh(count), count
        assert ordering.judged().order is order


@pytest.mark.parametrize("ahead", [True, False])
def test_another_way_is_judged_anew(ahead: bool) -> None:
    """The wait of the copy is skipped: it reads what a transfer may still be writing."""
    session = nasm.Session(nasm.assemble(TEXT))
    if ahead:
        session.run()
        problems_of(session)
        session.goto("start")
    session.step(count=5)
    session.skip("sync")
    session.step()
    assert [code for code, _ in problems_of(session)] == ["E0502"]
    assert problems_of(session) == afresh(5, "sync")


RACE = """
.target trn2
.sbuf a f32[128, 64]
.sbuf b f32[128, 64]
.sem written
.for i in 0..100
@vector Memset a, 1.0  $written++
@scalar Activation b, a, op=exp  $written >= i + 1
.end
"""


def test_a_wait_that_fixes_nothing_is_tried_on_a_part_of_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(check, "LONG", 100)
    session = nasm.Session(nasm.assemble(Source("race", RACE)), values=False, keep=0)
    session.step(count=200)
    assert session.ordering is not None
    judged = session.ordering.judged()
    assert judged.parts == (25, 200)
    taken: list[Step] = []
    take = Order.take

    def counted(order: Order, step: Step) -> None:
        taken.append(step)
        take(order, step)

    monkeypatch.setattr(Order, "take", counted)
    (race,) = judged.races
    writer = race.first if race.first.writes else race.second
    more = {(writer.queue, 1): [judged.end(race.first)]}  # one round of a hundred
    assert not Trials(judged).mends(more, [race])
    assert len(taken) <= 26
