"""How long the front end takes, and how much its FIFOs hold.

Sources: the pages of the coprocessor and of both expanders of the public ISA documentation of
Wormhole B0, and its diagram of the front end.
"""

from __future__ import annotations

from typing import Final

MOP_FIFO: Final = (32, 16, 16)
"""Words before the MOP expander of each thread."""
REPLAY_FIFO: Final = 8
"""Words before the replay expander."""
GATE_FIFO: Final = 2
"""Words before the wait gate."""

STAGE_INTERVAL: Final = 1
"""Cycles from one word to the next at every stage."""
MOP_BUBBLE: Final = 1
"""Cycles without a word between what an expanded word makes and one that is not expanded."""


def mop_bubble(opcode: int, after_mop: bool) -> int:
    """Cycles that the MOP expander loses before a word that follows the last one of a template."""
    return MOP_BUBBLE if after_mop and opcode != 0x01 else 0
