"""What packers read for a pack, as the configuration says: which rows of Dst, how many numbers.

Sources: PACR.md, InputAddressGenerator.md and FormatConversion.md of the packers. Of four packers
each reads consecutive numbers; a single one has interfaces, which read a row of Dst each, out of an
aligned group of four (PACR.md of Blackhole A0).
"""

from __future__ import annotations

from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from nasm.base.problems import Refused
from nasm.base.records import dataclass
from nasm.targets.tensix.matrix.formats import Format
from nasm.targets.tensix.matrix.pack_conversion import DstReading
from nasm.targets.tensix.matrix.src import data_format, unknown
from nasm.targets.tensix.scalar.addr_mods import PACKERS
from nasm.targets.tensix.scalar.config import KnownSettings
from nasm.targets.tensix.scalar.dst_order import BOTH, follow_order
from nasm.targets.tensix.state import Coprocessor
from nasm.targets.tensix.words.word import Fields

X, Y, Z, W = range(4)
MASKS: Final = frozenset({1, 2, 4, 8, 3, 12, 15})
"""Packers that one pack can be given, as a mask; 0 is 1."""

ROW: Final = 16
"""Numbers of a row of Dst."""

PLACES: Final = 0x4000
"""Numbers of Dst."""

STRIDE: Final = 16
"""How many rows apart interfaces read in the access mode that has it: the rows of a face."""

_SECTIONS: Final = ("SEC0_REG1", "SEC0_REG8", "SEC1_REG1", "SEC1_REG8")
FIFOS: Final = (
    "SEC0_REG9_Pack_0_2",
    "SEC0_REG9_Pack_1_3",
    "SEC1_REG9_Pack_0_2",
    "SEC1_REG9_Pack_1_3",
)
"""What names of fields begin with, by packer; of those of FIFOs."""

_UNKNOWN_FIELDS: Final = ("CfgContext", "RowPadZero", "AddrCntContext", "OvrdThreadId", "CtxtCtrl")
"""Fields of a word for one packer whose meaning its page leaves to be written."""


@dataclass(frozen=True, slots=True)
class Job:
    """What one pack does with one packer: the configuration, for one thread.

    ``interfaces`` are those that read, by number, or none where a packer reads consecutive numbers.
    They read rows that are ``apart`` rows from each other.
    """

    core: Coprocessor
    thread: int
    packer: int
    whose: int
    known: KnownSettings
    interfaces: tuple[int, ...] = ()
    apart: int = 1

    def own(self, name: str) -> int:
        """A field of this packer, whose names begin with its section."""
        return self.known.field(f"THCON_{_SECTIONS[self.packer]}_{name}")

    def all(self, name: str) -> int:
        """A field that packers share."""
        return self.known.field(name)

    def adc(self, channel: int, dimension: int) -> int:
        """A counter of the packers."""
        return int(self.core.threads[self.whose].adc[PACKERS, channel, dimension, 0])

    def strided(self, channel: int) -> int:
        """The sum of Y, Z and W, each times its stride, and a base."""
        names = {Y: "XY_REG_{}_Ystride", Z: "ZW_REG_{}_Zstride", W: "ZW_REG_{}_Wstride"}
        total = self.all(f"PCK0_ADDR_BASE_REG_{channel}_Base")
        for dimension, name in names.items():
            total += self.adc(channel, dimension) * self.all(
                f"PCK0_ADDR_CTRL_{name.format(channel)}"
            )
        return total

    def section(self, packer: int) -> str:
        """What names of fields of a packer begin with."""
        return f"THCON_{_SECTIONS[packer]}"

    def form(self, which: str) -> Format:
        """The format before the last conversion ("In") or after it ("Out")."""
        return self.known.once((Job.form, which, self.packer), partial(self._form, which))

    def _form(self, which: str) -> Format:
        return data_format(self.own(f"{which}_data_format"), f"{which} of packer {self.packer}")

    def pair(self, name: str) -> int:
        """This packer's two bits of a field of eight."""
        return self.all(name) >> 2 * self.packer & 3

    def intermediate(self) -> Format:
        """The format between the conversions."""
        if self.all("ALU_FORMAT_SPEC_REG_Dstacc_override"):
            return data_format(self.all("ALU_FORMAT_SPEC_REG_Dstacc_val"), "Dstacc_val")
        return data_format(self.all("ALU_FORMAT_SPEC_REG2_Dstacc"), "REG2_Dstacc")

    def reading(self) -> DstReading:
        """How Dst is read."""
        return self.known.once((Job.reading, self.packer), self._reading)

    def _reading(self) -> DstReading:
        shift = 0
        if self.all("INT_DESCALE_Enable"):
            if self.all("INT_DESCALE_Mode"):
                raise unknown("INT_DESCALE_Mode 1")
            shift = self.all("INT_DESCALE_VALUES_SEC0_Value") & 31
        return DstReading(
            self.intermediate(),
            wide=bool(self.all("PCK_DEST_RD_CTRL_Read_32b_data")),
            raw=bool(self.all("PCK_DEST_RD_CTRL_Read_int8")),
            unsigned=bool(self.all("PCK_DEST_RD_CTRL_Read_unsigned")),
            round_10=bool(self.all("PCK_DEST_RD_CTRL_Round_10b_mant")),
            shift=shift,
            to_fp16=self.form("Out") is Format.FP16,
            narrows=bool(self.core.chip.tiles.interfaces),
        )

    def has(self, name: str) -> bool:
        """Whether packers of this generation have a field of their own of this name."""
        return f"THCON_{_SECTIONS[self.packer]}_{name}" in self.core.layout.fields


def count_of(job: Job, flush: int) -> int:
    """How many numbers the packer takes; raises Refused."""
    if job.interfaces:
        return 0 if flush else _count_of_rows(job)
    count = 0 if flush else job.adc(1, X) - job.adc(0, X) + 1
    if not 0 <= count <= 0x4000:
        raise unknown(f"a pack of {count} numbers, from X {job.adc(0, X)} to {job.adc(1, X)}")
    return count


def _count_of_rows(job: Job) -> int:
    """The same of interfaces: each gives the numbers of its row that X selects."""
    first, last = job.adc(0, X), job.adc(1, X)
    if first or not 0 <= last < ROW:
        raise unknown(f"a pack of numbers {first} to {last} of each row; wanted 0 to 15 at most")
    return (last + 1) * len(job.interfaces)


def places_of(job: Job, count: int) -> NDArray[np.int64]:
    """Where in Dst the numbers are, 16 to a row."""
    x, size = job.adc(0, X), {0: 4, 1: 2}.get(job.own("In_data_format") & 3, 1)
    aligned = ROW // size - 1
    start = job.strided(0) + x * (job.all("PCK0_ADDR_CTRL_XY_REG_0_Xstride") & 15)
    start = (start // size & ~aligned) + (x & aligned)
    start += job.all(f"DEST_TARGET_REG_CFG_PACK_SEC{job.packer}_Offset") << 4
    follow_order(job.core, job.thread)
    if job.interfaces:
        return _places_of_rows(job, count, start)
    return start + np.arange(count) & PLACES - 1


def _places_of_rows(job: Job, count: int, start: int) -> NDArray[np.int64]:
    """The same of interfaces, from a number of Dst on."""
    row, column = divmod(start, ROW)
    if column:
        raise unknown(f"a pack from column {column} of a row of Dst")
    last = row + job.interfaces[-1] * job.apart
    if (row // job.apart & 3) + job.interfaces[-1] > 3:
        raise unknown(
            f"a pack of rows {row} to {last} of Dst: its interfaces read within an aligned group "
            f"of {4 * job.apart}"
        )
    rows = row + np.array(job.interfaces) * job.apart
    return (rows[:, None] * ROW + np.arange(count // len(rows)) & 0x3FFF).ravel()


def rows_read(core: Coprocessor, thread: int, fields: Fields) -> tuple[set[int], bool]:
    """The rows of Dst that packers read for a pack, and whether these have 32 bits."""
    jobs = [] if fields["ZeroWrite"] else jobs_of(core, thread, fields)
    flush = fields["Flush"]
    rows = {row for job in jobs for row in (places_of(job, count_of(job, flush)) >> 4).tolist()}
    return rows, any(job.reading().wide for job in jobs)


def jobs_of(core: Coprocessor, thread: int, fields: Fields) -> list[Job]:
    """What the packers do that the fields of a pack name; raises Refused."""
    if core.chip.tiles.interfaces:
        return [_of_interfaces(core, thread, fields)]
    mask = fields["PackerMask"] or 1
    if mask not in MASKS:
        raise unknown(
            f"a pack with PackerMask {mask:#06b}; wanted one packer, 0 and 1, 2 and 3, all"
        )
    jobs, known = [], KnownSettings(core, thread)
    for packer in range(core.chip.tiles.packers):
        if not mask >> packer & 1:
            continue
        whose = thread
        if fields["OvrdThreadId"]:
            named = known.field(f"THCON_{_SECTIONS[packer]}_Addr_cnt_context")
            whose = 0 if named == 3 else named
        jobs.append(Job(core, thread, packer, whose, known))
    return jobs


def _of_interfaces(core: Coprocessor, thread: int, fields: Fields) -> Job:
    """What the only packer does; an empty mask is that of all its interfaces."""
    for name in _UNKNOWN_FIELDS:
        if fields[name]:
            raise Refused(
                "E0601",
                f"a pack with {name} {fields[name]}, which is not modelled on {core.chip.title}: "
                "its page names it, and leaves it to be described",
                f"leave {name} at 0",
            )
    every, mask = range(core.chip.tiles.interfaces), fields["ReadIntfSel"]
    reading = tuple(one for one in every if mask >> one & 1) or tuple(every)
    known = KnownSettings(core, thread)
    if not fields["DstAccessMode"]:
        return Job(core, thread, 0, thread, known, reading)
    if reading != (*range(len(reading)),):
        message = f"a pack with DstAccessMode 1 and ReadIntfSel {mask:#06b}, which no source says"
        raise Refused("E0701", message, "ReadIntfSel selects the first interfaces: 1, 3, 7 or 15")
    if follow_order(core, thread) != BOTH:
        raise Refused(
            "E0701",
            "a pack with DstAccessMode 1 while rows of Dst are in their usual order",
            "set DEST_ACCESS_CFG_remap_addrs and DEST_ACCESS_CFG_swizzle_32b to 1 before Dst is "
            "written",
        )
    return Job(core, thread, 0, thread, known, reading, STRIDE)
