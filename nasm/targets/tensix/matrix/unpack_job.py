"""What an unpacker reads, as the configuration says: formats, addresses, counts, where they go.

Source: UNPACR_Regular.md.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

from nasm.base.records import dataclass
from nasm.targets.tensix.matrix.formats import Format
from nasm.targets.tensix.matrix.src import data_format, unknown
from nasm.targets.tensix.scalar.config import KnownSettings
from nasm.targets.tensix.state import Coprocessor
from nasm.targets.tensix.words.word import Fields

Y, Z = 1, 2
"""Dimensions of counters, of which X is 0 and W 3."""

ROW = 16
"""Numbers of a row of SrcA, SrcB or Dst."""

INPUT_PLANES = 0xFF
"""Bits of Z and W of channel 0 that reach an unpacker's input, however many counters have."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class UnpackJob:
    """What an unpacker reads and makes of it: the configuration, for one thread and context.

    ``known`` is what was read of it, as it is now.
    """

    core: Coprocessor
    thread: int
    unpacker: int
    context: int
    many: bool
    whose: int
    known: KnownSettings

    def own(self, name: str) -> int:
        """A field of this unpacker, whose names begin with its section."""
        return self.known.field(f"THCON_SEC{self.unpacker}_{name}")

    def unp(self, name: str) -> int:
        """A field whose names begin with UNP0 or UNP1."""
        return self.known.field(f"UNP{self.unpacker}_{name}")

    def descriptor(self, low: int, width: int) -> int:
        """Bits of the tile descriptor, of 128 bits; none crosses a word."""
        at = self.core.layout.fields[f"THCON_SEC{self.unpacker}_REG0_TileDescriptor"].word
        return self.known.word(at + low // 32) >> low % 32 & ((1 << width) - 1)

    def once(self, make: Callable[[UnpackJob], T]) -> T:
        """What follows from the configuration and the context alone, made once."""
        return self.known.once((make, self.unpacker, self.many, self.context), partial(make, self))

    def counters(self, thread: int, channel: int) -> list[int]:
        """The counters X, Y, Z and W of a channel."""
        counters: list[int] = self.core.threads[thread].adc[self.unpacker, channel, :, 0].tolist()
        return counters

    def strides(self) -> tuple[int, int, int]:
        """What Y, Z and W add to where numbers go."""
        return self.once(UnpackJob._strides)

    def _strides(self) -> tuple[int, int, int]:
        names = "XY_REG_1_Ystride", "ZW_REG_1_Zstride", "ZW_REG_1_Wstride"
        y, z, w = (self.unp(f"ADDR_CTRL_{name}") for name in names)
        return y, z, w

    def formats(self) -> tuple[Format, Format]:
        """The format in L1, and that after conversion."""
        return self.once(UnpackJob._formats)

    def _formats(self) -> tuple[Format, Format]:
        if self.many and self.own("REG2_Ovrd_data_format"):
            source = self.own(f"REG7_Unpack_data_format_cntx{self.context}")
            target = self.own(f"REG7_Unpack_out_data_format_cntx{self.context}")
        else:
            source, target = self.descriptor(0, 4), self.own("REG2_Out_data_format")
        where = f"of unpacker {self.unpacker}"
        return data_format(source, f"InDataFormat {where}"), data_format(target, f"Out {where}")

    def uncompressed(self) -> bool:
        """Whether data is not compressed."""
        return self.once(UnpackJob._uncompressed)

    def _uncompressed(self) -> bool:
        if self.many:
            return bool(self.own(f"REG2_Disable_zero_compress_cntx{self.context}"))
        return bool(self.descriptor(4, 1))

    def says_uncompressed(self) -> str:
        """What must be 1 where data is not compressed."""
        section = f"THCON_SEC{self.unpacker}"
        if self.many:
            return f"{section}_REG2_Disable_zero_compress_cntx{self.context} to 1"
        return f"bit 4 of {section}_REG0_TileDescriptor"

    def dims(self) -> tuple[int, int, int, int]:
        """X, Y, Z and W of the tile."""
        return self.once(UnpackJob._dims)

    def _dims(self) -> tuple[int, int, int, int]:
        x = self.descriptor(16, 16)
        if self.many and not self.unpacker:
            x = self.own(f"REG5_Tile_x_dim_cntx{self.context & 3}")
        return x, self.descriptor(32, 8), self.descriptor(48, 8) or 1, self.descriptor(64, 8) or 1

    def base(self) -> int:
        """The byte after the tile's header."""
        return self.once(UnpackJob._base)

    def _base(self) -> int:
        other = self.context if self.many else 0
        register = 3 if other < 4 else 4
        start = f"REG{register}_Base_cntx{other}_address" if other else "REG3_Base_address"
        near = other & 3
        offset = f"REG7_Offset_cntx{near}_address" if near else "REG7_Offset_address"
        unit = self.own(start) + self.own(offset) + 1 + self.descriptor(120, 8)
        return (unit & 0xFFFFFFFF) * 16

    def to_dst(self) -> bool:
        """Whether unpacker 0 writes Dst."""
        return not self.unpacker and self.once(UnpackJob._to_dst)

    def _to_dst(self) -> bool:
        if self.many:
            return bool(self.own(f"REG2_Unpack_if_sel_cntx{self.context}"))
        return bool(self.own("REG2_Unpack_If_Sel"))

    def tilized(self) -> bool:
        """Whether rows are apart in L1."""
        return bool(self.own("REG2_Tileize_mode"))

    def row(self, bits: int) -> int:
        """After how many numbers of so many bits the next row begins."""
        return self.core.chip.tiles.row_of_wide if bits > 8 else ROW

    def four_bits(self) -> bool | None:
        """Whether FP8 has an exponent of 4 bits; None where there is no choice."""
        name = "REG1_Unp_LF8_4b_exp"
        if f"THCON_SEC{self.unpacker}_{name}" not in self.core.layout.fields:
            return None
        return bool(self.own(name))

    def throttle(self) -> int:
        """The speed that is set, or that of the generation if it has one and none is set."""
        usual = self.core.chip.tiles.speed
        if usual >= 0 and not self.own("REG1_ovrd_default_throttle_mode"):
            return usual
        return self.own("REG2_Throttle_mode")

    def wrapped(self, address: int) -> int:
        """An address in the FIFO of L1 that the unpacker reads, if it has one."""
        if address > self.own("REG2_Unpack_limit_address") * 16:
            return address - self.own("REG2_Unpack_fifo_size") * 16
        return address


def job_of(
    core: Coprocessor, thread: int, unpacker: int, many: int, counted: int, number: int, adc: int
) -> UnpackJob:
    """What an unpacker does: whether it uses contexts, from which counter or number, whose ADC."""
    known = KnownSettings(core, thread)
    if not many:
        return UnpackJob(core, thread, unpacker, 0, many=False, whose=thread, known=known)
    context = core.threads[thread].context[unpacker] if counted else number
    context = context + known.field(f"UNPACK_MISC_CFG_CfgContextOffset_{unpacker}") & 7
    if unpacker and context >= 2:
        raise unknown(f"unpacking with context {context} of unpacker 1, which has 0 and 1")
    if adc == 3:
        raise unknown("unpacking with ContextADC 3; there are those of threads 0 to 2")
    return UnpackJob(core, thread, unpacker, context, many=True, whose=adc, known=known)


def job_of_fields(core: Coprocessor, thread: int, fields: Fields) -> UnpackJob:
    """The same of the fields of an unpack."""
    named = "WhichUnpacker", "MultiContextMode", "UseContextCounter", "ContextNumber", "ContextADC"
    return job_of(core, thread, *(fields[name] for name in named))


def numbers_of(job: UnpackJob, search: int) -> tuple[int, int]:
    """The first number in the tile, and how many; raises Refused."""
    x, y, z, _ = job.dims()
    (start, row, *_), (end, *_) = job.counters(job.whose, 0), job.counters(job.whose, 1)
    blobs = job.descriptor(8, 3)
    if not search:
        end += 1
    elif blobs:
        starts = job.descriptor(80, 16) | job.descriptor(96, 16) << 16
        if job.many and not job.unpacker:
            pair = "23" if job.context & 2 else "01"
            starts = job.known.field(f"UNP0_BLOBS_Y_START_CNTX_{pair}_blobs_y_start")
        following = (start & 7) + 1
        start = (starts >> 4 * (row & 7) & 15) << 4
        end = x & 0x1F0 if following == blobs else (starts >> 4 * (following & 7) & 15) << 4
        row = 0
    else:
        start = 0
    count = end - start
    if count < 0:
        raise unknown(f"unpacking of {count} numbers, from X {start} up to {end}")
    z_at, w_at = (at & INPUT_PLANES for at in job.counters(job.thread, 0)[Z:])
    plane = w_at * z + z_at
    return (plane * y + row) * x + start, count
