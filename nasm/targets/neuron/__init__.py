"""AWS Neuron: NeuronCore-v2 (Trn1, Inf2), v3 (Trn2) and v4 (Trn3)."""

from __future__ import annotations

from nasm.spec.target import Target
from nasm.targets.neuron import dma, rules
from nasm.targets.neuron.generations import GENERATIONS
from nasm.targets.neuron.isa import ISA

TARGET = Target(
    name="neuron",
    summary="AWS Neuron: NeuronCore-v2, v3 and v4",
    isa=ISA,
    generations=GENERATIONS,
    rules=rules.EVERYWHERE,
    plan=dma.plan,
)
