"""What a user may choose about the machine: where sources disagree, and bugs of the hardware."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nasm.base.records import fields
from nasm.isa.evidence import Evidence
from nasm.isa.options import Option, OptionValue
from nasm.targets.tensix.lanes.quirks import Quirks
from nasm.targets.tensix.words import FIRST

YES, NO = "yes", "no"

DOCS = "ISA documentation, Wormhole B0"


def _option(
    name: str, default: str, summary: str, source: str, yes: str, no: str, until: str = ""
) -> tuple[str, Option]:
    evidence, choices = Evidence.DOCUMENTED, {YES: yes, NO: no}
    return name, Option(name, default, summary, evidence, source, choices, until=until)


_BY_QUIRK: Final[Mapping[str, tuple[str, Option]]] = {
    "store_flushes_denormals": _option(
        "sfpu.store_flushes_denormals",
        NO,
        "Whether SFPSTORE as FP32 makes denormals zeros of their sign.",
        f"{DOCS}, SFPSTORE: it stores all bits as they are; the public simulator makes zeros",
        "denormals become zeros, as in the public simulator",
        "all bits are stored as they are",
        until=FIRST,
    ),
    "rounding_always_draws": _option(
        "sfpu.rounding_always_draws",
        NO,
        "Whether SFP_STOCH_RND advances the random numbers though it rounds to nearest.",
        f"{DOCS}, SFPSTOCHRND: only where it draws one; the public simulator always",
        "each of them advances the numbers of its lanes",
        "only one that rounds stochastically does",
        until=FIRST,
    ),
    "abs_keeps_minus_infinity": _option(
        "sfpu.abs_keeps_minus_infinity",
        NO,
        "Whether SFPABS of a float leaves minus infinity as it is.",
        f"{DOCS}, SFPABS: its code does so; its text, and the public simulator, leave NaNs alone",
        "minus infinity stays",
        "minus infinity becomes infinity; only NaNs stay",
    ),
    "stack_bug": _option(
        "sfpu.stack_bug",
        YES,
        "Whether SFPPOPC that peeks at a full stack of flags overwrites its bottom entry.",
        f"{DOCS}, SFPPOPC: a bug of the hardware",
        "the bottom entry is overwritten",
        "the stack stays as it is",
        until=FIRST,
    ),
    "shift_bug": _option(
        "sfpu.shift_bug",
        YES,
        "Whether SFPSHFT2 with Mod1 4 moves a lane that was rotated earlier into lane 0.",
        f"{DOCS}, SFPSHFT2: a bug of the hardware",
        "lane 0 of each row gets lane 7 of what modes 2 and 3 rotated last",
        "lane 0 of each row gets 0",
        until=FIRST,
    ),
    "table_bug": _option(
        "sfpu.table_bug",
        YES,
        "Whether SFPLUTFP32 with Mod1 10 takes its VD from LReg[7].",
        f"{DOCS}, SFPLUTFP32: a bug of the hardware",
        "each lane writes the register that its LReg[7] names",
        "the register is that of the instruction",
    ),
    "rounding_bias": _option(
        "sfpu.rounding_bias",
        YES,
        "Whether stochastic rounding rounds up too where the draw equals what is cut off.",
        f"{DOCS}, SFPSTOCHRND: a bug of the hardware",
        "it rounds up where what is cut off is not less than the draw",
        "it rounds up where what is cut off is more than the draw",
    ),
}

OUTER_BUG: Final = "mop.outer_bug"
"""The option of the MOP expander."""

SRCB_FORMAT: Final = "matrix.srcb_format"
"""The option of the matrix unit."""

OWN, AS_SRCA = "own", "srca"

BRANCHES: Final = "riscv.branches"
"""The option of RISC-V cores."""

PREDICTED, MISPREDICTED = "predicted", "mispredicted"

_BRANCHES: Final = Option(
    BRANCHES,
    PREDICTED,
    "Whether branches and jumps of RISC-V code go where their core predicts.",
    Evidence.ASSUMED,
    f"{DOCS}, BabyRISCV: 1 cycle of the integer unit, and 3 of one that is mispredicted, "
    "on Blackhole 5; which those are is not documented",
    {
        PREDICTED: "each takes a cycle: the shortest time of a program",
        MISPREDICTED: "each takes three, on Blackhole five: the longest, with all code in the "
        "instruction cache",
    },
)

_SRCB_FORMAT: Final = Option(
    SRCB_FORMAT,
    OWN,
    "Which format says how many bits of an element of SrcB are used.",
    Evidence.DOCUMENTED,
    "the public simulator from 1.10 on, and tenstorrent/ttsim issue 14, by the vendor's tests "
    f"against RTL: its own; {DOCS} of 2025, and each product's page: that of SrcA",
    {
        OWN: "ALU_FORMAT_SPEC_REG1_SrcB, as in the public simulator",
        AS_SRCA: "the format of SrcA, as in the documentation",
    },
    until=FIRST,
)

OPTIONS: Final = (
    _SRCB_FORMAT,
    _BRANCHES,
    *(option for _, option in _BY_QUIRK.values()),
    _option(
        OUTER_BUG,
        YES,
        "Whether a MOP of template 1 with counts of 1 and 0, outer and inner, has 129 rounds.",
        f"{DOCS}, MOPExpander: a bug of the hardware, without StartOp and with EndOp0",
        "the outer loop has 129 rounds",
        "the outer loop has 1 round",
    )[1],
)


SETTLED: Final[Mapping[str, Mapping[str, bool]]] = {
    FIRST: {},
    "blackhole": {
        "store_flushes_denormals": True,
        "rounding_always_draws": True,
        "stack_bug": False,
        "shift_bug": False,
    },
}
"""What later generations leave no choice about: the pages of SFPSTORE, SFPSTOCHRND, SFPPOPC and
SFPSHFT2 in the ISA documentation of Blackhole A0."""


def quirks(generation: str, options: Mapping[str, OptionValue]) -> Quirks:
    """What holds in the vector unit of a generation."""
    chosen = {f.name: options[_BY_QUIRK[f.name][0]] == YES for f in fields(Quirks)}
    return Quirks(**{**chosen, **SETTLED[generation]})
