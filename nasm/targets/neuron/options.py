"""Machine options: two readings that are both plausible, or what the runtime lets one choose."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from nasm.base.dtypes import Casting
from nasm.isa.evidence import Evidence
from nasm.isa.options import Option, OptionValue, defaults

DOC, ASSUMED = Evidence.DOCUMENTED, Evidence.ASSUMED

OPTIONS = (
    Option(
        "rounding",
        "nearest",
        "How results are rounded into the 16-bit and 8-bit floats.",
        DOC,
        "Neuron runtime, NEURON_RT_STOCHASTIC_ROUNDING_EN: off by default; which random bits are "
        "added, and that a DMA that converts does so too, is assumed",
        {
            "nearest": "to the nearest value, ties to even",
            "stochastic": "up or down by chance, the nearer the likelier",
        },
    ),
    Option(
        "rounding.seed",
        0,
        "The seed of stochastic rounding.",
        DOC,
        "PyTorch Neuron environment variables, NEURON_RT_STOCHASTIC_ROUNDING_SEED: 0 by default",
        low=0,
        high=2**64 - 1,
    ),
    Option(
        "cast.overflow",
        "infinity",
        "What becomes of values beyond the largest of float8_e3m4, float8_e4m3 and float8_e5m2.",
        DOC,
        "nki.isa.range_select: what is too small becomes -inf; the MX quantisation reference has "
        "a mode for OCP saturation",
        {
            "infinity": "they become infinite; float16 and bfloat16 always do",
            "saturate": "they become the largest finite value, and so do infinities",
        },
    ),
    Option(
        "cast.e4m3fn",
        "nan",
        "What becomes of values beyond 448 in float8_e4m3fn.",
        ASSUMED,
        "not documented; the dtype has no infinity, and ml_dtypes gives NaN",
        {
            "nan": "they become NaN, infinities too",
            "saturate": "they become 448, and so do infinities",
        },
    ),
    Option(
        "nan.maximum",
        "propagate",
        "What maximum and minimum do with NaN.",
        ASSUMED,
        "not documented; the vendor's simulator computes with NumPy, whose maximum gives NaN",
        {
            "propagate": "the result is NaN if either operand is",
            "ignore": "the result is the other operand, NaN only if both are",
        },
    ),
    Option(
        "accumulate",
        "before_cast",
        "Which value an instruction that also reduces its results accumulates.",
        ASSUMED,
        "nki.isa.activate2 and exponential write the sum of dst; the accumulators hold float32",
        {"before_cast": "the float32 result", "after_cast": "the result as dst holds it"},
    ),
    Option(
        "quantize_mx.scale",
        "nki",
        "Which power of two nki.isa.quantize_mx takes for the scale of a block.",
        DOC,
        "nki.isa.quantize_mx, Neuron SDK 2.32; the published reference for Trainium3 has the other",
        {
            "nki": "one that brings the largest value of the block to half the range of the dtype",
            "ocp": "that of the OCP specification: to the whole range, what is beyond clipped",
        },
        since="v4",
    ),
    Option(
        "mx.scale255",
        "nan",
        "What the scale byte 255 means in an MX multiplication.",
        ASSUMED,
        "OCP microscaling: 255 is NaN; the published reference evaluates 2**128, infinite in "
        "float32",
        {"nan": "NaN", "infinity": "infinity"},
        since="v4",
    ),
    Option(
        "ordering",
        "interlock",
        "Whether an engine waits for its own earlier results.",
        ASSUMED,
        "the vendor's programs wait for their own engine's semaphore (performance guide, figure "
        "16), but no source says what happens without; SET_ORDERING_MODE in profiles",
        {
            "interlock": "an instruction that reads what an earlier one of its queue has yet to "
            "write waits for it",
            "relaxed": "it does not, reads what is there, and is reported as a hazard",
        },
    ),
    Option(
        "power_ramp",
        "on",
        "Whether Tensor is slow after a pause.",
        DOC,
        "Neuron Explorer glossary, dI/dt throttling; that it is decided when a matmul starts, "
        "and the sliding window, are assumed",
        {
            "on": "after less than half of 3 µs at work it runs at half its rate for 3 µs",
            "off": "it is always at its full rate",
        },
        since="v3",
    ),
    Option(
        "vector.bus",
        "shared",
        "What becomes of Vector's fast modes while GpSimd is at work in SBUF.",
        ASSUMED,
        "Trainium2 architecture guide: they use a bus that GpSimd shares, arbitrated by the "
        "hardware; how is not said, nor what it costs GpSimd",
        {
            "shared": "an instruction of Vector that starts then runs at the plain rate",
            "free": "they are as fast as ever",
        },
        since="v3",
    ),
    Option(
        "stride.sixteen",
        "half",
        "How fast a tile streams whose elements are 16 bytes apart.",
        ASSUMED,
        "architecture guides: below 16 bytes at the full rate, above at half; at 16 not said",
        {"half": "at half the rate", "full": "at the full rate"},
        until="v2",
    ),
    Option(
        "copy_predicated.cost",
        "two_ports",
        "How a choice by a predicate reads that and a tile in SBUF.",
        ASSUMED,
        "nki.isa.tensor_copy_predicated prints 2N for every generation, as it does for "
        "tensor_tensor, which was measured at N on Trainium2; no source times a choice there",
        {
            "two_ports": "both at a time, an element per cycle, as tensor_tensor does",
            "one_port": "in turn, two cycles per element, as v2 does",
        },
        since="v3",
    ),
    Option(
        "local_gather.cost",
        "multiply",
        "How the time of nki.isa.local_gather depends on the cycles of an element.",
        ASSUMED,
        "nki.isa.local_gather prints a division, against which its text speaks",
        {"multiply": "it grows with them", "divide": "it is divided by them, as it is printed"},
    ),
)
"""Every option of a NeuronCore."""

DEFAULTS = defaults(OPTIONS)


def interlocked(options: Mapping[str, OptionValue]) -> bool:
    """Whether engines wait for their own earlier results."""
    return options["ordering"] == "interlock"


def casting(options: Mapping[str, OptionValue], stream: int) -> Casting:
    """The casts of a stream of instructions, as the options have them."""
    saturating: list[str] = []
    if options["cast.overflow"] == "saturate":
        saturating += ["float8_e3m4", "float8_e4m3", "float8_e5m2"]
    if options["cast.e4m3fn"] == "saturate":
        saturating.append("float8_e4m3fn")
    chance = None
    if options["rounding"] == "stochastic":
        seed = np.random.SeedSequence((int(options["rounding.seed"]), stream))
        chance = np.random.Generator(np.random.PCG64(seed))
    return Casting(frozenset(saturating), chance)
