"""The vector unit of Blackhole: what it adds, and how its instructions differ from Wormhole's.

Its unit delays an instruction that reads what the one before it writes in two cycles, by what it
knows of reads: a few instructions read what it does not know of.
"""

from collections.abc import Callable
from typing import Final

from nasm.base.records import replace
from nasm.isa.field_values import FieldValues, bits_of_mask, one_of
from nasm.isa.instruction import Row
from nasm.targets.tensix.isa.declared import RowChange
from nasm.targets.tensix.isa.setups import FLAGS, LANES
from nasm.targets.tensix.isa.table import DECLARED, Family
from nasm.targets.tensix.isa.vector import flags, floats, integers, modes, moves
from nasm.targets.tensix.isa.vector.registers import nothing, result, result_or_any, three, vc
from nasm.targets.tensix.lanes import blackhole, blackhole_dst
from nasm.targets.tensix.lanes.facts import MAD, SIMPLE, Fields, Lanes, Registers, mode_of
from nasm.targets.tensix.lanes.permutations import ROTATE, ROTATE_AND_COPY4, SHIFT, SHIFT_BITS
from nasm.targets.tensix.lanes.quirks import Quirks
from nasm.targets.tensix.words.units import VECTOR
from nasm.targets.tensix.words.word import Described, Word

UNIT = Family(__name__)

BLACKHOLE: Final = "blackhole"
_COMPARISON: Final = "imm12_math[23:12] lreg_c[11:8] lreg_dest[7:4] instr_mod1[3:0]"
_SET_CC, _SET_VD = 1, 8


def _comparisons(mnemonic: str) -> FieldValues:
    return bits_of_mask(
        f"{mnemonic}_MOD1_",
        """
        0 -            -  nothing is set
        1 SET_CC       -  the flag of a lane = the comparison
        2 MUTATE_STACK -  the flag on top of the stack, and the comparison
        4 MUTATE_OR    -  or instead of and
        8 SET_VD       -  VD = -1 if it holds, 0 if not
        """,
    )


def _compared(fields: Fields) -> Registers:
    return frozenset({fields["VC"], fields["VD"]})


def _if_set(fields: Fields) -> Registers:
    return result(fields) if mode_of(fields) & _SET_VD else nothing(fields)


def _flags_set(fields: Fields) -> bool:
    return mode_of(fields) & _SET_CC > 0


def _inverted(fields: Fields) -> Registers:
    return frozenset({fields["VC"], fields["VB" if mode_of(fields) == 1 else "VC"]})


_OF_COMPARISON: Final = Lanes(
    sub_unit=SIMPLE, reads=_compared, writes=_if_set, sets_flags=_flags_set, after_shift=True
)

SFPLE = UNIT.row(
    Word(
        0x96,
        "SFPLE",
        VECTOR,
        "Compare whether VD is less than or equal to VC.",
        _COMPARISON,
        forms="VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": _comparisons("SFPLE")},
        chip="Blackhole A0",
    ),
    blackhole.SFPLE,
    facts=_OF_COMPARISON,
    since=BLACKHOLE,
    setup=f"{FLAGS}\n{LANES}",
    example="SFPLE VC=0, VD=1, Mod1=1",
    formula="flag, top flag or VD = VD <= VC, in the order of sign and magnitude",
)

SFPGT = UNIT.row(
    Word(
        0x97,
        "SFPGT",
        VECTOR,
        "Compare whether VD is greater than VC.",
        _COMPARISON,
        forms="VC[11:8] VD[7:4] Mod1[3:0]",
        values={"Mod1": _comparisons("SFPGT")},
        chip="Blackhole A0",
    ),
    blackhole.SFPGT,
    facts=_OF_COMPARISON,
    since=BLACKHOLE,
    setup=f"{FLAGS}\n{LANES}",
    example="SFPGT VC=0, VD=1, Mod1=8",
    formula="flag, top flag or VD = VD > VC, in the order of sign and magnitude",
)

SFPMUL24 = UNIT.row(
    Word(
        0x98,
        "SFPMUL24",
        VECTOR,
        "Multiply integers of 23 bits, for the low or the high half of the product.",
        "lreg_src_a[19:16] lreg_src_b[15:12] lreg_src_c[11:8] lreg_dest[7:4] instr_mod1[3:0]",
        forms="VA[19:16] VB[15:12] VC[11:8] VD[7:4] Mod1[3:0]",
        values={
            "Mod1": bits_of_mask(
                "SFPMUL24_MOD1_",
                """
                0 LOWER       -  VD = the low 23 bits of the product
                1 UPPER       -  VD = the high 23 bits of the product of the low 23 bits of each
                4 INDIRECT_VA -  VA is the register that LReg[7] names, lane by lane
                8 INDIRECT_VD -  VD is the register that LReg[7] names, lane by lane
                """,
            )
        },
        meanings={"VC": "9, which is 0"},
        chip="Blackhole A0",
    ),
    blackhole.SFPMUL24,
    facts=Lanes(sub_unit=MAD, reads=three, writes=result_or_any, latency=2, scoreboard=True),
    since=BLACKHOLE,
    setup="SFPLOADI VD=0, Mod0=2, Imm16=1000\nSFPLOADI VD=1, Mod0=2, Imm16=77",
    example="SFPMUL24 VA=0, VB=1, VC=9, VD=2",
    formula="VD = VA * VB, 23 bits of it",
)

SFPARECIP = UNIT.row(
    Word(
        0x99,
        "SFPARECIP",
        VECTOR,
        "Approximate a reciprocal, or a power of e.",
        _COMPARISON,
        forms="VB[15:12] VC[11:8] VD[7:4] Mod1[3:0]",
        values={
            "Mod1": one_of(
                "SFPARECIP_MOD1_",
                """
                0 RECIP      -  VD = about 1 / VC
                1 COND_RECIP -  VD = about 1 / abs(VC) where VB is negative, else VC
                2 EXP        -  VD = about e ** abs(VC), with the sign of VC; not modelled
                """,
            )
        },
        chip="Blackhole A0",
    ),
    blackhole.SFPARECIP,
    facts=Lanes(sub_unit=SIMPLE, reads=_inverted, writes=result, modes=frozenset({0, 1})),
    since=BLACKHOLE,
    setup=LANES,
    example="SFPARECIP VC=0, VD=2",
    formula="VD = about 1 / VC",
)


# -- what differs


def _facts(row: Row) -> Lanes:
    facts = DECLARED[row.name].facts
    assert isinstance(facts, Lanes)
    return facts


def _chosen(fields: Fields) -> Registers:
    """VC, and VB if the mode has it, else VD."""
    return frozenset({fields["VC"], fields["VB" if mode_of(fields) & 1 else "VD"]})


def _shifted(fields: Fields) -> Registers:
    """What is shifted, and the amount unless that is a number."""
    mode = mode_of(fields)
    if mode & 1:
        return frozenset({fields["VC" if mode & 4 else "VD"]})
    return _compared(fields)


def _known_of_swap(fields: Fields) -> Registers:
    return nothing(fields) if mode_of(fields) else _compared(fields)


def _known_of_shift(fields: Fields) -> Registers:
    mode = mode_of(fields)
    if mode in _SLOW:
        return nothing(fields)
    return _compared(fields) if mode >= SHIFT_BITS else _facts(moves.SFPSHFT2).reads(fields)


_SLOW: Final = frozenset({ROTATE_AND_COPY4, ROTATE, SHIFT})


def _changes_stack(fields: Fields) -> bool:
    return mode_of(fields) == 13


def _draws_at_random(fields: Fields, quirks: Quirks) -> bool:
    return mode_of(fields) == 1


def _draws(fields: Fields, quirks: Quirks) -> bool:
    return True


_DOCUMENTED: Final = RowChange(described=Described.DOCS)

ADDR_MODS: Final = one_of(
    "", "\n".join(f"{n} - ADDR_MOD_{n} counters move by ADDR_MOD_…_SEC{n}" for n in range(8))
)

_ADDED: Final = bits_of_mask(
    "SFPMAD_MOD1_",
    """
    0 -           -  registers as the fields say
    1 NEGATE_VA   -  VA is negated
    2 NEGATE_VC   -  VC is negated
    4 INDIRECT_VA -  VA is the register that the low four bits of LReg[7] name, lane by lane
    8 INDIRECT_VD -  VD is the register that the low four bits of LReg[7] name, lane by lane
    """,
)


_ADDED_TO: Final = bits_of_mask(
    "SFPMAD_MOD1_",
    """
    0 -           -  registers as the fields say
    2 NEGATE_VC   -  VD is negated where it is read
    8 INDIRECT_VD -  VD is the register that the low four bits of LReg[7] name, lane by lane
    """,
)


_OTHER_MODES: Final = {
    5: "sign and magnitude; 8 bits of it are loaded, 10 are stored",
    10: "as INT32, of all lanes, from or to the top of the stack of rows",
    12: "as INT32",
    13: "sign and magnitude; 10 bits of it in Dst",
}


def _unconverted(values: FieldValues) -> FieldValues:
    """Modes of loads and stores, none of which converts two's complement."""
    found = tuple(
        replace(one, meaning=_OTHER_MODES.get(one.number, one.meaning)) for one in values.entries
    )
    return replace(values, entries=found)


def _delayed(
    row: Row, semantics: Callable[..., None], values: FieldValues | None = None
) -> RowChange:
    """Of the MAD sub-unit: what reads its result is delayed."""
    return RowChange(
        described=Described.DOCS,
        semantics=semantics,
        facts=replace(_facts(row), scoreboard=True),
        values={} if values is None else {"Mod1": values},
    )


def _two_registers(row: Row, semantics: Callable[..., None]) -> RowChange:
    """SFPAND and SFPOR, which may name their second register."""
    values = one_of(
        f"{row.name}_MOD1_",
        """
        0 -      -  the second operand is VD
        1 USE_VB -  the second operand is VB
        """,
    )
    return RowChange(
        forms="VB[15:12] VC[11:8] VD[7:4] Mod1[3:0]",
        described=Described.DOCS,
        semantics=semantics,
        facts=replace(_facts(row), reads=_chosen, seen=_compared),
        values={"Mod1": values},
    )


CHANGED: Final = {
    **dict.fromkeys(
        ("SFPLOADI", "SFPDIVP2", "SFPEXEXP", "SFPEXMAN", "SFPSETEXP", "SFPSETMAN", "SFPSETSGN"),
        _DOCUMENTED,
    ),
    **dict.fromkeys(
        ("SFPSETCC", "SFPMOV", "SFPABS", "SFPNOT", "SFPXOR", "SFPLZ", "SFPPOPC", "SFPENCC"),
        _DOCUMENTED,
    ),
    **dict.fromkeys(("SFPCOMPC", "SFPTRANSP", "SFPNOP"), _DOCUMENTED),
    "SFPMAD": _delayed(floats.SFPMAD, blackhole.SFPMAD, _ADDED),
    "SFPADD": _delayed(floats.SFPADD, blackhole.SFPMAD, _ADDED),
    "SFPMUL": _delayed(floats.SFPMUL, blackhole.SFPMAD, _ADDED),
    "SFPMULI": _delayed(floats.SFPMULI, blackhole.SFPMULI, _ADDED_TO),
    "SFPADDI": _delayed(floats.SFPADDI, blackhole.SFPADDI, _ADDED_TO),
    "SFPLUT": _delayed(floats.SFPLUT, blackhole.SFPLUT),
    "SFPLUTFP32": _delayed(floats.SFPLUTFP32, blackhole.SFPLUTFP32),
    "SFPIADD": RowChange(
        described=Described.DOCS, facts=replace(_facts(integers.SFPIADD), seen=vc)
    ),
    "SFPCONFIG": RowChange(
        described=Described.DOCS, facts=replace(_facts(moves.SFPCONFIG), seen=nothing)
    ),
    "SFPSWAP": RowChange(
        described=Described.DOCS, facts=replace(_facts(moves.SFPSWAP), seen=_known_of_swap)
    ),
    "SFPSHFT2": RowChange(
        described=Described.DOCS,
        facts=replace(
            _facts(moves.SFPSHFT2), interlocked=True, slow_modes=_SLOW, seen=_known_of_shift
        ),
    ),
    "SFPAND": _two_registers(integers.SFPAND, blackhole.SFPAND),
    "SFPOR": _two_registers(integers.SFPOR, blackhole.SFPOR),
    "SFPSHFT": RowChange(
        described=Described.DOCS,
        semantics=blackhole.SFPSHFT,
        facts=replace(
            _facts(integers.SFPSHFT), reads=_shifted, seen=vc, modes=frozenset({0, 1, 2, 3, 5, 7})
        ),
        values={
            "Mod1": bits_of_mask(
                "SFPSHFT_MOD1_",
                """
                0 -              -  VD is shifted by VC
                1 ARG_IMM        -  VD is shifted by Imm12
                2 ARITHMETIC     -  the sign comes in from the left
                4 ARG_IMM_USE_VC -  with ARG_IMM: VC is shifted by Imm12
                """,
            )
        },
    ),
    "SFPCAST": RowChange(
        described=Described.DOCS,
        semantics=blackhole.SFPCAST,
        facts=replace(_facts(floats.SFPCAST), modes=frozenset(range(4)), draws=_draws_at_random),
        values={
            "Mod1": one_of(
                "SFPCAST_MOD1_",
                """
                0 SM32_TO_FP32_RNE -  sign and magnitude to FP32, to nearest, ties to even
                1 SM32_TO_FP32_RNS -  sign and magnitude to FP32, rounded at random
                2 INT32_ABS        -  the magnitude of an integer in two's complement
                3 INT32_SM32       -  sign and magnitude to two's complement, or back
                """,
            )
        },
    ),
    "SFPPUSHC": RowChange(
        forms="VD[7:4] Mod1[3:0]",
        described=Described.DOCS,
        semantics=blackhole.SFPPUSHC,
        facts=replace(_facts(flags.SFPPUSHC), sets_flags=_changes_stack),
        values={"Mod1": modes.POPPED},
    ),
    "SFP_STOCH_RND": RowChange(
        moved="rnd_mode[22:21] StochasticRounding>RoundingMode[22:21]",
        described=Described.DOCS,
        semantics=blackhole.SFP_STOCH_RND,
        facts=replace(_facts(floats.SFP_STOCH_RND), draws=_draws),
        values={
            "RoundingMode": one_of(
                "SFPSTOCHRND_RND_",
                """
                0 NEAREST -  to the nearest, ties away from 0
                1 STOCH   -  at random
                2 ZERO    -  to 0, but away from it where 23 ones are cut off
                """,
            )
        },
        meanings={"RoundingMode": "how it rounds"},
    ),
    "SFPLOAD": RowChange(
        moved="sfpu_addr_mode[15:13] AddrMod[15:13]",
        described=Described.DOCS,
        semantics=blackhole_dst.SFPLOAD,
        values={
            "AddrMod": ADDR_MODS,
            "sfpu_addr_mode": ADDR_MODS,
            "Mod0": _unconverted(modes.LOADED),
        },
    ),
    "SFPSTORE": RowChange(
        moved="sfpu_addr_mode[15:13] AddrMod[15:13]",
        described=Described.DOCS,
        semantics=blackhole_dst.SFPSTORE,
        values={
            "AddrMod": ADDR_MODS,
            "sfpu_addr_mode": ADDR_MODS,
            "Mod0": _unconverted(modes.STORED),
        },
    ),
    "SFPLOADMACRO": RowChange(
        moved="sfpu_addr_mode[15:13] AddrMod[15:13]",
        described=Described.DOCS,
        values={
            "AddrMod": ADDR_MODS,
            "sfpu_addr_mode": ADDR_MODS,
            "Mod0": _unconverted(modes.LOADED),
        },
    ),
}
