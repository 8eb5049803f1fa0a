"""The drawings of the guide: the core, tiles, a wait, and double buffering, as SVG by hand."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape

BLUE, ORANGE, GREEN, GREY, LIGHT = "#0072b2", "#d55e00", "#009e73", "#57606a", "#eaeef2"
STYLE = "font-family='sans-serif' font-size='13'"


def drawings() -> dict[str, str]:
    """Every drawing, by the name of its file."""
    return {
        "guide_core.svg": core(),
        "guide_tiles.svg": tiles(),
        "guide_wait.svg": wait(),
        "guide_buffers.svg": buffers(),
        "guide_credits.svg": given_back(),
    }


def core() -> str:
    """The parts of a core: five engines, two memories on chip, DMA rings, HBM."""
    parts = [_box(20, 20, 680, 190, "white", "a NeuronCore")]
    engines = ("Tensor", "Vector", "Scalar", "GpSimd", "Sync")
    for at, name in enumerate(engines):
        parts.append(_box(40 + at * 130, 50, 110, 40, BLUE, name, "white"))
    parts.append(_box(40, 130, 240, 50, GREEN, "PSUM: sums of products", "white"))
    parts.append(_box(320, 130, 360, 50, GREEN, "SBUF: 128 partitions", "white"))
    parts += [_arrow(95, 92, 95, 128), _arrow(225, 128, 225, 92)]
    parts += [_arrow(at, 128, at, 92) for at in (355, 485)]
    parts.append(_box(320, 240, 360, 40, ORANGE, "DMA: 16 engines move tiles", "white"))
    parts += [_arrow(500, 182, 500, 238), _arrow(560, 238, 560, 182)]
    parts.append(_box(320, 320, 360, 40, GREY, "HBM: the device memory", "white"))
    parts += [_arrow(500, 282, 500, 318), _arrow(560, 318, 560, 282)]
    parts += [
        _text(40, 250, "Engines compute on tiles in SBUF and"),
        _text(40, 272, "PSUM, each at its own pace."),
        _text(40, 294, "DMA moves tiles from and to HBM."),
    ]
    return _svg(720, 380, "a NeuronCore: engines, SBUF, PSUM, DMA and HBM", parts)


def tiles() -> str:
    """A tile in SBUF and one in PSUM, with their axes."""
    parts = [_text(40, 30, ".sbuf  x  f32[128, 512]", bold=True)]
    for row in range(6):
        at = 50 + row * 22 + 16 * (row > 3)
        name = f"partition {row if row < 4 else 122 + row}"
        parts += [_text(20, at + 14, name), _box(120, at, 240, 18, LIGHT)]
        parts.append(_box(120, at, 90, 18, BLUE))
    parts.append(_text(222, 152, "…"))
    parts += [
        _text(120, 218, "x: 512 float32 in each partition"),
        _text(120, 238, "the other bytes are free, or another tile's"),
        _text(420, 30, ".psum  acc  f32[128, 512]", bold=True),
    ]
    for bank in range(8):
        colour = GREEN if bank == 0 else LIGHT
        parts += [_box(420 + bank * 34, 50, 30, 164, colour)]
        parts.append(_text(431 + bank * 34, 232, str(bank)))
    parts.append(_text(420, 252, "eight banks of 512 float32 in each partition"))
    return _svg(720, 270, "a tile in SBUF and a tile in PSUM", parts)


def wait() -> str:
    """Two lanes, of which one waits for the other."""
    parts = [_text(20, 52, "Vector"), _text(20, 102, "GpSimd")]
    parts += [_box(100, 35, 220, 26, BLUE, "Memset t  post filled", "white")]
    parts += [_box(320, 85, 240, 26, GREEN, "TensorCopy u, t", "white")]
    parts += [_box(100, 85, 220, 26, LIGHT, "after filled: waits")]
    parts += [_line(320, 61, 320, 85, ORANGE), _text(330, 78, "filled")]
    parts += [_line(100, 130, 640, 130, GREY), _text(600, 148, "time")]
    return _svg(660, 160, "GpSimd waits until Vector has filled the tile", parts)


def buffers() -> str:
    """Chunks in one tile and in two, as strips."""
    parts = [_text(20, 24, "one tile: each chunk waits for the one before", bold=True)]
    parts += _strips(36, [(0, 0), (1, 190), (2, 380)], 60)
    parts.append(_text(20, 164, "two tiles: the next chunk is loaded meanwhile", bold=True))
    parts += _strips(176, [(0, 0), (1, 64), (2, 128)], 60)
    return _svg(700, 300, "loading while computing: strips of one tile and of two", parts)


def _strips(top: int, chunks: Sequence[tuple[int, int]], width: int) -> Iterator[str]:
    names = ("load", "compute", "store")
    for lane, name in enumerate(names):
        yield _text(20, top + 18 + lane * 34, name)
    for chunk, start in chunks:
        colour = (BLUE, ORANGE)[chunk % 2] if top > 100 else BLUE
        for lane in range(3):
            at = 90 + start + lane * (width + 2)
            yield _box(at, top + lane * 34, width, 26, colour, str(chunk), "white")


def given_back() -> str:
    """A hand-over in both directions: data one way, the free tile the other."""
    parts = [_box(40, 40, 150, 50, BLUE, "Sync loads", "white")]
    parts.append(_box(440, 40, 150, 50, GREEN, "Vector reads", "white"))
    parts += [_arrow(192, 52, 438, 52), _text(250, 46, "x is loaded: take $x_in")]
    parts += [_arrow(438, 78, 192, 78), _text(250, 98, "x is free again: give $x_free")]
    parts.append(_text(40, 130, "before the loop: one credit for each tile that is free"))
    return _svg(640, 150, "two semaphores for one tile: it is full, it is free", parts)


# ---------------------------------------------------------------- shapes


def _svg(width: int, height: int, title: str, parts: Sequence[str]) -> str:
    head = (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {width} {height}' role='img' "
        f"width='{width}' height='{height}' {STYLE}><title>{escape(title)}</title>"
        "<defs><marker id='a' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='7' "
        f"markerHeight='7' orient='auto'><path d='M0 0L8 4L0 8z' fill='{GREY}'/></marker></defs>"
        f"<rect width='{width}' height='{height}' fill='white'/>"
    )
    return "\n".join((head, *parts, "</svg>")) + "\n"


def _box(
    x: int, y: int, width: int, height: int, fill: str, text: str = "", colour: str = "#1b1f24"
) -> str:
    made = f"<rect x='{x}' y='{y}' width='{width}' height='{height}' rx='3' fill='{fill}' "
    made += f"stroke='{GREY}'/>"
    if text and fill == "white":
        return made + _text(x + 8, y + 18, text, bold=True)
    if text:
        made += f"<text x='{x + width / 2:g}' y='{y + height / 2 + 4:g}' text-anchor='middle' "
        made += f"fill='{colour}'>{escape(text)}</text>"
    return made


def _text(x: int, y: int, text: str, bold: bool = False) -> str:
    weight = " font-weight='bold'" if bold else ""
    return f"<text x='{x}' y='{y}' fill='#1b1f24'{weight}>{escape(text)}</text>"


def _line(x: int, y: int, to_x: int, to_y: int, colour: str) -> str:
    return f"<path d='M{x} {y}L{to_x} {to_y}' stroke='{colour}' stroke-width='2' fill='none'/>"


def _arrow(x: int, y: int, to_x: int, to_y: int) -> str:
    return (
        f"<path d='M{x} {y}L{to_x} {to_y}' stroke='{GREY}' stroke-width='2' fill='none' "
        "marker-end='url(#a)'/>"
    )
