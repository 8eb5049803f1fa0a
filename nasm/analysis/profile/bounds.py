"""What a run could not be faster than, and what it made of the machine: the vendor's definitions.

The names are those of the vendor's guide to bounds and of the summary of its profiler.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum

from nasm.analysis.operations import peak_flops
from nasm.analysis.profile.records import Bound, EngineTimes, Moved, Rates
from nasm.isa.generation import Generation


def rates(
    generation: Generation,
    array: str,
    cores: int,
    nanoseconds: float,
    flops: Sequence[tuple[int, float, bool]],
    moved: tuple[int, int, int],
) -> Rates:
    """Operations and bytes compared with the machine's peaks.

    ``array`` is the engine that does them; ``flops`` are those of every kind of instruction: how
    many, in units of the peak, and whether they transpose; ``moved`` the bytes that were read,
    written, and needed.
    """
    count, spent = sum(n for n, _, _ in flops), fsum(a for _, a, _ in flops)
    transposes = sum(n for n, _, t in flops if t)
    adjusted = fsum(a for _, a, t in flops if t)
    read, written, least = moved
    peak, memory = peak_flops(generation, array), generation.numbers.get("memory_bytes_per_ns")
    most = peak * cores * nanoseconds if peak else None
    useful, touched = count - transposes, read + written
    ridge = peak / memory.value if peak and memory else None
    intensity = useful / touched if touched else None
    own = spent - adjusted  # what is useful, in units of the peak
    limit = own_ridge = own_limit = None
    verdict = ""
    if intensity is not None and ridge is not None and useful:
        own_ridge = ridge * useful / own
        limit, own_limit = min(1.0, intensity / ridge), min(1.0, intensity / own_ridge)
        verdict = "memory-bound" if own_limit < 1 else "compute-bound"
    return Rates(
        flops=count,
        transposes=transposes,
        adjusted=spent,
        adjusted_transposes=adjusted,
        read=read,
        written=written,
        minimum=least,
        memory=" and ".join(m.name for m in generation.memories.values() if not m.partitions),
        mfu=useful / most if most else None,
        hfu=count / most if most else None,
        mbu=touched / (memory.value * nanoseconds) if memory and nanoseconds else None,
        intensity=intensity,
        ridge=ridge,
        mfu_limit=limit,
        peak=generation.peak,
        dtype_mfu=own / most if most else None,
        dtype_hfu=spent / most if most else None,
        dtype_ridge=own_ridge,
        dtype_mfu_limit=own_limit,
        verdict=verdict,
    )


def bounds(
    generation: Generation,
    array: str,
    total: int,
    engines: Sequence[EngineTimes],
    moved: Sequence[Moved],
    found: Rates,
    cores: int,
) -> tuple[Bound, ...]:
    """The times from the whole of the run down to what memory and the array need at least."""
    micro = generation.ticks
    whole = [m for m in moved if m.ring is None]
    memory = max((m.active for m in whole), default=0) / micro
    compute = max((e.active for e in engines if e.engine == array), default=0) / micro
    longest = max(engines, key=lambda e: e.active)
    pipeline = max(longest.active / micro, memory)
    slowest = "DMA" if memory >= longest.active / micro else longest.name
    times = {
        "total_time": (total / micro, "", "all of the run"),
        "perfect_pipeline": (pipeline, "total_time", f"{slowest}, if it never waited"),
        "memory_bound": (memory, "perfect_pipeline", "transfers in flight"),
    }
    wire = generation.numbers.get("dma_peak_bytes_per_ns")
    if wire is not None:
        rate = wire.value * generation.channels * cores * 1000
        moved_bytes = sum(m.bytes for m in whole)
        least = min(moved_bytes, found.minimum)  # instructions may have touched the rest of it
        times |= {
            "memory_bound_ideal": (
                moved_bytes / rate,
                "memory_bound",
                "its bytes at the peak rate",
            ),
            "memory_bound_no_reloads": (least / rate, "memory_bound_ideal", "every byte once"),
        }
    peak = peak_flops(generation, array)
    if peak is not None and found.flops:
        times["compute_bound"] = compute, "perfect_pipeline", f"{array} at work"
        rate = peak * cores * 1000
        useful = found.adjusted - found.adjusted_transposes
        times |= {
            "compute_bound_ideal_flops": (
                found.adjusted / rate,
                "compute_bound",
                "its operations at the peak",
            ),
            "compute_bound_useful_flops": (
                useful / rate,
                "compute_bound_ideal_flops",
                "transposes left out",
            ),
        }
    return tuple(
        Bound(name, time, above, times[above][0] - time if above else 0.0, meaning)
        for name, (time, above, meaning) in times.items()
    )
