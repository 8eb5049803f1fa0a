"""DMA against a scalar model: any memories, dtypes, shapes, partitions and access patterns."""

from __future__ import annotations

from collections.abc import Sequence

from tests.neuron.cases import FLOATS, INTEGERS, Draw, Tile, random_cases
from tests.neuron.dma import model

DTYPES = (*FLOATS, *INTEGERS)
WIDE = ("float32", "int32", "uint32", "bfloat16", "float16", "int16", "uint16")
ENGINES = ("tensor", "vector", "scalar", "gpsimd", "sync")


def grouped(draw: Draw, size: int, memory: str) -> tuple[int, ...]:
    """Another shape of so many elements; a tile has at most 128 partitions."""
    most = 128 if memory == "sbuf" else size
    first = draw.one_of(*(n for n in range(1, min(size, most) + 1) if size % n == 0))
    rest = size // first
    second = draw.one_of(*(n for n in range(1, rest + 1) if rest % n == 0))
    return draw.one_of((first, rest), (first, second, rest // second))  # type: ignore[no-any-return]


def seen(
    draw: Draw,
    shape: Sequence[int],
    dtype: str,
    memory: str,
    result: bool = False,
    written: bool | None = None,
) -> Tile:
    """A tile at any partitions, sometimes a stride apart, or through a free access pattern."""
    step = draw.number(2, 3)
    far = (shape[0] - 1) * step + 1
    if memory == "sbuf" and far <= 100 and draw.flag(0.3):
        start = draw.number(0, 128 - far)
        whole = (start + far, *shape[1:])
        made = (
            draw.result(whole, dtype, memory, plain=True, written=written)
            if result
            else draw.tile(whole, dtype, memory, plain=True)
        )
        key = slice(start, start + far, step)
        text = f"{made.name}[{start}:{start + far}:{step}]"
        return Tile(made.name, text, dtype, made.values[key], lambda array: array[key])
    if result:
        return draw.result(shape, dtype, memory, lanes=False, written=written)
    return draw.tile(shape, dtype, memory, lanes=False)


def memories(draw: Draw) -> tuple[str, str]:
    return draw.one_of("hbm", "sbuf"), draw.one_of("hbm", "sbuf")


def urgency(draw: Draw) -> str:
    """Operands that change when, and never what."""
    said = f", queue={draw.number(0, 15)}" if draw.flag() else ""
    if draw.on == "trn3" and draw.flag():
        said += f", priority={draw.number(0, 3)}"
    return said


@random_cases()
def test_dma_copy(draw: Draw) -> None:
    inside, outside = memories(draw)
    have, want = draw.dtype(*DTYPES, draw.rare), draw.dtype(*DTYPES, draw.rare)
    if draw.flag(0.3):
        want = have
    src = seen(draw, draw.shape(16, partitions=40), have, inside)
    dst = seen(draw, grouped(draw, src.values.size, outside), want, outside, result=True)
    engine = draw.one_of(*ENGINES)
    mode = ", dge_mode=none" if have != want or draw.flag(0.2) else ""
    draw.line(f"@{engine} DmaCopy {dst}, {src}{mode}{urgency(draw)}")
    draw.expect(dst, model.copied(src.values, have, dst.shape, want))


@random_cases(on=("trn3",))
def test_dma_copy_that_sbuf_adds(draw: Draw) -> None:
    dtype = draw.dtype("float32", "bfloat16")
    src = seen(draw, draw.shape(12, partitions=40), dtype, draw.one_of("hbm", "sbuf"))
    shape = grouped(draw, src.values.size, "sbuf")
    dst = seen(draw, shape, dtype, "sbuf", result=True, written=True)
    draw.line(f"@{draw.one_of(*ENGINES)} DmaCopy {dst}, {src}, compute_op=add{urgency(draw)}")
    draw.expect(dst, model.added(dst.values, src.values, dtype))


@random_cases()
def test_dma_transpose(draw: Draw) -> None:
    rank, dtype, memory = draw.number(2, 4), draw.dtype(*WIDE), draw.one_of("hbm", "sbuf")
    hard = draw.on != "trn1" and draw.flag(0.3)
    rows = draw.one_of(1, 2, 4, 8, 16) if hard and rank > 2 else 16 if hard else draw.partitions(40)
    if hard:
        dtype = draw.dtype(*(d for d in WIDE if d.endswith("16")))
    last = draw.one_of(1, 2, 16, 100, 128) if rank == 2 and rows < 20 else draw.number(1, 9)
    middle = [draw.number(1, 4) for _ in range(rank - 2)]
    if hard and rank > 2:
        middle[-1] = draw.one_of(16, 32) // rows or 1
    src = seen(draw, (rows, *middle, last), dtype, memory)
    shape = [src.shape[a] for a in model.AXES[rank]]
    dst = seen(draw, shape, dtype, "sbuf", result=True)
    engine = draw.one_of("scalar", "sync") if hard else draw.one_of(*ENGINES)
    axes = f", axes={list(model.AXES[rank])}" if draw.flag() else ""
    mode = ", dge_mode=hwdge" if hard else ""
    draw.line(f"@{engine} DmaTranspose {dst}, {src}{axes}{mode}{urgency(draw)}")
    draw.expect(dst, model.transposed(src.values, dtype))


@random_cases()
def test_dma_compute(draw: Draw) -> None:
    want, memory = draw.dtype(*DTYPES, draw.rare), draw.one_of("hbm", "sbuf")
    shape = draw.shape(8, partitions=20)
    size = 1
    for n in shape:
        size *= n
    accumulates = draw.flag(0.4)
    dst = seen(draw, shape, want, memory, result=True, written=accumulates)
    sources = []
    for _ in range(draw.one_of(1, 2, 2, 3, 15)):
        inside = draw.one_of("hbm", "sbuf")
        dtype = draw.dtype(*DTYPES, draw.rare)
        sources.append(seen(draw, grouped(draw, size, inside), dtype, inside))
    if accumulates:
        sources.insert(draw.number(0, len(sources)), dst)
    listed = ", ".join(map(str, sources))
    scales = f", scales={[1.0] * len(sources)}" if draw.flag(0.2) else ""
    draw.line(f"@{draw.one_of(*ENGINES)} DmaCompute {dst}, [{listed}], reduce_op=add{scales}")
    draw.expect(dst, model.summed([s.values for s in sources], dst.shape, want))


@random_cases()
def test_dma_trigger(draw: Draw) -> None:
    pairs = []
    for _ in range(draw.number(1, 4)):
        inside, outside = memories(draw)
        have, want = draw.dtype(*DTYPES, draw.rare), draw.dtype(*DTYPES, draw.rare)
        src = seen(draw, draw.shape(10, partitions=20), have, inside)
        dst = seen(draw, grouped(draw, src.values.size, outside), want, outside, result=True)
        pairs.append((dst, src))
        draw.expect(dst, model.copied(src.values, have, dst.shape, want))
    name = draw.fresh("move")
    lines = "\n".join(f"  {dst} <- {src}" for dst, src in pairs)
    options = urgency(draw).replace(",", "")
    draw.declare(f".dma {name}{options}\n{lines}\n.end")
    draw.line(f"@{draw.one_of(*ENGINES)} DmaTrigger {name}")
