"""The document of a model: its launches, its copies, and all of them as a run."""

from __future__ import annotations

from typing import Any

from nasm.nki.model_report import ModelReport
from nasm.show.documents import Key, Shape, each, plain
from nasm.show.jsonable import RUN

LAUNCH: Shape = (
    Key("name", "a kernel that ran; the list is in order"),
    Key("begin", "when its launch began, in microseconds of the device"),
    Key("added", "the microseconds of launch and exit, which come before its own"),
    Key("microseconds", "the time of the kernel, without these"),
    Key("instructions", "instructions that completed"),
    Key("trace_hash", "as `trace_hash` of a run", lambda launch: launch.report.trace_hash),
)
RANK: Shape = (
    Key("rank", "its number"),
    Key("microseconds", "the time of its kernels, without launch and exit"),
    Key("waits", "for how many of them it waited for other ranks in collectives"),
    Key("exchanging", "how many its collectives took"),
    Key("idle", "how many passed from its end of a kernel to that of the slowest rank"),
)
COPY: Shape = (
    Key("name", "a tensor that the host copied; that takes no time here"),
    Key("bytes", "its size"),
    Key("after", "after how many launches"),
    Key("back", "true: from HBM to the host; false: to HBM"),
)
MODEL: Shape = (
    each("launches", LAUNCH),
    each("copies", COPY),
    each("ranks", RANK),
    Key("microseconds", "the time of all kernels, without launch and exit"),
    Key("device_microseconds", "the same with launch and exit of each", "end"),
    Key("total", "the sums of all kernels, as a [run](#run) has them", shape=RUN, elsewhere=True),
)


def model(report: ModelReport) -> dict[str, Any]:
    """A model: launches, copies, and the sums."""
    return plain(report, MODEL)
