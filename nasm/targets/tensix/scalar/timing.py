"""How long instructions of the scalar, configuration, miscellaneous and sync units take.

Cycles, from the tables of the units' pages in the public ISA documentation of Wormhole B0. Where
they give a lower bound, an instruction is taken to need just that.
"""

from __future__ import annotations

from typing import Final, NamedTuple

_PAGES: Final = {
    "scalar": "ISA documentation, ScalarUnit",
    "configuration": "ISA documentation, ConfigurationUnit",
    "misc": "ISA documentation, MiscellaneousUnit",
    "sync": "ISA documentation, SyncUnit",
}


class Pace(NamedTuple):
    """How a unit takes instructions of a kind.

    ``busy`` cycles pass before the unit takes the next; the result is there after ``latency``.
    ``shared``: one in the whole tile, otherwise one for each thread. ``blocks``: the thread issues
    nothing else for ``busy`` cycles. ``least``: the page gives a lower bound.
    """

    unit: str
    busy: int
    latency: int
    shared: bool
    blocks: bool = False
    least: bool = False

    @property
    def source(self) -> str:
        """The page it is from."""
        return _PAGES[self.unit]


LOAD_LATENCY: Final = 10
"""Cycles until a load's register has it: three to issue, and seven more as LOADIND's page says."""
ATOMIC_LATENCY: Final = 27
"""The same for ATINCGET: three to issue and 24 more."""
ATOMIC_INTERVAL: Final = 12
"""Cycles from one ATINCGET or ATSWAP to the next, by the requests that may be in flight."""
RETRY: Final = 15
"""Cycles of each attempt of ATCAS and ATINCGETPTR."""


def _scalar(cycles: int, latency: int = 0, least: bool = False) -> Pace:
    return Pace("scalar", cycles, latency or cycles, shared=True, blocks=True, least=least)


_MISC = Pace("misc", 1, 1, shared=False)
_SEMAPHORE = Pace("sync", 1, 1, shared=True)
_MUTEX = Pace("sync", 1, 1, shared=False)
_ALTERS = Pace("configuration", 1, 1, shared=True)
_COUNTERS = (
    "SETADC",
    "SETADCXX",
    "SETADCXY",
    "SETADCZW",
    "INCADCXY",
    "INCADCZW",
    "ADDRCRXY",
    "ADDRCRZW",
)

PACES: Final = {
    "DMANOP": _scalar(1),
    "SETDMAREG": _scalar(1),
    "REG2FLOP": _scalar(2, least=True),
    "FLUSHDMA": _scalar(2, least=True),
    **{name: _scalar(3, least=True) for name in ("STOREIND", "STOREREG")},
    "ATSWAP": _scalar(3, least=True),
    "LOADIND": _scalar(3, LOAD_LATENCY, least=True),
    "LOADREG": _scalar(3, LOAD_LATENCY, least=True),
    "ATINCGET": _scalar(3, ATOMIC_LATENCY, least=True),
    "ATCAS": _scalar(RETRY, least=True),
    "ATINCGETPTR": _scalar(RETRY, least=True),
    "SETC16": Pace("configuration", 1, 1, shared=False),
    "WRCFG": Pace("configuration", 1, 2, shared=True),
    "RDCFG": Pace("configuration", 1, 2, shared=True, least=True),
    **{f"RMWCIB{i}": _ALTERS for i in range(4)},
    **dict.fromkeys((*_COUNTERS, "SETDVALID", "NOP"), _MISC),
    **dict.fromkeys(("ATGETM", "ATRELM"), _MUTEX),
    **dict.fromkeys(("SEMINIT", "SEMPOST", "SEMGET", "SEMWAIT", "STALLWAIT"), _SEMAPHORE),
}
"""By mnemonic. The pace of arithmetic on registers follows from its registers: ``arithmetic``.

In one cycle each thread may execute an instruction on a mutex, provided that the mutexes differ.
"""

AFTER_WRCFG: Final = 1
"""Cycles after a WRCFG or RDCFG of any thread in which no RMWCIB and no RDCFG starts."""


def arithmetic(OpBisConst: int, RightReg: int, LeftReg: int) -> Pace:
    """ADDDMAREG and the others: a cycle more if the registers are of two aligned quads."""
    together = OpBisConst or RightReg >> 2 == LeftReg >> 2
    return _scalar(3 if together else 4)
