"""Chips and the links between them: where a rank is, and which links a transfer takes.

Ranks count through the cores of a chip, then the chips of an instance row by row (the numbers of
neuron-ls), then the instances of an UltraServer, then further UltraServers or instances, which
EFA connects.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from nasm.base.problems import Refused, did_you_mean
from nasm.base.records import dataclass, replace
from nasm.isa.evidence import Evidence, Fact
from nasm.targets.neuron.collectives.figures import TRN1, TRN2, TRN3, facts

UNKNOWN = "E0818"

EFA = "efa_bytes_per_ns"
LINK, Z_LINK = "neuronlink_bytes_per_ns", "neuronlink_z_bytes_per_ns"
SERVER, RACK, RACK_LINK = (
    "switch_server_bytes_per_ns",
    "switch_rack_bytes_per_ns",
    "rack_link_bytes_per_ns",
)


class ChipLink(NamedTuple):
    """One direction of a link: the figure of its rate, and the chips (or a switch, -1)."""

    figure: str
    source: int
    target: int


@dataclass(frozen=True, slots=True)
class Topology:
    """Chips of one domain of NeuronLink, and how they are connected.

    ``grid`` are the rows and columns of an instance's torus, or the servers of a rack and the
    chips of a server where switches connect them; ``layers`` the instances of an UltraServer, or
    its racks. ``cores`` are the physical ones of a chip, ``lnc`` how many are a rank.
    """

    name: str
    generation: str
    grid: tuple[int, int]
    layers: int
    cores: int
    lnc: int
    switched: bool
    source: str
    figures: tuple[tuple[str, Fact], ...] = ()

    @property
    def ranks_per_chip(self) -> int:
        """The logical cores of a chip."""
        return self.cores // self.lnc

    @property
    def chips(self) -> int:
        """The chips that NeuronLink connects."""
        return self.grid[0] * self.grid[1] * self.layers

    @property
    def ranks(self) -> int:
        """The ranks that NeuronLink connects: more are further domains, over EFA."""
        return self.chips * self.ranks_per_chip

    def fact(self, figure: str) -> Fact:
        """A figure: the topology's own, or its generation's."""
        own = dict(self.figures).get(figure)
        return facts(self.generation)[figure] if own is None else own

    def timed(self, numbers: Mapping[str, Fact]) -> Topology:
        """The same with the figures of a generation as a run has them; its own go first."""
        known = facts(self.generation)
        changed = {n: numbers[n] for n, fact in known.items() if numbers.get(n, fact) != fact}
        return replace(self, figures=tuple({**changed, **dict(self.figures)}.items()))

    def chip(self, rank: int) -> int:
        """The chip of a rank, counted through all domains."""
        return rank // self.ranks_per_chip

    def domain(self, rank: int) -> int:
        """Which domain of NeuronLink a rank is in."""
        return rank // self.ranks

    def route(self, source: int, target: int) -> tuple[ChipLink, ...]:
        """The links from one chip to another, in order; none within a chip.

        In a torus along a row, then a column, then through the instances, the shorter way round
        (of two equal ones the ascending): which way the hardware takes is not documented.
        """
        if source == target:
            return ()
        if source // self.chips != target // self.chips:
            return (ChipLink(EFA, source, -1), ChipLink(EFA, -1, target))
        if self.switched:
            return self._switched(source, target)
        return self._torus(source, target)

    def links(self, first: int, second: int) -> tuple[ChipLink, ...]:
        """The links that data from one rank to another takes."""
        return self.route(self.chip(first), self.chip(second))

    def shared(self, one: tuple[int, int], other: tuple[int, int]) -> tuple[ChipLink, ...]:
        """The links that two transfers between ranks have in common."""
        theirs = set(self.links(*other))
        return tuple(link for link in self.links(*one) if link in theirs)

    def place(self, chip: int) -> tuple[int, int, int]:
        """Row, column and layer of a chip in its domain."""
        layer, within = divmod(chip % self.chips, self.grid[0] * self.grid[1])
        return (*divmod(within, self.grid[1]), layer)

    def _at(self, place: tuple[int, int, int], like: int) -> int:
        row, column, layer = place
        first = like // self.chips * self.chips
        return first + (layer * self.grid[0] + row) * self.grid[1] + column

    def _torus(self, source: int, target: int) -> tuple[ChipLink, ...]:
        here, there = list(self.place(source)), self.place(target)
        sizes = (*self.grid, self.layers)
        passed = [source]
        for axis in (1, 0, 2):
            for _ in range(min(_ways(here[axis], there[axis], sizes[axis]))):
                up, down = _ways(here[axis], there[axis], sizes[axis])
                here[axis] = (here[axis] + (1 if up <= down else -1)) % sizes[axis]
                passed.append(self._at((here[0], here[1], here[2]), source))
        area = self.grid[0] * self.grid[1]
        return tuple(
            ChipLink(Z_LINK if a // area != b // area else LINK, a, b) for a, b in pairwise(passed)
        )

    def _switched(self, source: int, target: int) -> tuple[ChipLink, ...]:
        here, there = self.place(source), self.place(target)
        links: list[ChipLink] = []
        if here[2] != there[2]:
            beyond = self._at((here[0], here[1], there[2]), source)
            links.append(ChipLink(RACK_LINK, source, beyond))
            source, here = beyond, (here[0], here[1], there[2])
        if source != target:
            figure = SERVER if here[0] == there[0] else RACK
            links += [ChipLink(figure, source, -1), ChipLink(figure, -1, target)]
        return tuple(links)

    def cycles(self, chips: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
        """Closed ways through chips that rings take in parallel, one for each channel.

        Two Hamiltonian cycles that share no link through the whole of a square torus, otherwise
        one, to and fro along the rows; each is taken in both directions where that are other links.
        """
        return _cycles(self, chips)


def _ways(here: int, there: int, size: int) -> tuple[int, int]:
    """How far it is, ascending and descending, round a ring."""
    return (there - here) % size, (here - there) % size


@lru_cache(maxsize=256)
def _cycles(topology: Topology, chips: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    if len(chips) < 2:
        return (chips,)
    rows, columns = topology.grid
    area = rows * columns
    first = min(chips)
    whole = set(chips) == set(range(first, first + area)) and first % area == 0
    if whole and rows == columns and rows > 2 and not topology.switched:
        diagonal = [
            first + row * columns + (column - row) % columns
            for row in range(rows)
            for column in range(columns)
        ]
        turned = [
            first + (row - column) % rows * columns + column
            for column in range(columns)
            for row in range(rows)
        ]
        found = [tuple(diagonal), tuple(turned)]
    else:
        found = [tuple(sorted(chips, key=lambda chip: _to_and_fro(topology, chip)))]
    if len(chips) == 2:
        return tuple(found)
    return (*found, *(tuple(reversed(cycle)) for cycle in found))


def _to_and_fro(topology: Topology, chip: int) -> tuple[int, int, int, int]:
    """Orders chips so that each is next to the last: every second row, and layer, backwards."""
    row, column, layer = topology.place(chip)
    row = topology.grid[0] - 1 - row if layer % 2 else row
    return chip // topology.chips, layer, row, -column if row % 2 else column


# ---------------------------------------------------------------- those that have names

_TRN1N = Fact(
    96,
    Evidence.ASSUMED,
    f"{TRN1}: 768 GB/s a chip of trn1n.32xlarge; that four neighbours share it, half in each "
    "direction, is assumed",
)
_TRN1N_EFA = Fact(
    12.5, Evidence.ASSUMED, f"{TRN1}: 1,600 Gbps of trn1n.32xlarge, shared evenly by 16 chips"
)

NAMED = (
    Topology("trn1.2xlarge", "v2", (1, 1), 1, 2, 1, switched=False, source=TRN1),
    Topology("trn1.32xlarge", "v2", (4, 4), 1, 2, 1, switched=False, source=TRN1),
    Topology(
        "trn1n.32xlarge",
        "v2",
        (4, 4),
        1,
        2,
        1,
        switched=False,
        source=TRN1,
        figures=((LINK, _TRN1N), (EFA, _TRN1N_EFA)),
    ),
    Topology("trn2.48xlarge", "v3", (4, 4), 1, 8, 2, switched=False, source=TRN2),
    Topology("trn2u.48xlarge", "v3", (4, 4), 1, 8, 2, switched=False, source=TRN2),
    Topology("trn2-ultraserver", "v3", (4, 4), 4, 8, 2, switched=False, source=TRN2),
    Topology(
        "trn3-gen1-ultraserver",
        "v4",
        (4, 16),
        1,
        8,
        2,
        switched=True,
        source=f"{TRN3}; the rates of a server of 4 chips, taken for one of 16",
    ),
    Topology(
        "trn3-gen2-ultraserver",
        "v4",
        (18, 4),
        2,
        8,
        2,
        switched=True,
        source=f"{TRN3}; that its 36 servers are in two racks is assumed",
    ),
)
"""The instances and UltraServers of AWS's pages, with the logical cores that they have at first."""

USUAL = {"v2": "trn1.32xlarge", "v3": "trn2.48xlarge", "v4": "trn3-gen1-ultraserver"}
"""What ranks of a generation are taken to run on if nothing is given."""


def named(name: str) -> Topology:
    """The topology of a name; raises Refused with those there are."""
    for topology in NAMED:
        if topology.name == name:
            return topology
    known = [topology.name for topology in NAMED]
    hint = did_you_mean(name, known) or f"there are {', '.join(known)}, or a file in TOML or JSON"
    raise Refused(UNKNOWN, f"no topology '{name}'", hint)


def usual(generation: str, cores: int) -> Topology:
    """What ranks of so many physical cores run on if nothing is given."""
    return replace(named(USUAL[generation]), lnc=cores)
