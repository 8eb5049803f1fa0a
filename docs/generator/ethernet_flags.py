"""The flags of the Ethernet queues, from their rows."""

from __future__ import annotations

from generator.markdown import code, table
from nasm.targets.tensix.ethernet.commands import FLAGS


def flags() -> str:
    """A table of them."""
    rows = []
    for row in FLAGS:
        side = "response" if row.response else "request"
        rows.append((code(row.name), code(f"{row.value:#x}"), side, row.meaning))
    return table(("flag", "value", "of a", "meaning"), rows)
