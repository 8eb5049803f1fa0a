"""How long unpackers, packers and the mover are at work, by the configuration as it is."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, NamedTuple

from nasm.pace import Pace
from nasm.problems import Refused
from nasm.spec.generation import Generation
from nasm.targets.tensix.core.fields import Fields, fields_of
from nasm.targets.tensix.matrix.pack import written
from nasm.targets.tensix.matrix.timing import ADDRESS_CYCLES, pack_cycles, wanted_speed
from nasm.targets.tensix.matrix.unpack import reading
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.scalar.mover import duration
from nasm.targets.tensix.state import Coprocessor

LINE = 16


class Amount(NamedTuple):
    """So many units of 16 bytes, and the speed that is wanted, in these a cycle."""

    lines: int
    speed: int


def unpacked(core: Coprocessor, thread: int, fields: Fields) -> Amount:
    """What a regular UNPACR reads; raises Refused as it does."""
    found = reading(core, thread, fields)
    speed = wanted_speed(
        found.throttle, found.source, tilized=found.tilized, to_dst=found.to_dst,
        upsampling=found.upsampling,
    )  # fmt: skip
    return Amount(max(1, -(-found.bytes // LINE)), speed)


def packed(core: Coprocessor, thread: int, fields: Fields) -> int:
    """Cycles of a PACR: of its slowest packer."""
    return max(
        max(1, pack_cycles(one.bytes, accumulates=one.accumulates))
        for one in written(core, thread, fields)
    )


def moved(core: Coprocessor, thread: int) -> int:
    """Cycles of an XMOV."""
    count = (field(core, thread, "THCON_SEC0_REG6_Buffer_size") & 0xFFFF) << 4
    direction = field(core, thread, "THCON_SEC0_REG6_Transfer_direction")
    return max(1, duration(direction, count))


class Durations(Pace):
    """Tells the machine how long what starts takes; an unpacker's least, if another slows it."""

    label, without = "durations", "durations as if all were a cycle"

    def __init__(self, generation: Generation) -> None:
        self.cycle = 1

    def at(self, key: Hashable, now: int, interval: int, latency: int) -> tuple[int, int]:
        """Interval and latency of a task that starts now."""
        assert isinstance(key, tuple)
        mnemonic, word, thread = key
        try:
            cycles = self._cycles(mnemonic, thread, fields_of(mnemonic, word))
        except Refused:
            return interval, latency
        return cycles, cycles

    def _cycles(self, mnemonic: str, thread: int, fields: Fields) -> int:
        core = self.holds
        if mnemonic == "UNPACR":
            amount = unpacked(core, thread, fields)
            return ADDRESS_CYCLES - -amount.lines // amount.speed
        return packed(core, thread, fields) if mnemonic == "PACR" else moved(core, thread)

    def save(self) -> Any:
        """It remembers nothing."""
        return ()

    def restore(self, saved: Any) -> None:
        """It remembers nothing."""
