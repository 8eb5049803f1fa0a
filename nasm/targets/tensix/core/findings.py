"""Mistakes in programs that the hardware does not refuse, reported with both places."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final

from nasm.base.problems import Refused, counted
from nasm.isa.core_state import Place
from nasm.targets.tensix.chips import Chip
from nasm.targets.tensix.core.noted import reading
from nasm.targets.tensix.core.tensix import NOTHING, Issued, Tensix
from nasm.targets.tensix.lanes import scheduling
from nasm.targets.tensix.lanes.dst_access import address, resolved, rows_read
from nasm.targets.tensix.lanes.facts import Role, facts_of, lanes_of
from nasm.targets.tensix.lanes.scheduling import OF_STATE, SchedulingFinding
from nasm.targets.tensix.matrix.facts import timing_of
from nasm.targets.tensix.matrix.formats import BLOCK_FLOATS
from nasm.targets.tensix.matrix.pack_job import rows_read as rows_packed
from nasm.targets.tensix.matrix.timing import dst_blocks, longest
from nasm.targets.tensix.matrix.unpack import rows_dropped
from nasm.targets.tensix.matrix.unpack_job import UnpackJob
from nasm.targets.tensix.scalar.dst_order import follow_order
from nasm.targets.tensix.words.word import Fields

EARLY, CONFIG, MATRIX, UNDEFINED, STACK = "E0551", "E0552", "E0553", "E0554", "E0555"
DOUBTFUL = "E0515"
"""Codes of the findings; a stack that would not be one any more ends the run."""
_CODES: Final = {
    "latency": EARLY, "sub-unit": EARLY, "backdoor": EARLY, "stack": DOUBTFUL,
    "undefined rows": UNDEFINED, "dest index": DOUBTFUL,
}  # fmt: skip

SAFE_LOAD: Final = 4
"""Cycles after which a load sees what the matrix unit writes: three instructions in between."""


def _tell(
    core: Tensix, code: str, message: str, hint: str, earlier: Issued = NOTHING, does: str = ""
) -> None:
    at: tuple[tuple[Place, str], ...] = ()
    if earlier is not NOTHING:
        at = ((earlier.place, does),)
    core.around.report(code, message, hint, at, code == DOUBTFUL)


# -- the vector unit


def of_vector(core: Tensix, issued: Issued, fields: Fields) -> None:
    """Tell what comes too early, and what is undefined, of an instruction that starts."""
    last = core.recent.vector
    for found in _of_pair(core, last, issued):
        _tell(
            core, _CODES[found.kind], found.message, found.hint, last, "started in the cycle before"
        )
    facts = lanes_of(core.chip)[issued.mnemonic].facts
    if facts.role in OF_STATE or core.vector.lane_config.any():
        _undefined(core, issued, fields)
    if facts.role is Role.LOADS and core.recent.matrix.tick > issued.tick - SAFE_LOAD:
        _of_load(core, issued, fields)


@lru_cache(maxsize=1 << 14)
def too_near(
    chip: Chip, before: str, its: int, mnemonic: str, word: int
) -> tuple[SchedulingFinding, ...]:
    """Errors of one word in the cycle after another."""
    words = chip.words
    fields = words.fields_of(before, its), words.fields_of(mnemonic, word)
    return tuple(scheduling.too_early(before, fields[0], mnemonic, fields[1], lanes_of(chip)))


def _of_pair(core: Tensix, last: Issued, issued: Issued) -> tuple[SchedulingFinding, ...]:
    """Errors of an instruction for the one that started in the cycle before."""
    if last.tick != issued.tick - 1:
        return ()
    return too_near(core.chip, last.mnemonic, last.word, issued.mnemonic, issued.word)


def _undefined(core: Tensix, issued: Issued, fields: Fields) -> None:
    """Tell what is undefined in the state that there is."""
    thread, mnemonic = issued.thread, issued.mnemonic
    for found in scheduling.undefined_now(core, thread, mnemonic, fields, core.quirks):
        if found.kind == "stack" and not _peeks(core, issued, fields):
            raise Refused(STACK, found.message, found.hint)
        _tell(core, _CODES[found.kind], found.message, found.hint)


def _peeks(core: Tensix, issued: Issued, fields: Fields) -> bool:
    """Whether an instruction only looks at the stack, which has a bug of the hardware then."""
    role = facts_of(issued.mnemonic, lanes_of(core.chip)).role
    return role is Role.POPS and bool(fields["Mod1"])


def _of_load(core: Tensix, issued: Issued, fields: Fields) -> None:
    recent = core.recent
    kind = resolved(core, issued.thread, fields["Mod0"])
    at = address(core, issued.thread, kind, fields["Imm10"])
    rows = rows_read(kind, at, follow_order(core, issued.thread))
    for block in sorted({row // 8 for row in rows}):
        ago = issued.tick - int(recent.dst[block])
        by = recent.writer(block) if ago < SAFE_LOAD else None
        if by is not None:
            text = (
                f"{issued.mnemonic} reads rows {8 * block} to {8 * block + 7} of Dst "
                f"{counted(ago, 'cycle')} after {by.mnemonic} began to write them; "
                f"wanted {SAFE_LOAD} or more"
            )
            hint = (
                "let three other instructions come in between, or "
                "STALLWAIT BlockMask=0x100, ConditionMask=0x80 before it"
            )
            _tell(core, MATRIX, text, hint, by, "writes these rows")
            return


# -- unpackers


def of_unpack(core: Tensix, issued: Issued, job: UnpackJob) -> None:
    """Tell that an unpack takes shared exponents for numbers, or drops rows."""
    source, target = job.formats()
    _of_dropped_rows(core, issued, job, rows_dropped(job, target))
    dims = job.dims()
    if source not in BLOCK_FLOATS or 0 not in dims or job.own("REG2_Force_shared_exp"):
        return
    text = (
        f"{issued.mnemonic} reads {source.name} by a tile descriptor of "
        f"{' x '.join(map(str, dims))} numbers: it does not skip exponents, and reads those "
        "in memory as numbers"
    )
    hint = f"set THCON_SEC{job.unpacker}_REG0_TileDescriptor_YDim to 1"
    _tell(core, DOUBTFUL, text, hint)


def _of_dropped_rows(core: Tensix, issued: Issued, job: UnpackJob, dropped: int) -> None:
    if not dropped:
        return
    text = (
        f"unpacker 0 writes no row of SrcA before the fourth of where {issued.mnemonic} begins: "
        f"it drops {counted(dropped, 'row')} of 16 numbers"
    )
    name = f"THCON_SEC0_REG5_Dest_cntx{job.context & 3}_address"
    hint = f"set {name} to 64, four rows of 16, or more" if job.many else ""
    _tell(core, DOUBTFUL, text, hint or "UNP0_ADDR_BASE_REG_1_Base has the first byte")


# -- packers


def of_pack(core: Tensix, issued: Issued, fields: Fields) -> None:
    """Tell that a pack reads rows which the matrix unit is writing still.

    MatrixUnit.md says how many cycles an instruction takes to write, and no page has packers wait
    for that by themselves: waits at the gate and semaphores are what there is.
    """
    if core.recent.matrix.tick <= issued.tick - longest():
        return
    rows, wide = rows_packed(core, issued.thread, fields)
    blocks = {block for row in rows for block in dst_blocks(row, 1, wide, core.matrix.order)}
    for block in sorted(blocks):
        ago, by = issued.tick - int(core.recent.dst[block]), core.recent.writer(block)
        if by is not None and ago < timing_of(by.mnemonic).latency:
            text = (
                f"{issued.mnemonic} reads rows {8 * block} to {8 * block + 7} of Dst "
                f"{counted(ago, 'cycle')} after {by.mnemonic} began to write them, "
                f"which takes {timing_of(by.mnemonic).latency}"
            )
            hint = (
                "in the thread that computes, STALLWAIT BlockMask=0x2, ConditionMask=0x80 before "
                "the SEMPOST that the packing thread waits for"
            )
            if by.thread == issued.thread:
                hint = "STALLWAIT BlockMask=0x4, ConditionMask=0x80 before it"
            _tell(core, MATRIX, text, hint, by, "writes these rows")
            return


# -- the configuration


def watching(core: Tensix, issued: Issued, act: Callable[[], Any]) -> Callable[[], Any]:
    """An instruction in the cycle after a write of the bank, watched for what it reads of it."""
    late = {word: by for word, tick, by in core.recent.configured if tick == issued.tick - 1}
    if not late:
        core.recent.configured = ()
        return act

    def watched() -> Any:
        with reading(core, issued.thread) as reads:
            try:
                return act()
            finally:
                _too_early(core, issued, [word for word in reads.config if word in late], late)

    return watched


def _too_early(core: Tensix, issued: Issued, words: list[int], late: dict[int, Any]) -> None:
    if not words:
        return
    word = min(words)
    text = (
        f"{issued.mnemonic} uses word {word} of the configuration in the cycle after "
        f"{late[word].mnemonic}, which takes two cycles to write it: it sees the old value"
    )
    hint = "insert NOP, or an instruction that does not depend on it"
    _tell(core, CONFIG, text, hint, late[word], "writes it")
