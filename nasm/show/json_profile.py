"""The document of a profile."""

from __future__ import annotations

from typing import Any

from nasm.analysis.profile.records import Profile
from nasm.show.documents import LEFT_OUT, Key, Shape, each, pairs, part, plain
from nasm.show.jsonable import OF_ALLOWED, OF_TARGET, PROBLEM, place, problem_list

TIME: Shape = (
    Key("microseconds", "the simulated time"),
    Key(
        "ticks",
        "the same in ticks: every time below that is not described as microseconds is in ticks",
    ),
    Key("ticks_per_microsecond", "how long a tick is"),
    Key(
        "entry_and_exit_microseconds",
        "what a device takes before and after the program, which is not in these times; null if "
        "not known",
        "entry_and_exit",
    ),
)
CHAIN = Key(
    "chain",
    "engines and DMA that take turns on the critical path where none is busy for most of the run, "
    "else null: `rounds`; `links` with `name`, `ticks` of the path and `busy` ticks",
    shape=(each("links", (Key("name"), Key("ticks"), Key("busy"))), Key("rounds")),
    elsewhere=True,
)
ENGINE: Shape = (
    Key("core", "the core"),
    Key("engine", "the engine; `busy`, its stalls and `empty` are the whole time together"),
    Key("instructions", "instructions that completed"),
    Key("busy", "while one of its units worked"),
    each(
        "stalls",
        (
            Key("cause", "why none did: `semaphore`, `data`, `unit`, `port`, `core`"),
            Key("by", "of a semaphore, whose post ended the wait: an engine, or `DMA`; else empty"),
            Key("ticks", "for how long"),
        ),
    ),
    Key("empty", "after its last instruction had started and its unit was done"),
    Key("active", "while any of its instructions had started and not completed"),
)
MOVED: Shape = (
    Key("core", "the core"),
    Key("ring", "the DMA queue; null: all of them together"),
    Key("transfers", "transfers that were issued"),
    Key("active", "while any share had started and not landed"),
    Key("packet_time", "the busy time of all DMA engines together", "busy"),
    Key("bytes", "bytes"),
    Key("descriptors", "descriptors"),
    Key("channels", "DMA engines that moved any of it"),
)
BOUND: Shape = (
    Key("name", "a bound, as the vendor calls it: [profile.md](profile.md#bounds)"),
    Key(
        "microseconds",
        "the time that the run cannot be shorter than, if nothing changes but what is above",
    ),
    Key("above", "the bound that it is part of; empty of the whole"),
    Key("gap", "how much shorter it is, in microseconds"),
    Key("meaning", "what it is the time of"),
)
RATES: Shape = (
    Key("hardware_flops", "operations of all matmuls, transposes included", "flops"),
    Key("transpose_flops", "those of transposes", "transposes"),
    Key(
        "adjusted_hardware_flops",
        "all of them, weighted by dtype: float32 counts four times",
        "adjusted",
    ),
    Key("adjusted_transpose_flops", "those of transposes, likewise", "adjusted_transposes"),
    Key("memory", "the memory outside of the cores, `hbm`:"),
    Key("read_bytes", "bytes read from it", "read"),
    Key("written_bytes", "bytes written to it", "written"),
    Key("minimum_bytes", "bytes of it if each were read once or written once", "minimum"),
    Key(
        "mfu",
        "operations without transposes, as a fraction of what the array could do in this time with "
        "numbers as `rates.peak` says; null: no peak is known",
    ),
    Key("hfu", "the same with transposes"),
    Key("mbu", "bytes of HBM as a fraction of what one stack could give"),
    Key("arithmetic_intensity", "operations without transposes per byte of HBM", "intensity"),
    Key("peak_flops_bandwidth_ratio", "the intensity at which both peaks are met", "ridge"),
    Key("mfu_max_achievable", "the MFU that this intensity allows", "mfu_limit"),
    Key(
        "peak",
        "the numbers that the peak of these is given for, `16-bit`; empty if the target does not "
        "say",
    ),
    Key(
        "dtype_mfu",
        "as `rates.mfu`, of the peak of the dtypes that were computed in: for float32 four times "
        "as much",
    ),
    Key("dtype_hfu", "the same with transposes"),
    Key(
        "dtype_peak_flops_bandwidth_ratio",
        "the intensity at which that peak and the memory's are met; null without useful operations",
        "dtype_ridge",
    ),
    Key(
        "dtype_mfu_max_achievable",
        "the `rates.dtype_mfu` that the intensity allows; null likewise",
        "dtype_mfu_limit",
    ),
    Key(
        "roofline",
        "`memory-bound` or `compute-bound`; empty if nothing was computed or moved",
        "verdict",
    ),
)
LINE: Shape = (
    Key("queue", "an engine, with its core if there are several"),
    place("the line that it was on the path with"),
    Key("text", "its text"),
    Key("ticks", "for how long"),
    Key("steps", "how many times"),
    Key("edge", "why most of that is on the path: see [profile.md](profile.md#the-critical-path)"),
    pairs("parts", "its ticks by what they were"),
    Key(
        "slack",
        "how much later it could have started, each time, without making the run longer. Lines "
        "that are not on the path follow those that are",
    ),
)
PATH: Shape = (
    each(
        "spent",
        (
            Key("who", "who was at work on the critical path: an engine, `DMA`, or `engines`"),
            Key("doing", "doing what"),
            Key("ticks", "for how long: all together are the length of the path"),
        ),
    ),
    pairs("evidence", "its ticks by the evidence for them: `documented`, `measured`, `assumed`"),
    each("lines", LINE, "path"),
)
OUTCOME: Shape = (
    Key("name", "a run without something: without what"),
    Key("ticks", "how long it takes; null: there is no such run"),
    Key("saved", "how much shorter that is; below 0 if it is longer"),
    Key("reason", "why there is no such run"),
)
FINDING: Shape = (
    Key(
        "warning",
        "a problem: what costs time, and what to do about it",
        "problem",
        PROBLEM,
        elsewhere=True,
    ),
    Key("count", "how often that was so,"),
    Key("found", "what was found,"),
    Key("limit", "what the limit is,"),
    Key("unit", "and in which unit: `bytes`, `channels`, `percent` (of the run) or `times`"),
)
UNIT: Shape = (
    Key("core", "of a unit that the engines of a core share, if there are some: the core"),
    Key("unit", "its name"),
    Key("instructions", "instructions that it executed"),
    Key("busy", "while it worked"),
)
PROFILE: Shape = (
    Key("program", "the file, as it was given"),
    OF_TARGET,
    Key("status", "as of run"),
    part("time", TIME, read=lambda profile: profile),
    pairs("evidence", "busy cycles of all engines by the evidence for their cost", "busy"),
    Key("verdict", "what bound the run, in a sentence"),
    CHAIN,
    each("engines", ENGINE),
    each("moved", MOVED),
    each("bounds", BOUND),
    part("rates", RATES),
    part("path", PATH, read=lambda profile: profile),
    each("outcomes", OUTCOME),
    each("findings", FINDING),
    problem_list("warnings", "notes on what allows none of these", "unused"),
    OF_ALLOWED,
    each("units", UNIT, lambda profile: profile.units or LEFT_OUT),
)

TABLES: Shape = (
    each(
        "tables",
        (
            Key(
                "table",
                "a table that `--tables` wrote: [tools.md](tools.md#tables-of-a-profile); else the "
                "list is empty",
            ),
            Key("file", "the file"),
            Key("rows", "how many rows it has"),
        ),
        "kept",
    ),
)
"""What the command adds."""
OF_RUN: Shape = (
    problem_list("hazards", "legal text, wrong program"),
    problem_list("problems", "why the run stopped"),
)
"""What a profile has of the report of its run."""


def profile(record: Profile) -> dict[str, Any]:
    """Where the time of a run went."""
    return plain(record, PROFILE)
