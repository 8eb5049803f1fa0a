"""Mesh, RDH, KangaRing and ring: the stages of each, from AWS's pages on collectives.

``chunk`` is C of those pages: what a rank gives to an all-gather, or gets from a reduce-scatter.
The pages describe whole chips of four ranks; what parts of chips do is assumed to be the same.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from typing import Literal

from nasm.targets.neuron.collectives.stages import (
    CHANNEL,
    EFA_HOP,
    HOP,
    NO_LINK,
    Stage,
    Transferred,
    between,
    busiest,
    spread,
)
from nasm.targets.neuron.collectives.topology import ChipLink, Topology

Pairs = tuple[tuple[int, int], ...]
"""Which rank sends to which."""

Flows = Iterator[tuple[tuple[ChipLink, ...], float]]

Weight = Literal["source", "target", "both"]
_WEIGHTS: Mapping[Weight, Callable[[int, int], int]] = {
    "source": lambda ranks, _: ranks,
    "target": lambda _, others: others,
    "both": operator.mul,
}
"""How many times as much goes from one chip to another, by their ranks."""


class Members:
    """Ranks of one domain that take part, by chip."""

    def __init__(self, ranks: Sequence[int], topology: Topology) -> None:
        self.ranks, self.topology = tuple(ranks), topology
        self.on: dict[int, int] = {}
        for rank in ranks:
            chip = topology.chip(rank)
            self.on[chip] = self.on.get(chip, 0) + 1
        self._patterns: dict[str, Transferred] = {}

    @property
    def count(self) -> int:
        """N of the pages."""
        return len(self.ranks)

    @property
    def chips(self) -> int:
        """How many chips they are on."""
        return len(self.on)

    @property
    def most(self) -> int:
        """The ranks of the fullest chip."""
        return max(self.on.values())

    @property
    def doubling(self) -> bool:
        """Whether recursive doubling can pair their chips: as many ranks on each, 2^p chips."""
        return len(set(self.on.values())) == 1 and self.chips & (self.chips - 1) == 0

    @property
    def pairs(self) -> bool:
        """Whether every rank of several chips takes part, in pairs: what KangaRing needs."""
        per_chip = self.topology.ranks_per_chip
        return self.chips > 1 and per_chip % 2 == 0 and set(self.on.values()) == {per_chip}

    @cached_property
    def cycles(self) -> tuple[tuple[int, ...], ...]:
        """The closed ways through their chips."""
        return self.topology.cycles(tuple(sorted(self.on)))

    def scattered(self, size: float, weight: Weight) -> Transferred:
        """Every chip sends to every other at once: ``size`` bytes, times a weight of both."""
        return self._once(weight, self._scattered(weight)).times(size)

    def _scattered(self, weight: Weight) -> Flows:
        for a, ranks in self.on.items():
            for b, others in self.on.items():
                if a != b:
                    yield self.topology.route(a, b), _WEIGHTS[weight](ranks, others)

    def round(self, size: float) -> Transferred:
        """``size`` bytes round the cycles, shared evenly by them."""
        part = size / len(self.cycles)
        channel = Transferred(part / self.topology.fact(CHANNEL).value, CHANNEL)
        return max(channel, self._once("round", self._round()).times(part))

    def _round(self) -> Flows:
        for cycle in self.cycles:
            for a, b in pairwise((*cycle, cycle[0])):
                yield self.topology.route(a, b), 1

    def doubled(self, chunk: float) -> Transferred:
        """Recursive doubling: the steps one after the other, twice as much in each."""
        total, figure = 0.0, ""
        for step in range(self.chips.bit_length() - 1):
            ns, by = self._once(f"step {step}", self._exchanged(step))
            total, figure = total + ns * self.most * chunk * 2**step, by or figure
        return Transferred(total, figure)

    def _exchanged(self, step: int) -> Flows:
        chips = sorted(self.on, key=self._corner)
        for place, chip in enumerate(chips):
            yield self.topology.route(chip, chips[place ^ 1 << step]), 1

    def _once(self, pattern: str, flows: Flows) -> Transferred:
        """What flows of single bytes take; a pattern of these ranks is followed once."""
        if pattern not in self._patterns:
            self._patterns[pattern] = busiest(self.topology, spread(flows))
        return self._patterns[pattern]

    def _corner(self, chip: int) -> tuple[int, ...]:
        """The corner of a hypercube that a chip is: neighbours of a ring of four share an edge."""
        row, column, layer = self.topology.place(chip)
        return tuple(c ^ c >> 1 for c in (layer, row, column))


# ---------------------------------------------------------------- mesh


def mesh_gather(of: Members, chunk: float) -> list[Stage]:
    """To all other chips at once by routing, then among the ranks of a chip."""
    stages = []
    if of.chips > 1:
        sent = chunk * (of.chips - 1)
        stages.append(Stage("to chips", 1, of.scattered(chunk, "source"), sent, sent))
    return [*stages, *_within(of, chunk)]


def _within(of: Members, chunk: float) -> list[Stage]:
    """Each rank of a chip gives the others what it has of every chip."""
    moved = of.chips * chunk * (of.most - 1)
    return [Stage("within chips", 1, NO_LINK, moved, moved)] if moved else []


def mesh_scatter(of: Members, chunk: float) -> list[Stage]:
    """Sums of a chip to the ranks of all others, then what came from each chip is added."""
    stages = []
    if of.chips > 1:
        others = chunk * (of.chips - 1)
        links = of.scattered(chunk, "target")
        stages.append(Stage("sums to chips", 1, links, of.most * others, others))
    arrived = chunk * (of.chips - 1 + of.most)
    return [*stages, Stage("sum of chips", 1, NO_LINK, arrived, chunk)]


def mesh_once(of: Members, size: float) -> list[Stage]:
    """All of it to all others, each of whom adds: one hop, and more bytes."""
    links = of.scattered(size, "both")
    sent = size * (of.count - 1)
    return [Stage("all to all ranks", 1, links, sent + size * of.count, sent + size)]


def mesh_exchange(of: Members, chunk: float) -> list[Stage]:
    """A chunk from each rank to each other."""
    sent = chunk * (of.count - 1)
    links = of.scattered(chunk, "both")
    return [Stage("chunks to ranks", 1, links, sent, sent)]


# ---------------------------------------------------------------- RDH


def rdh_gather(of: Members, chunk: float) -> list[Stage]:
    """Doubling between chips, then among the ranks of a chip."""
    stages = []
    if of.chips > 1:
        sent = chunk * (of.chips - 1)
        hops = of.chips.bit_length() - 1
        stages.append(Stage("doubling", hops, of.doubled(chunk), sent, sent))
    return [*stages, *_within(of, chunk)]


def rdh_scatter(of: Members, chunk: float) -> list[Stage]:
    """Sums within chips, then halving between them."""
    part = of.count / of.most * chunk
    stages = [Stage("sums within chips", 1, NO_LINK, of.most * part, part)]
    if of.chips > 1:
        sent = chunk * (of.chips - 1)
        hops = of.chips.bit_length() - 1
        stages.append(Stage("halving", hops, of.doubled(chunk), 2 * sent, sent))
    return stages


# ---------------------------------------------------------------- rings


def ring_gather(of: Members, chunk: float) -> list[Stage]:
    """Every chunk once round, from rank to rank."""
    steps = of.count - 1
    return [Stage("round the ring", steps, of.round(steps * chunk), steps * chunk, steps * chunk)]


def ring_scatter(of: Members, chunk: float) -> list[Stage]:
    """The same with a sum at each rank, in slices."""
    steps = of.count - 1
    links, once = of.round(steps * chunk), steps * chunk
    return [Stage("sums round the ring", steps, links, 2 * once, once, sliced=True)]


def kangaring_gather(of: Members, chunk: float) -> list[Stage]:
    """Primaries pass two chunks on, and duplicate each to their secondary: one read, two writes."""
    steps = of.count // 2
    once = (steps - 1) * chunk
    return [Stage("round the primaries", steps, of.round(2 * once), once, 2 * once)]


def kangaring_scatter(of: Members, chunk: float) -> list[Stage]:
    """Primaries add what they receive to two chunks: three reads, one write."""
    steps = of.count // 2
    once = (steps - 1) * chunk
    links = of.round(2 * once)
    return [Stage("sums round the primaries", steps, links, 3 * once, once, sliced=True)]


def permute(
    of: Members, size: float, channels: int, pairs: Pairs = (), *, reduces: bool = False
) -> list[Stage]:
    """A tensor from one rank to another, for each pair, or from each to its successor in a ring.

    Each channel takes an equal part of the ``size``; a pair on two instances is a hop between them.
    """
    where = of.topology
    sent = pairs or tuple(pairwise((*of.ranks, of.ranks[0])))
    channel = Transferred(size / channels / where.fact(CHANNEL).value, CHANNEL)
    links = max(channel, busiest(where, spread((where.links(a, b), size) for a, b in sent)))
    far = any(where.domain(a) != where.domain(b) for a, b in sent)
    name, hop = ("to the pair" if pairs else "to the successor"), (EFA_HOP if far else HOP)
    return [Stage(name, 1, links, size * (2 if reduces else 1), size, hop)]


# ---------------------------------------------------------------- between instances


def between_gather(how: str, of: Members, nodes: int, chunk: float) -> list[Stage]:
    """Ranks of the same index on every instance: ``how`` is mesh, rdh or ring."""
    sent = chunk * (nodes - 1)
    links = between(of.topology, of.most, sent)
    return [Stage(f"{how} between", _hops(how, nodes), links, sent, sent, EFA_HOP)]


def between_scatter(how: str, of: Members, nodes: int, chunk: float) -> list[Stage]:
    """The same with sums, in slices."""
    sent = chunk * (nodes - 1)
    links = between(of.topology, of.most, sent)
    name = f"sums by {how} between"
    return [Stage(name, _hops(how, nodes), links, 2 * sent, sent, EFA_HOP, sliced=True)]


def between_exchange(of: Members, nodes: int, chunk: float) -> list[Stage]:
    """Chunks for every rank of other instances."""
    sent = chunk * of.count * (nodes - 1)
    links = between(of.topology, of.most, sent)
    return [Stage("chunks between", 1, links, sent, sent, EFA_HOP)]


def _hops(how: str, nodes: int) -> int:
    return {"mesh": 1, "rdh": (nodes - 1).bit_length(), "ring": nodes - 1}[how]
