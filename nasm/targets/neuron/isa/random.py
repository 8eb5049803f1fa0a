"""Random numbers: what is drawn from the engines' generators, and how these are seeded.

Every engine that has a generator has its state in each of its 128 lanes; it lasts for the run.
The generators are project-defined, not hardware-exact: see :mod:`nasm.targets.neuron.prng`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from nasm.base.dtypes import ElementKind
from nasm.base.problems import Refused
from nasm.isa.implicit_kinds import EngineValue, LanesOf, Part, ShapeOf
from nasm.isa.instruction import About, InstructionContext, Operand, in_bits
from nasm.isa.kinds import Choice, Either, Number, Tile
from nasm.targets.neuron import gpsimd_costs
from nasm.targets.neuron.isa.table import FLOAT_COLUMN, INTEGERS, ISA, LANES, ONCHIP, Names
from nasm.targets.neuron.prng import XORWOW_WORDS, Generator, Lfsr, Words, Xorwow
from nasm.targets.neuron.rules import DTYPE, LIMIT, MODE, SHAPE, rule, same_partitions, same_shape
from nasm.views.view import View

DROPOUT, RNG, RAND2 = "nki.isa.dropout", "nki.isa.rng", "nki.isa.rand2"
SEED, SET, GET = "nki.isa.set_rng_seed", "nki.isa.rand_set_state", "nki.isa.rand_get_state"
OURS = "the generator is project-defined, not hardware-exact"
STREAMS = 4
"""Streams of a lane of Vector on v4."""

INTO = ("float8_e4m3", "float8_e5m2", "float16", "bfloat16", "float32", "tfloat32", *INTEGERS)


def _unseeded(context: InstructionContext) -> Generator:
    """What an engine's generator holds when a run begins."""
    if context.engine == "gpsimd":
        return Xorwow.unseeded(1)
    return (
        Xorwow.unseeded(STREAMS) if context.generation.switches["vector_xorwow"] else Lfsr.seeded(0)
    )


def _parts(held: Generator) -> Iterator[Part]:
    """The words of the generator in every lane."""
    yield "the state in each lane", held.states, None


GENERATOR = EngineValue(
    "random numbers", "every run begins with the same", initial=_unseeded, parts=_parts
)


def uniform(words: Words) -> Any:
    """Words as float32 in [0, 1): their upper 24 bits, exact."""
    return (words >> np.uint32(8)).astype(np.float32) * np.float32(2.0**-24)


@rule(DTYPE, "data is of integers or floats, and dst of the same dtype", DROPOUT)
def dropped_dtypes(context: InstructionContext) -> str | None:
    """Elements stay as they are or become zero."""
    dst, data = context.operands["dst"].dtype, context.operands["data"].dtype
    if data.kind in (ElementKind.PACKED, ElementKind.SCALE):
        return About("data", f"data is {data}")
    return None if dst is data else f"dst is {dst}, data {data}"


@rule(
    DTYPE,
    "prob is float32 where data is of integers, of any float where data is",
    DROPOUT,
    about="prob",
)
def prob_dtype(context: InstructionContext) -> str | None:
    """What a tile of probabilities may hold."""
    prob, data = context.operands["prob"], context.operands["data"].dtype
    if not isinstance(prob, View):
        return None
    if prob.dtype.is_float and (data.is_float or prob.dtype.name == "float32"):
        return None
    return f"prob is {prob.dtype} with data of {data}"


@ISA.instruction(
    Operand("dst", LANES, "w"),
    Operand("data", LANES),
    Operand(
        "prob",
        Either((Number(), Tile(ONCHIP, column=True))),
        doc="a number, or one value per partition",
    ),
    Operand(
        "threshold_type",
        Choice(("drop_rate", "keep_rate"), "threshold_type"),
        default="drop_rate",
        doc="whether prob is the probability of dropping an element or of keeping it",
    ),
    Operand("generator", GENERATOR, "rw"),
    Operand("lanes", LanesOf("data")),
    engines=("vector",),
    rules=(same_shape("dst", "data"), same_partitions("data", "prob"), dropped_dtypes, prob_dtype),
    cost=gpsimd_costs.dropped("data"),
    domain=in_bits,
    vendor=Names("dropout", "", "Dropout"),
    formula="dst = 0 where u < prob, else data; u = the engine's next random numbers, in [0, 1)",
    tensors=".sbuf thin bf16[128, {n}]",
    example="Dropout thin, a, 0.25",
    source=f"{DROPOUT}; KLR Dropout for threshold_type; {OURS}, and drawn from for each element",
)
def Dropout(
    data: Any, prob: Any, threshold_type: str, generator: Generator, lanes: slice
) -> tuple[Any, Generator]:
    """Set elements to zero at random, and leave the others as they are.

    prob is the probability of becoming zero, or with threshold_type=keep_rate of staying. What
    stays is not scaled up.
    """
    words, generator = generator.draw(lanes.start, *data.shape)
    below = uniform(words) < np.asarray(prob).astype(np.float32)
    dropped = below if threshold_type == "drop_rate" else ~below
    return np.where(dropped, np.zeros(1, data.dtype), data), generator


@ISA.instruction(
    Operand("dst", Tile(ONCHIP, INTEGERS), "w"),
    Operand("generator", GENERATOR, "rw"),
    Operand("lanes", LanesOf("dst")),
    Operand("shape", ShapeOf("dst")),
    engines=("vector", "gpsimd"),
    engine_since={"gpsimd": "v3"},
    cost=gpsimd_costs.drawn("dst"),
    domain=in_bits,
    vendor=Names("rng", "", "Rng"),
    formula="dst = the low bits of the engine's next random numbers",
    tensors=".sbuf dice u32[128, {n}]",
    example="Rng dice",
    source=f"{RNG}; Trainium3 guide, 'XORWOW-based PRNG'; {OURS}",
)
def Rng(generator: Generator, lanes: slice, shape: tuple[int, int]) -> tuple[Any, Generator]:
    """Fill a tile with random bits: 32 for each element.

    Narrower dtypes keep the low ones. Every partition is a lane with its own stream, which
    continues where the last instruction of the engine that drew from it left it. A run begins as
    after SetRngSeed with 0 where Vector has its LFSR; where there is XORWOW, word j of lane p is
    splitmix32(p * w + j), w being the 6 words of a lane on GpSimd, and the 24 on Vector.
    """
    return generator.draw(lanes.start, *shape)


@rule(MODE, "min is less than max", RAND2, each=True)
def ordered(context: InstructionContext) -> str | None:
    """Where both are numbers."""
    low, high = context.operands["min"], context.operands["max"]
    if isinstance(low, View) or isinstance(high, View) or low < high:
        return None
    return f"min={low} with max={high}"


BOUND = Either((Number(), FLOAT_COLUMN))


@ISA.instruction(
    Operand("dst", Tile(ONCHIP, INTO), "w"),
    Operand("min", BOUND, doc="a number, or one value per partition"),
    Operand("max", BOUND, doc="a number, or one value per partition"),
    Operand("generator", GENERATOR, "rw"),
    Operand("lanes", LanesOf("dst")),
    Operand("shape", ShapeOf("dst")),
    engines=("vector",),
    since="v4",
    rules=(same_partitions("dst", "min", "max"), ordered),
    cost=gpsimd_costs.drawn("dst"),
    vendor=Names("rand2", "", "Rand2"),
    formula="dst = (u >> 8) * 2**-24 * (max - min) + min; u = the engine's next random numbers",
    tensors=".sbuf chance f32[128, {n}]",
    example="Rand2 chance, -1.0, 1.0",
    source=f"{RAND2}; {OURS}, and so is the way from bits to numbers",
)
def Rand2(
    min: Any, max: Any, generator: Generator, lanes: slice, shape: tuple[int, int]
) -> tuple[Any, Generator]:
    """Fill a tile with random numbers, uniform from min up to max.

    They are made in float32, of 24 random bits each, and converted to dst's dtype.
    """
    words, generator = generator.draw(lanes.start, *shape)
    low, high = (np.asarray(bound).astype(np.float32) for bound in (min, max))
    if not (low < high).all():
        raise Refused("E0407", f"in a partition min is not less than max ({RAND2})")
    return uniform(words) * (high - low) + low, generator


@rule(SHAPE, "src_seeds is one element", SEED, about="src_seeds")
def one_seed(context: InstructionContext) -> str | None:
    """[1, 1]."""
    found = context.operands["src_seeds"].size
    return None if found == 1 else f"src_seeds has {found} elements"


@ISA.instruction(
    Operand("generator", GENERATOR, "w"),
    Operand("src_seeds", Tile(ONCHIP, ("uint32", "int32", "float32")), doc="[1, 1]"),
    engines=("vector",),
    until="v3",
    rules=(one_seed,),
    cost=gpsimd_costs.seeded("src_seeds"),
    domain=in_bits,
    vendor=Names("set_rng_seed", "", "SetRngSeed"),
    formula="lane p's state = splitmix32(src_seeds + p)",
    tensors=".sbuf seed u32[1, 1] input = [7]",
    example="SetRngSeed seed",
    source=f"{SEED}; KLR names trn1 and trn2; {OURS}, and so is what becomes of the seed",
)
def SetRngSeed(src_seeds: Any) -> Generator:
    """Seed Vector's generator in all lanes: the same seed, the same numbers."""
    return Lfsr.seeded(int(np.ascontiguousarray(src_seeds).view(np.uint32)[0, 0]))


STATE = """
    .sbuf words u32[128, 6]
    @vector .sbuf words u32[128, 24]"""
"""What a state is stored in."""


def _state_words(name: str, source: str) -> Any:
    @rule(LIMIT, f"{name} has 6 words per partition on GpSimd, 24 on Vector", source, names=(name,))
    def check(context: InstructionContext) -> str | None:
        wanted = XORWOW_WORDS * (1 if context.engine == "gpsimd" else STREAMS)
        found = context.operands[name].elements
        if found == wanted:
            return None
        return About(
            name, f"{name} has {found} elements per partition; wanted {wanted} on {context.engine}"
        )

    return check


@ISA.instruction(
    Operand("generator", GENERATOR, "rw"),
    Operand("src_seeds", Tile(("sbuf",), ("uint32",)), doc="[P, 6] on GpSimd, [P, 24] on Vector"),
    Operand("lanes", LanesOf("src_seeds")),
    engines=("gpsimd", "vector"),
    since="v3",
    engine_since={"vector": "v4"},
    rules=(_state_words("src_seeds", SET),),
    cost=gpsimd_costs.seeded("src_seeds"),
    domain=in_bits,
    vendor=Names("rand_set_state", "", "RandSetState"),
    formula="the words x, y, z, w, v, d of each stream of lane p = src_seeds[p]",
    tensors=STATE,
    example="RandSetState words",
    source=f"{SET}; the order of the words is assumed; {OURS}",
)
def RandSetState(generator: Xorwow, src_seeds: Any, lanes: slice) -> Generator:
    """Set the state of the engine's generator in the lanes of a tile's partitions.

    A lane has one stream of six words on GpSimd, and four on Vector, one after the other.
    """
    return generator.seeded(lanes.start, src_seeds)


@ISA.instruction(
    Operand("dst", Tile(ONCHIP, ("uint32",)), "w", doc="[P, 6] on GpSimd, [P, 24] on Vector"),
    Operand("generator", GENERATOR),
    Operand("lanes", LanesOf("dst")),
    Operand("shape", ShapeOf("dst")),
    engines=("gpsimd", "vector"),
    since="v3",
    engine_since={"vector": "v4"},
    rules=(_state_words("dst", GET),),
    cost=gpsimd_costs.seeded("dst"),
    domain=in_bits,
    vendor=Names("rand_get_state", "", "RandGetState"),
    formula="dst[p] = the words x, y, z, w, v, d of each stream of lane p",
    tensors=STATE,
    example="RandGetState words",
    source=f"{GET}; the order of the words is assumed; {OURS}",
)
def RandGetState(generator: Xorwow, lanes: slice, shape: tuple[int, int]) -> Any:
    """Store the state of the engine's generator, for RandSetState to restore."""
    return generator.words(lanes.start, shape[0])
