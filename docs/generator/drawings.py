"""The drawings of the guide, as SVG by hand: one for each chapter that shows no run."""

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
        "guide_race.svg": race(),
        "guide_product.svg": product(),
        "guide_loop.svg": loop(),
        "guide_macro.svg": macro(),
        "guide_cores.svg": cores(),
        "guide_kernel.svg": kernel(),
        "guide_model.svg": model(),
        "guide_python.svg": python(),
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


def race() -> str:
    """Two lanes of which the second begins while the first still writes."""
    parts = [_text(20, 52, "Vector"), _text(20, 102, "GpSimd")]
    parts += [_box(100, 35, 300, 26, BLUE, "Memset t, 1.0", "white")]
    parts += [_box(360, 85, 240, 26, ORANGE, "TensorCopy u, t", "white")]
    parts += [_line(360, 20, 360, 85, ORANGE), _text(408, 30, "it reads t, of which some")]
    parts += [_text(408, 52, "is not written yet: old values")]
    parts += [_line(100, 130, 640, 130, GREY), _text(600, 148, "time")]
    return _svg(
        660, 160, "GpSimd reads the tile before Vector has filled it: nothing orders them", parts
    )


def product() -> str:
    """A stationary tile in Tensor, a moving one that streams through it, sums in PSUM."""
    parts = [_text(40, 20, "LoadStationary  a[k]", bold=True), _box(40, 50, 120, 120, BLUE)]
    parts += [_text(40, 190, "128 × 128, in the array")]
    parts.append(_text(210, 20, "MultiplyMoving  acc, b[k]", bold=True))
    for row in range(6):
        parts.append(_box(210, 50 + row * 20, 200, 18, ORANGE))
    parts += [_text(210, 190, "128 partitions × 512"), _arrow(206, 110, 164, 110)]
    parts += [_text(480, 20, "acc, in PSUM", bold=True), _box(480, 50, 200, 120, GREEN)]
    parts += [_text(480, 190, "128 × 512 float32: one bank")]
    parts += _path_over(100, 48, 580, 48, 12)
    parts += [_text(40, 226, "acc += a[k]ᵀ b[k]: the partitions are summed over, 128 at a time;")]
    parts += [_text(40, 248, "accumulate=true adds the next 128 to what the bank holds")]
    return _svg(
        720, 264, "a product: a stationary tile, a moving one, and their sum in PSUM", parts
    )


def loop() -> str:
    """Three engines that go round the same lines, each in a round of its own."""
    parts = [_text(20, 26, ".loop k: each engine has its own k", bold=True)]
    lanes = (("Sync", "x[k % 2] ← X[k]"), ("Scalar", "gelu"), ("GpSimd", "Y[k] ← y[k % 2]"))
    for lane, (name, does) in enumerate(lanes):
        at = 44 + lane * 44
        parts += [_text(20, at + 18, name), _text(90, at + 18, does)]
        for k in range(4):
            colour = (BLUE, ORANGE)[k % 2]
            parts.append(_box(230 + (k + lane) * 72, at, 68, 26, colour, f"k = {k}", "white"))
    for k in range(4):
        for lane in range(2):
            x, y = 230 + (k + lane) * 72 + 68, 44 + lane * 44
            parts.append(_line(x, y + 26, x + 4, y + 44, GREY))
    parts += [
        _text(
            20,
            196,
            "blue: even rounds, with the tiles x[0] and y[0]; orange: odd rounds, with the others",
        )
    ]
    parts += [_text(20, 218, "a line between two boxes: 'after x_loaded[k]', 'after y_ready[k]'")]
    return _svg(700, 232, "a loop: three engines in three rounds at the same time", parts)


def macro() -> str:
    """A call, and the lines that it writes."""
    parts = [
        _text(20, 30, "what you write", bold=True),
        _text(340, 30, "what it becomes", bold=True),
    ]
    parts += [_box(20, 46, 250, 64, LIGHT), _text(30, 72, "scaled(x, x, 3,")]
    parts += [_text(30, 96, "       ready=loaded, done=made)")]
    parts += [_box(340, 46, 360, 26, BLUE, "a tile of its own: half", "white")]
    parts += [_box(340, 80, 360, 26, GREEN, "TensorScalar half, x    after loaded", "white")]
    parts += [_box(340, 114, 360, 26, GREEN, "TensorTensor x, half, half    post made", "white")]
    parts += [_arrow(272, 78, 338, 59), _arrow(272, 78, 338, 93), _arrow(272, 78, 338, 127)]
    parts += [
        _text(
            20,
            168,
            "Two calls have two tiles 'half': names that a macro declares are the call's own",
        )
    ]
    return _svg(720, 184, "a call of a macro, and the lines that it writes", parts)


def cores() -> str:
    """Two cores, each with its own memories, on one HBM."""
    parts = []
    for core in range(2):
        left = 20 + core * 350
        parts += [_box(left, 20, 330, 170, "white", f".core {core}")]
        parts += [_box(left + 20, 54, 290, 36, BLUE, "five engines, semaphores", "white")]
        parts += [_box(left + 20, 98, 140, 36, GREEN, "PSUM", "white")]
        parts += [_box(left + 170, 98, 140, 36, GREEN, "SBUF", "white")]
        parts += [_box(left + 20, 142, 290, 36, ORANGE, "DMA rings", "white")]
        parts += [
            _arrow(left + 140, 180, left + 140, 238),
            _arrow(left + 190, 238, left + 190, 180),
        ]
    parts += [
        _arrow(352, 72, 368, 72),
        _arrow(368, 72, 352, 72),
        _text(262, 214, "CoreBarrier: both have arrived"),
    ]
    parts.append(_line(360, 78, 360, 200, GREY))
    parts.append(_box(20, 240, 680, 40, GREY, "HBM, which both read and write", "white"))
    return _svg(720, 300, "two cores, which share HBM alone", parts)


def kernel() -> str:
    """From calls in Python to a run."""
    parts = []
    steps = (
        (BLUE, "kernel.py", "Python runs once;", "each call is noted"),
        (GREEN, "instructions", "one or more for a call,", "tiles get addresses"),
        (ORANGE, "waits", "found as sync finds them:", "each after those above"),
        (GREY, "a run", "values, time, profile,", "the debugger"),
    )
    for at, (colour, name, first, second) in enumerate(steps):
        left = 20 + at * 190
        parts += [_box(left, 30, 140, 44, colour, name, "white")]
        parts += [_text(left, 100, first), _text(left, 120, second)]
        if at:
            parts.append(_arrow(left - 48, 52, left - 3, 52))
    return _svg(
        770, 136, "a kernel of NKI: Python becomes instructions, waits are found, it runs", parts
    )


def model() -> str:
    """Kernels launched one after the other on tensors that stay in HBM."""
    parts = [_text(20, 26, "the host launches", bold=True)]
    names = ("projection", "attention", "mlp", "layernorm")
    for at, name in enumerate(names):
        left = 20 + at * 172
        parts.append(_box(left, 40, 130, 40, BLUE, name, "white"))
        if at:
            parts.append(_arrow(left - 40, 60, left - 3, 60))
        parts += [_arrow(left + 40, 128, left + 40, 82), _arrow(left + 90, 82, left + 90, 128)]
    parts.append(
        _box(20, 130, 646, 44, GREEN, "HBM: weights and activations stay between launches", "white")
    )
    parts += [_arrow(80, 230, 80, 178), _text(94, 222, "inputs and weights, once")]
    parts += [_arrow(600, 178, 600, 230), _text(440, 222, "the answer, at the end")]
    return _svg(700, 244, "a model: kernels one after the other, tensors that stay in HBM", parts)


def python() -> str:
    """Arrays in, a result with outputs and a report out."""
    parts = [_box(20, 30, 190, 32, BLUE, "NumPy arrays", "white")]
    parts += [_box(20, 74, 190, 32, BLUE, "a text, or a Builder", "white")]
    parts += [_box(290, 46, 150, 44, GREEN, "nasm.run", "white")]
    parts += [_arrow(212, 46, 287, 60), _arrow(212, 90, 287, 76)]
    outs = (
        "result.outputs: arrays",
        "result.report: time, hazards",
        "result.session: the debugger",
    )
    for at, name in enumerate(outs):
        parts += [_box(520, 10 + at * 42, 230, 32, ORANGE, name, "white")]
        parts.append(_arrow(442, 68, 517, 26 + at * 42))
    return _svg(
        770, 140, "from Python: arrays and a program in, outputs, a report and a session out", parts
    )


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


def _path_over(x: int, y: int, to_x: int, to_y: int, above: int) -> Iterator[str]:
    """An arrow that goes up, over what is between, and down."""
    top = min(y, to_y) - above
    yield (
        f"<path d='M{x} {y}L{x} {top}L{to_x} {top}L{to_x} {to_y}' stroke='{GREY}' "
        "stroke-width='2' fill='none' marker-end='url(#a)'/>"
    )
