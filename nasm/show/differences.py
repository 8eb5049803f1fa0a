"""What differs between two values, for a terminal."""

from __future__ import annotations

from nasm.base.problems import counted
from nasm.debugger.values.differences import ValueDifference


def shown(found: ValueDifference, width: int) -> list[str]:
    """How many elements differ and by how much, and the worst of them."""
    beyond = found.rtol is not None or found.atol is not None
    compared = found.size - found.unknown
    of = counted(compared, "element")
    if found.unknown:
        of += f" ({found.unknown:,} more are uninitialised)"
    if found.same:
        if not compared:
            return [f"nothing to compare: all {found.size:,} elements are uninitialised"]
        text = f"{of}: close" if beyond and found.largest else f"{of}: equal"
        return [
            text + (f", the largest difference is {found.largest:.6g}" if found.largest else "")
        ]
    what = "differ by more than the tolerance" if beyond else "differ"
    lines = [f"{found.differing:,} of {of} {what}; the worst:"]
    heads = ("at", _cut(found.left, width // 3), _cut(found.right, width // 3), "difference")
    rows = [
        (str(list(w.index)), f"{w.found:.9g}", f"{w.wanted:.9g}", f"{w.error:.4g}")
        for w in found.worst
    ]
    widths = [max(len(row[n]) for row in (heads, *rows)) for n in range(len(heads))]
    for row in (heads, *rows):
        first, *rest = (cell.rjust(size) for cell, size in zip(row, widths, strict=True))
        lines.append("  " + "  ".join((first.strip().ljust(widths[0]), *rest)))
    return lines


def _cut(text: str, width: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= width else f"{text[: width - 1]}…"
