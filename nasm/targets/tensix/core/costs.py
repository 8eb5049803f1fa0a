"""What instructions cost: units and cycles of the documents, as the machine asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nasm.isa.evidence import Cost, Evidence
from nasm.targets.tensix.core.fields import fields_of
from nasm.targets.tensix.lanes import scheduling
from nasm.targets.tensix.matrix.timing import ADDRESS_CYCLES, MATRIX_UNIT
from nasm.targets.tensix.scalar.timing import PACES, Pace, arithmetic
from nasm.targets.tensix.words import WORDS
from nasm.targets.tensix.words.units import MATRIX, VECTOR
from nasm.targets.tensix.words.word import Told

ARITHMETIC: Final = frozenset(
    {"ADDDMAREG", "SUBDMAREG", "MULDMAREG", "BITWOPDMAREG", "SHIFTDMAREG", "CMPDMAREG"}
)
_SHARED: Final[Mapping[str, str]] = {"scalar": "scalar", "configuration": "cfg", "sync": "sync"}
_OWN: Final[Mapping[str, str]] = {"configuration": "own cfg", "misc": "misc", "sync": "mutex"}

_FRONT = Cost(1, 1, Evidence.DOCUMENTED, "ISA documentation, Tensix coprocessor: front end")


def cost(mnemonic: str, word: int, thread: int) -> Cost:
    """The cost of an instruction; that of the long ones is known when they start."""
    unit = WORDS[mnemonic].unit
    if mnemonic in PACES or mnemonic in ARITHMETIC:
        return _paced(_pace(mnemonic, word))
    if unit is MATRIX and mnemonic in MATRIX_UNIT:
        known = MATRIX_UNIT[mnemonic]
        source = f"ISA documentation, {known.source}"
        return Cost(known.interval, known.latency, Evidence.DOCUMENTED, source, unit="matrix")
    if unit is VECTOR:
        latency = scheduling.latency(mnemonic, fields_of(mnemonic, word))
        source = "ISA documentation, VectorUnit.md: instruction scheduling"
        return Cost(1, latency, Evidence.DOCUMENTED, source, unit="vector")
    return _long(mnemonic, word, thread)


def _pace(mnemonic: str, word: int) -> Pace:
    if mnemonic in PACES:
        return PACES[mnemonic]
    held = fields_of(mnemonic, word)
    return arithmetic(held["OpBisConst"], held["OpBRegIndex"], held["OpARegIndex"])


def _paced(pace: Pace) -> Cost:
    """A cost of the scalar, configuration, miscellaneous or sync unit."""
    unit = (_SHARED if pace.shared else _OWN)[pace.unit]
    evidence = Evidence.ASSUMED if pace.least else Evidence.DOCUMENTED
    source = f"{pace.source}; a lower bound there" if pace.least else pace.source
    issue = pace.busy if pace.blocks else 0
    return Cost(pace.busy, pace.latency, evidence, source, unit=unit, issue=issue)


def _long(mnemonic: str, word: int, thread: int) -> Cost:
    """Unpackers, packers, the mover: how long they are at work follows from the configuration."""
    held, key = fields_of(mnemonic, word), (mnemonic, word, thread)
    page = f"ISA documentation, {WORDS[mnemonic].page or mnemonic}.md"
    if mnemonic == "UNPACR":
        unit = f"unpack{held['WhichUnpacker']}"
        if held["CfgContextCntInc"] or held["SearchCacheFlush"]:
            said = f"{page}: a cycle for what reads nothing"
            return Cost(1, 1, Evidence.ASSUMED, said, unit=unit)
        cycles = ADDRESS_CYCLES
        source = "ISA documentation, UNPACR_Regular.md: performance"
        return Cost(
            cycles, cycles + 1, Evidence.DOCUMENTED, source, unit, pace="duration", key=key,
            issue=cycles,
        )  # fmt: skip
    if mnemonic == "UNPACR_NOP":
        source = "a cycle; there is no page"
        return Cost(1, 1, Evidence.ASSUMED, source, f"unpack{held['Unpack_block_selection']}")
    if mnemonic == "PACR":
        mask = held["PackerMask"] or 1
        parts = () if mask == 15 else tuple(str(n) for n in range(4) if mask >> n & 1)
        source = "ISA documentation, Packers: 16 bytes a cycle to L1"
        return Cost(1, 1, Evidence.DOCUMENTED, source, "pack", parts, pace="duration", key=key)
    if mnemonic == "XMOV":
        source = "ISA documentation, Mover.md: bandwidth measured there"
        return Cost(1, 1, Evidence.DOCUMENTED, source, "mover", pace="duration", key=key)
    if WORDS[mnemonic].told is Told.NAME:
        return Cost(1, 1, Evidence.ASSUMED, "nothing executes it")
    return _FRONT
