"""How long unpackers, packers and the mover are at work, by the configuration as it is."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from inspect import signature
from typing import Any, NamedTuple

from nasm.pace import Pace
from nasm.problems import Refused
from nasm.spec.generation import Generation
from nasm.targets.tensix.core.fields import Fields, fields_of
from nasm.targets.tensix.matrix.durations import pack_durations, unpack_demand
from nasm.targets.tensix.matrix.timing import ADDRESS_CYCLES
from nasm.targets.tensix.scalar.config import field
from nasm.targets.tensix.scalar.mover import duration
from nasm.targets.tensix.state import Coprocessor

LINE = 16


class Amount(NamedTuple):
    """So many units of 16 bytes, and the speed that is wanted, in these a cycle."""

    lines: int
    speed: int


def unpacked(core: Coprocessor, thread: int, fields: Fields) -> Amount:
    """What an UNPACR reads; raises Refused as it does."""
    bytes_read, speed = unpack_demand(core, thread, **_of(fields, unpack_demand))
    return Amount(max(1, -(-bytes_read // LINE)), speed)


def packed(core: Coprocessor, thread: int, fields: Fields) -> int:
    """Cycles of a PACR: of its slowest packer."""
    each = pack_durations(core, thread, **_of(fields, pack_durations))
    return max(1, *each.values())


def _of(fields: Fields, function: Callable[..., object]) -> dict[str, int]:
    """The fields that a function asks for, by the names of its parameters."""
    names = list(signature(function).parameters)[2:]
    return {name: fields[name] for name in names}


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
