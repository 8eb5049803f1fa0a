"""What the documents and the public simulator disagree on, and the bugs of the hardware."""

from __future__ import annotations

from nasm.base.records import dataclass


@dataclass(frozen=True, slots=True)
class Quirks:
    """Which of two readings holds. The defaults are the documents', and hardware with its bugs.

    Attributes:
        store_flushes_denormals: A store as FP32 makes denormals zeros of their sign (simulator);
            otherwise it stores all bits as they are (documents).
        rounding_always_draws: Rounding advances the random numbers of its lanes even if it
            rounds to nearest (simulator).
        abs_keeps_minus_infinity: The magnitude of a float leaves -Inf as it is, which the
            documents' code says; otherwise NaNs alone, as their text and the simulator do.
        stack_bug: A pop that peeks at a full stack overwrites its bottom entry.
        shift_bug: Mode 4 of shifts of lanes moves lane 7 of what modes 2 and 3 rotated last into
            lane 0 of each row; otherwise 0.
        table_bug: Mode 10 of the large table takes VD from L7; otherwise from the instruction.
        rounding_bias: Stochastic rounding rounds up where the bits that are cut off are not less
            than the draw; otherwise where they are more.
    """

    store_flushes_denormals: bool = False
    rounding_always_draws: bool = False
    abs_keeps_minus_infinity: bool = False
    stack_bug: bool = True
    shift_bug: bool = True
    table_bug: bool = True
    rounding_bias: bool = True


DOCUMENTED = Quirks()
