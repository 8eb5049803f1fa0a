"""Waiting, and doing nothing."""

from __future__ import annotations

from nasm.targets.neuron import costs
from nasm.targets.neuron.isa.table import EVERY_ENGINE, ISA, Names

SCHEMA = "Neuron Explorer profile schema, control opcodes"


@ISA.instruction(
    engines=EVERY_ENGINE,
    cost=costs.control("event_ns"),
    vendor=Names("", "EVENT_SEMAPHORE", ""),
    formula="wait, then update",
    example="EventSemaphore",
    source=SCHEMA,
)
def EventSemaphore() -> None:
    """Only wait for a semaphore, only update one, or both."""


@ISA.instruction(
    engines=EVERY_ENGINE,
    cost=costs.control("nop_ns"),
    vendor=Names("", "NOP", ""),
    formula="nothing",
    example="Nop",
    source=SCHEMA,
)
def Nop() -> None:
    """Do nothing; it may still wait and update."""
