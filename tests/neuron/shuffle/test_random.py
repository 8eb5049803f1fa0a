"""Transpose and Shuffle against scalar loops."""

from __future__ import annotations

from tests.neuron.cases import Draw, random_cases
from tests.neuron.shuffle import model


def memory(draw: Draw) -> str:
    return str(draw.one_of("sbuf", "sbuf", "psum"))


def any_dtype(draw: Draw) -> str:
    """Bits are moved: packed elements too."""
    if draw.on == "trn3" and draw.flag(0.1):
        return draw.dtype("float8_e5m2_x4", "float8_e4m3fn_x4", "float4_e2m1fn_x4")
    return draw.any_dtype()


@random_cases(edges=0.3)
def test_transpose(draw: Draw) -> None:
    if draw.flag(0.7):
        rows, columns = draw.number(1, 32), draw.number(1, 32)
        shape, kept = (rows, columns), (columns, rows)
        if columns % 4 == 0 and draw.flag():
            shape = (rows, 4, columns // 4)
    else:
        shape = kept = (draw.one_of(32, 64, 96, 128), draw.one_of(32, 64))
    dtype = any_dtype(draw)
    data = draw.tile(shape, dtype, memory(draw))
    dst = draw.result(kept, dtype, memory(draw))
    draw.line(f"@vector Transpose {dst}, {data}")
    draw.expect(dst, model.transpose(data.rows))


@random_cases(edges=0.3)
def test_shuffle(draw: Draw) -> None:
    dtype, sizes = any_dtype(draw), draw.shape(12, axes=2)[1:]
    rows = draw.partitions()
    # As many groups of 32 on both sides, so that every legal start of the one is one of the other.
    groups = -(-rows // 32)
    least = min(rows, draw.number(1, 32)) if groups == 1 else rows
    src = draw.tile((least, *sizes), dtype, memory(draw))
    dst = draw.result((rows, *sizes), dtype, memory(draw), written=True)
    have = least - 32 * (groups - 1)
    if groups > 1 and have < 32:
        have = min(have, 32)
    mask = [255 if draw.flag(0.2) else draw.number(0, have - 1) for _ in range(32)]
    draw.line(f"@vector LoadMaskRegister {mask}")
    draw.line(f"@vector Shuffle {dst}, {src}")
    draw.expect(dst, model.shuffle(dst.rows, src.rows, mask))


@random_cases(cases=60)
def test_shuffle_onto_itself(draw: Draw) -> None:
    shape = (draw.one_of(32, 64, 128), draw.number(1, 12))
    tile = draw.result(shape, any_dtype(draw), written=True)
    mask = [draw.one_of(255, draw.number(0, 31)) for _ in range(32)]
    draw.line(f"@vector LoadMaskRegister {mask}")
    draw.line(f"@vector Shuffle {tile}, {tile}")
    draw.expect(tile, model.shuffle(tile.rows, tile.rows, mask))
