"""Shares of a transfer that go their own ways deliver what all of it would together."""

from __future__ import annotations

import random

import numpy as np
import pytest

import nasm
from nasm.isa.effects import SUM, Plan, Share, Transfer
from nasm.views.view import View
from tests.parts import part

TEXT = """\
.target trn2
.hbm  h f32[48, 40] = iota
.hbm  k f32[48, 40] = iota
.sbuf s f32[48, 40] = zeros
.sbuf t f32[40, 48] = zeros
@sync Nop
"""


def cut(chance: random.Random, size: int) -> slice:
    """Some of an axis."""
    low = chance.randrange(size)
    return slice(low, chance.randrange(low + 1, size + 1), chance.choice((1, 1, 1, 2, 3)))


def drawn(chance: random.Random, session: nasm.Session) -> tuple[Transfer, View]:
    """A copy, a sum or a transposition of parts of tensors, and what it writes."""
    tensors = session.program.tensors
    h, k, s, t = (View.whole(tensors[name]) for name in "hkst")
    place = [cut(chance, 48), cut(chance, 40)]
    if chance.random() < 0.2:
        rows = slice(0, 48, 1)
        into = t.index([place[1], rows])
        return Transfer(((into, h.index([rows, place[1]])),), axes=(1, 0)), into
    into = s.index(place)
    if chance.random() < 0.3:
        return Transfer(((into, h.index(place), k.index(place)),), op=SUM), into
    return Transfer(((into, h.index(place)),)), into


@pytest.mark.parametrize("seed", part(range(160), 40))
def test_parts_deliver_what_the_whole_would(seed: int) -> None:
    chance = random.Random(seed)
    session = nasm.Session(TEXT)
    session.run()
    machine = session.machine
    transfer, into = drawn(chance, session)
    plan_of = session.program.target.plan
    assert plan_of is not None
    plan = plan_of(transfer, session.program.generation, "sync")
    every = list(range(len(plan.shares)))
    who = next((n, 0) for n, queue in enumerate(session.program.queues) if len(queue))
    written = machine.addresses.access(into)
    made = sum(machine.addresses.access(src).elements for src in transfer.moves[0][1:])
    for _ in range(3):
        bound = machine.transfers.bind(transfer, plan)
        cargo = bound.cargo(bound.start(who), who)
        written.put_elements(np.full(into.shape, -1, np.float32))
        first = [n for n in every if chance.random() < 0.8]
        starts = [first, [n for n in every if n not in first]] if chance.random() < 0.5 else [every]
        flying = [(shares, cargo.read(shares)) for shares in starts]
        while flying:
            shares, payload = flying.pop(chance.randrange(len(flying)))
            few = [n for n in shares if chance.random() < 0.4]
            if chance.random() < 0.3 or not few:
                cargo.write(shares, payload)
                continue
            some, rest = cargo.part(shares, payload, few)
            flying += [(few, some), ([n for n in shares if n not in few], rest)]
        assert (written.elements == (made.T if transfer.axes else made)).all()


@pytest.mark.parametrize("shares", [(0,), (1,), (2,), (0, 1), (0, 2), (1, 2), (0, 1, 2)])
def test_pieces_of_several_moves_are_each_of_one(shares: tuple[int, ...]) -> None:
    """Where a share ends in one move and another begins there in the next, nothing is joined."""
    session = nasm.Session(TEXT)
    h, k, s = (View.whole(session.program.tensors[name]) for name in "hks")
    first = (s.index([slice(0, 4)]), h.index([slice(0, 4)]))
    second = (s.index([slice(4, 12)]), k.index([slice(4, 12)]))
    ranges = (((0, 0, 80), (1, 0, 80)), ((0, 80, 160), (1, 160, 320)), ((1, 80, 160),))
    plan = Plan(tuple(Share(n, one, 1, 1, 1) for n, one in enumerate(ranges)), 0, 0, 0)
    transfer = Transfer((first, second))
    cuts = list(session.machine.transfers.cuts(transfer, plan, shares))
    found = [(move, at) for move, begin, end, _ in cuts for at in range(begin, end)]
    wanted = {
        (move, at) for n in shares for move, begin, end in ranges[n] for at in range(begin, end)
    }
    assert sorted(found) == sorted(wanted)
    for move, begin, end, views in cuts:
        assert [view.size for view in views] == [end - begin] * 2
        assert views[1].tensor.name == "hk"[move]
        assert views[1].offset == transfer.moves[move][1].offset + 4 * begin
