"""What an unpacker reads, as the configuration says: formats, addresses, counts, where they go.

Source: UNPACR_Regular.md. Each field is read once of a configuration, and not again until that
changes.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from nasm.base.records import dataclass
from nasm.targets.tensix.chips import Chip
from nasm.targets.tensix.matrix.formats import Format
from nasm.targets.tensix.matrix.src import data_format, unknown
from nasm.targets.tensix.scalar.config import field, read
from nasm.targets.tensix.state import Coprocessor

X, Y, Z, W = range(4)

ROW = 16
"""Numbers of a row of SrcA, SrcB or Dst."""

INPUT_PLANES = 0xFF
"""Bits of Z and W of channel 0 that reach an unpacker's input, however many counters have."""

Known = dict[tuple[int | str, int | str], int]
"""Fields that were read of a configuration, by an unpacker and a name, or by bits of a word."""


@lru_cache(maxsize=64)
def _known(chip: Chip, config: bytes, own: bytes, unpacker: int) -> Known:
    """What is known of the configuration of a core and a thread, as an unpacker reads it."""
    return {}


@dataclass(frozen=True, slots=True)
class UnpackJob:
    """What an unpacker reads and makes of it: the configuration, for one thread and context.

    ``known`` are the fields that were read of it, as it is now.
    """

    core: Coprocessor
    thread: int
    unpacker: int
    context: int
    many: bool
    whose: int
    known: Known

    def own(self, name: str) -> int:
        """A field of this unpacker, whose names begin with its section."""
        return self._field("THCON_SEC", name)

    def unp(self, name: str) -> int:
        """A field whose names begin with UNP0 or UNP1."""
        return self._field("UNP", name)

    def _field(self, kind: str, name: str) -> int:
        found = self.known.get((kind, name))
        if found is None:
            found = field(self.core, self.thread, f"{kind}{self.unpacker}_{name}")
            self.known[kind, name] = found
        return found

    def descriptor(self, low: int, width: int) -> int:
        """Bits of the tile descriptor, of 128 bits; none crosses a word."""
        found = self.known.get((low, width))
        if found is None:
            at = self.core.layout.fields[f"THCON_SEC{self.unpacker}_REG0_TileDescriptor"].word
            word = read(self.core, self.thread, at + low // 32)
            found = self.known[low, width] = word >> low % 32 & ((1 << width) - 1)
        return found

    def adc(self, thread: int, channel: int, dimension: int) -> int:
        """A counter."""
        return int(self.core.threads[thread].adc[self.unpacker, channel, dimension, 0])

    def formats(self) -> tuple[Format, Format]:
        """The format in L1, and that after conversion."""
        if self.many and self.own("REG2_Ovrd_data_format"):
            source = self.own(f"REG7_Unpack_data_format_cntx{self.context}")
            target = self.own(f"REG7_Unpack_out_data_format_cntx{self.context}")
        else:
            source, target = self.descriptor(0, 4), self.own("REG2_Out_data_format")
        where = f"of unpacker {self.unpacker}"
        return data_format(source, f"InDataFormat {where}"), data_format(target, f"Out {where}")

    def uncompressed(self) -> bool:
        """Whether data is not compressed."""
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
        x = self.descriptor(16, 16)
        if self.many and not self.unpacker:
            x = self.own(f"REG5_Tile_x_dim_cntx{self.context & 3}")
        return x, self.descriptor(32, 8), self.descriptor(48, 8) or 1, self.descriptor(64, 8) or 1

    def base(self) -> int:
        """The byte after the tile's header."""
        other = self.context if self.many else 0
        register = 3 if other < 4 else 4
        start = f"REG{register}_Base_cntx{other}_address" if other else "REG3_Base_address"
        near = other & 3
        offset = f"REG7_Offset_cntx{near}_address" if near else "REG7_Offset_address"
        unit = self.own(start) + self.own(offset) + 1 + self.descriptor(120, 8)
        return (unit & 0xFFFFFFFF) * 16

    def to_dst(self) -> bool:
        """Whether unpacker 0 writes Dst."""
        if self.unpacker:
            return False
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
    known: Known = {}
    if type(core.config) is np.ndarray:  # or else it notes what is read
        own = core.threads[thread].config.tobytes()
        known = _known(core.chip, core.config.tobytes(), own, unpacker)
    if not many:
        return UnpackJob(core, thread, unpacker, 0, many=False, whose=thread, known=known)
    context = core.threads[thread].context[unpacker] if counted else number
    context = context + field(core, thread, f"UNPACK_MISC_CFG_CfgContextOffset_{unpacker}") & 7
    if unpacker and context >= 2:
        raise unknown(f"unpacking with context {context} of unpacker 1, which has 0 and 1")
    if adc == 3:
        raise unknown("unpacking with ContextADC 3; there are those of threads 0 to 2")
    return UnpackJob(core, thread, unpacker, context, many=True, whose=adc, known=known)


def numbers_of(job: UnpackJob, search: int) -> tuple[int, int]:
    """The first number in the tile, and how many; raises Refused."""
    x, y, z, _ = job.dims()
    start, row = job.adc(job.whose, 0, X), job.adc(job.whose, 0, Y)
    end = job.adc(job.whose, 1, X)
    blobs = job.descriptor(8, 3)
    if not search:
        end += 1
    elif blobs:
        starts = job.descriptor(80, 16) | job.descriptor(96, 16) << 16
        if job.many and not job.unpacker:
            pair = "23" if job.context & 2 else "01"
            starts = field(job.core, job.thread, f"UNP0_BLOBS_Y_START_CNTX_{pair}_blobs_y_start")
        following = (start & 7) + 1
        start = (starts >> 4 * (row & 7) & 15) << 4
        end = x & 0x1F0 if following == blobs else (starts >> 4 * (following & 7) & 15) << 4
        row = 0
    else:
        start = 0
    count = end - start
    if count < 0:
        raise unknown(f"unpacking of {count} numbers, from X {start} up to {end}")
    w_at, z_at = (job.adc(job.thread, 0, at) & INPUT_PLANES for at in (W, Z))
    plane = w_at * z + z_at
    return (plane * y + row) * x + start, count
