"""The one row of the table ``Summary``: see :mod:`nasm.show.schema`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nasm.analysis.profile.records import Profile
from nasm.runs.execution import Execution


class Sums:
    """What is counted while a program runs: ``bytes`` by the names of their columns."""

    def __init__(self, memories: Sequence[str]) -> None:
        self.bytes = {f"{m}_{verb}_bytes": 0 for m in memories for verb in ("read", "write")}
        self.durations: dict[str, int] = {}
        self.matmuls = self.transfers = self.transfer_bytes = self.transfer_ticks = 0

    def moved(self, sizes: Mapping[str, int]) -> None:
        """Add what an instruction moves."""
        for column, size in sizes.items():
            self.bytes[column] += size

    def took(self, engine: str, ticks: int) -> None:
        """Add the duration of an instruction."""
        self.durations[engine] = self.durations.get(engine, 0) + ticks

    def transferred(self, size: int, ticks: int) -> None:
        """Add a transfer that has landed."""
        self.transfers += 1
        self.transfer_bytes += size
        self.transfer_ticks += ticks


def summary(session: Execution, sums: Sums) -> dict[str, Any]:
    """The run as a whole: of several cores all together, in percent of all their time."""
    profile, generation = session.profile(), session.program.generation
    times = _Times(profile, session.program.cores)
    base = generation.base.cycle
    rates = profile.rates
    row: dict[str, Any] = {
        "total_time": times.seconds(profile.ticks),
        "neuroncore_cycle_count": profile.ticks // base,
    }
    for engine in generation.engines:
        mine = [e for e in profile.engines if e.engine == engine.name]
        name, active = f"{engine.name}_engine", sum(e.active for e in mine)
        row[f"{name}_instruction_count"] = sum(e.instructions for e in mine)
        row[f"{name}_instruction_time"] = times.seconds(sums.durations.get(engine.name, 0))
        row[f"{name}_active_time"] = times.seconds(active)
        row[f"{name}_active_time_percent"] = times.percent(active)
    useful = _percent(rates.mfu)
    row |= {
        "matmul_instruction_count": sums.matmuls,
        "hardware_flops": rates.flops,
        "transpose_flops": rates.transposes,
        "adjusted_hardware_flops": rates.adjusted,
        "adjusted_transpose_flops": rates.adjusted_transposes,
        "mfu_estimated_percent": useful,
        "mfu_inst_estimated_percent": useful,
        "hfu_estimated_percent": _percent(rates.hfu),
        "mbu_estimated_percent": _percent(rates.mbu),
        "mm_arithmetic_intensity": rates.intensity,
        "peak_flops_bandwidth_ratio": rates.ridge,
        "mfu_max_achievable_estimated_percent": _percent(rates.mfu_limit),
        **sums.bytes,
        "spill_save_bytes": session.program.spilled.saved,
        "spill_reload_bytes": session.program.spilled.reloaded,
    }
    whole = [moved for moved in profile.moved if moved.ring is None]
    active = sum(moved.active for moved in whole)
    mean = sums.transfer_bytes / sums.transfers if sums.transfers else None
    return row | {
        "dma_active_time": times.seconds(active),
        "dma_active_time_percent": times.percent(active),
        "dma_active_cycles": active // base,
        "dma_packet_time": times.seconds(sum(moved.busy for moved in whole)),
        "dma_transfer_count": sums.transfers,
        "dma_transfer_time": times.seconds(sums.transfer_ticks),
        "dma_transfer_total_bytes": sums.transfer_bytes,
        "dma_transfer_average_bytes": mean,
    }


def _percent(part: float | None) -> float | None:
    return None if part is None else 100 * part


class _Times:
    """Ticks of a run as the table has them."""

    def __init__(self, profile: Profile, cores: int) -> None:
        self._profile, self._cores = profile, cores

    def seconds(self, ticks: int) -> float:
        return ticks / self._profile.ticks_per_microsecond / 1e6

    def percent(self, ticks: int) -> float | None:
        """Of the run, on all cores."""
        whole = self._profile.ticks * self._cores
        return 100 * ticks / whole if whole else None
