"""The document of a sweep."""

from __future__ import annotations

from nasm.show.documents import Key, Shape, each, pairs

ROW: Shape = (
    pairs("point", "the values it was run with, by name"),
    Key("status", "`finished`, `refused`, `timeout`, `died`, or how else the run ended"),
    Key("ok", "whether it finished, without hazards, and all that the program promises holds"),
    Key("reason", "why not; empty if it is ok"),
    Key("code", "the code of the first problem, for `neuron-nasm explain`; empty if there is none"),
    Key("target", "the target it ran on; empty if it did not run"),
    Key("ticks", "its time in ticks; this and the next four are null if it did not run"),
    Key("microseconds", "its time"),
    Key("mfu", "useful operations over the peak of their dtypes, from 0 to 1; null without any"),
    Key("dma_bytes", "bytes that DMA moved"),
    Key("instructions", "how many completed"),
    Key("hazards", "how many hazards were found"),
    Key("verdict", "what bounds it, in a sentence"),
    Key("trace_hash", "a hash of its trace: equal runs have equal ones"),
    Key("memory_hash", "a hash of its memory at the end; empty without values"),
    pairs("files", "the files that it read, each with a hash of its content"),
    Key("seconds", "processor time that it took here: the one key that differs from run to run"),
)
EFFECT: Shape = (
    Key("name", "a name that has several values; the most important first"),
    Key("best", "the value of the best run"),
    Key("best_figure", "the figure of that run, in µs, from 0 to 1, bytes or instructions"),
    Key("worst", "the value that is worst even with the best of all other values"),
    Key("worst_figure", "the figure of the best run with it"),
)
SWEEP: Shape = (
    Key("varied", "the names that have several values"),
    Key("by", "what runs are compared by: `time`, `mfu`, `bytes` or `instructions`"),
    Key("kept", "how many rows were kept from before"),
    each("effects", EFFECT),
    each("rows", ROW, "ordered"),
)
