"""AWS Neuron: NeuronCore-v2 (Trn1, Inf2), v3 (Trn2) and v4 (Trn3)."""

from __future__ import annotations

from nasm.isa.target import Samples, Sequencing, Target
from nasm.targets.neuron import dma, explorer, indirection, rules
from nasm.targets.neuron.activations import ACTIVATIONS
from nasm.targets.neuron.alu import OPERATORS
from nasm.targets.neuron.collectives.exchanges import COLLECTIVES
from nasm.targets.neuron.computing import COMPUTING
from nasm.targets.neuron.figures import FIGURES
from nasm.targets.neuron.generations import GENERATIONS
from nasm.targets.neuron.isa import ISA
from nasm.targets.neuron.options import OPTIONS, casting, interlocked
from nasm.targets.neuron.paces import PACES
from nasm.targets.neuron.split_instructions import halves

SAMPLES = Samples(
    tensors=(
        ".hbm   A     bf16[128, {n}]",
        ".hbm   n     i32[1]  input = [5]",
        ".sbuf  a     bf16[128, {n}]",
        ".sbuf  b     bf16[128, {n}]",
        ".sbuf  c     f32[128, {n}]",
        ".sbuf  m     f32[128, 1]",
        ".sbuf  best  bf16[128, 8]",
        ".sbuf  at    u32[128, 8]",
        ".psum  acc   f32[128, {n}]",
    ),
    transfer=".dma load\n    a <- A\n.end",
    outside="hbm",
    fill={
        "sbuf": "@sync DmaCopy {dst}, {dst}_in $ready += 16",
        "psum": "@vector Memset {dst}, 0 $ready += 16",
    },
    semaphores=".sem ready",
    posts=16,
    wait="EventSemaphore $ready >= {count}",
    labelled="Nop",
)

TARGET = Target(
    name="neuron",
    module=__name__,
    summary="AWS Neuron: NeuronCore-v2, v3 and v4",
    isa=ISA,
    generations=GENERATIONS,
    rules=(*rules.EVERYWHERE, *indirection.EVERYWHERE),
    plan=dma.plan,
    samples=SAMPLES,
    options=OPTIONS,
    figures=FIGURES,
    casting=casting,
    paces=PACES,
    interlocked=interlocked,
    vocabulary={
        "operator": {o.name: o.summary for o in OPERATORS.values()},
        "activation function": {a.name: a.formula for a in ACTIVATIONS.values()},
    },
    sequencing=Sequencing(
        wait="EventSemaphore",
        clear="EventSemaphoreRangeClear",
        move="RegisterMove",
        compute="RegisterAlu",
        branch="CompareBranch",
    ),
    computing=COMPUTING,
    halves=halves,
    profiled=explorer.profiled,
    collectives=COLLECTIVES,
)
