"""The roofline of a run: what its memory and its peak allow, and where it is below that."""

from __future__ import annotations

from math import log10

from nasm.analysis.profile.records import Rates

WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 420, 220, 44, 34, 14
DECADES = 3
"""Powers of ten that are shown of the fraction of the peak."""


def roofline(rates: Rates, title: str) -> str:
    """An SVG within a figure; empty if nothing was computed, or moved."""
    ridge, mfu = rates.dtype_ridge, rates.dtype_mfu
    if not rates.intensity or not ridge or not mfu:
        return ""
    low = min(rates.intensity, ridge) / 10
    high = max(rates.intensity, ridge) * 10
    floor = min(10.0**-DECADES, mfu / 2)

    def x(intensity: float) -> float:
        part = log10(intensity / low) / log10(high / low)
        return round(LEFT + part * (WIDTH - LEFT - 10), 1)

    def y(part: float) -> float:
        return round(TOP + log10(part) / log10(floor) * (HEIGHT - TOP - BOTTOM), 1)

    limit = min(1.0, rates.intensity / ridge)
    start = max(low, ridge * floor)
    at = x(rates.intensity)
    anchor = "end" if at > WIDTH * 0.6 else "start"
    beside = at - 8 if anchor == "end" else at + 8
    text = f"{100 * mfu:.1f} % of the peak, at most {100 * limit:.1f} %"
    parts = [
        f'<path class="roof" d="M{x(start)} {y(max(floor, start / ridge))}L{x(ridge)} {y(1)}'
        f'H{WIDTH - 10}"/>',
        f'<path class="g" d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - 10}"/>',
        f'<path class="p" d="M{at} {y(limit)}V{y(mfu)}"/>',
        f'<circle class="point" cx="{at}" cy="{y(mfu)}" r="5"/>',
        f'<text x="{beside}" y="{y(mfu) + 4}" text-anchor="{anchor}">{text}</text>',
        f'<text class="d" x="{x(ridge)}" y="{TOP - 3}" text-anchor="middle">'
        f"{ridge:,.1f} flops a byte</text>",
        f'<text class="d" x="{at}" y="{HEIGHT - 18}" text-anchor="middle">'
        f"{rates.intensity:,.1f}</text>",
        f'<text class="d" x="{WIDTH / 2:g}" y="{HEIGHT - 4}" text-anchor="middle">'
        "flops a byte of memory outside</text>",
        f'<text class="d" x="{LEFT - 6}" y="{TOP + 6}" text-anchor="end">peak</text>',
    ]
    said = f"{rates.verdict}: {rates.intensity:,.1f} flops a byte, {ridge:,.1f} are level; {text}"
    return (
        f'<figure class="roofline"><figcaption>{title}: {said}</figcaption>'
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{said}">{"".join(parts)}</svg>'
        "</figure>"
    )
