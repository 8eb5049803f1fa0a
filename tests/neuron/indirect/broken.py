"""Operands that a tile of entries addresses."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import psum, sbuf

TILES = {
    "n": sbuf("u16", (128, 4)),
    "n64": sbuf("u16", (64, 2), "64:4000"),
    "n32": sbuf("u16", (32, 1), "32:4000"),
    "n16": sbuf("u16", (32, 1), "16:4200"),
    "low32": sbuf("f32", (32, 64), "32:4300"),
    "low64": sbuf("f32", (32, 64), "64:4300"),
    "bytes": sbuf("u8", (128, 4)),
    "floats": sbuf("bf16", (128, 4)),
    "pn": psum("i32", (128, 1)),
    "s32": sbuf("bf16", (32, 64), "32:5000"),
    "out": psum("bf16", (64, 64)),
    "shorts": sbuf("i16", (1, 1)),
    "narrow": sbuf("f32", (128, 4)),
    "ints": sbuf("i32", (128, 4)),
    "b16": sbuf("bf16", (64, 64)),
    "n0": sbuf("u16", (64, 2)),
    "slim": sbuf("f32", (32, 4)),
    "nlow": sbuf("u16", (32, 1)),
    "wide64": sbuf("bf16", (64, 64)),
    "p32": psum("f32", (32, 64)),
}


def broken(row: str, sentence: str, code: str, piece: str, lines: str, on: str = "trn3") -> Broken:
    return Broken(row, sentence, code, piece, lines, on, TILES)


def cases() -> list[Broken]:
    copy, add, tiled = "TensorCopy", "TensorTensor", "tile_position=[64, 0], tile_size=[64, 128]"
    may, starts = "only some operands", "an index tile starts"
    four = "num_elem=4"
    return [
        broken(
            copy,
            "tensor indirection needs NeuronCore-v4",
            "E0408",
            "on v3; v4 has that",
            f"@vector TensorCopy narrow, a.indirect(n, {four})",
            "trn2",
        ),
        broken(
            add,
            may,
            "E0407",
            "data2 (b) is indirect; of TensorTensor dst or data1 may be",
            f"@vector TensorTensor narrow, narrow, b.indirect(n, {four}), op=add",
        ),
        broken(
            "Reciprocal",
            may,
            "E0407",
            "none of Reciprocal's may be",
            f"@vector Reciprocal narrow, a.indirect(n, {four})",
        ),
        broken(
            copy,
            "an index tile is in SBUF",
            "E0406",
            "(pn) is in psum",
            f"@vector TensorCopy narrow, a.indirect(pn, {four})",
        ),
        broken(
            copy,
            "entries are 32-bit",
            "E0405",
            "(bytes) is uint8",
            f"@vector TensorCopy narrow, a.indirect(bytes, {four})",
        ),
        broken(
            copy,
            "entries are 32-bit",
            "E0405",
            "(shorts) is int16; wanted uint32 or int32",
            "@vector TensorCopy narrow, "
            "a.ap([[64, 128], [1, 4]], scalar_offset=shorts, indirect_dim=1)",
            "trn1",
        ),
        broken(
            copy,
            "entry i of an index",
            "E0410",
            "the first 16 partitions of n hold 64",
            "@vector TensorCopy wide[:, :65], wide.indirect(n, num_elem=65)",
        ),
        broken(
            "MultiplyMoving",
            "entry i of an index",
            "E0410",
            "of n hold 128",
            "@tensor MultiplyMoving banks[:, :129], g.indirect(n, num_elem=129)",
        ),
        broken(
            copy,
            starts,
            "E0401",
            "(n16) starts at partition 16",
            f"@vector TensorCopy slim, low.indirect(n16, {four})",
        ),
        broken(
            copy,
            "an indirect input starts",
            "E0401",
            "at partition 0, its index n32 at 32",
            f"@vector TensorCopy slim, low.indirect(n32, {four})",
        ),
        broken(
            copy,
            "the index of an indirect dst",
            "E0401",
            "at partition 32, slim at 0",
            f"@vector TensorCopy low.indirect(n32, {four}), slim",
        ),
        broken(
            "Activation",
            "the index of an indirect dst",
            "E0401",
            "at partition 32, nlow at 0",
            f"@scalar Activation low32.indirect(n32, {four}), p32.indirect(nlow, {four}), op=copy",
        ),
        broken(
            "Activation",
            "Scalar does not scatter",
            "E0406",
            "in psum on scalar",
            f"@scalar Activation p.indirect(n, {four}), narrow, op=copy",
        ),
        broken(
            copy,
            "with tensor indirection it",
            "E0407",
            "indirect on gpsimd",
            f"@gpsimd TensorCopy narrow, a.indirect(n, {four})",
        ),
        broken(
            "LoadStationary",
            "an indirect operand of a matmul",
            "E0405",
            "and float32",
            f"@tensor LoadStationary a.indirect(n, {four})",
        ),
        broken(
            "MultiplyMoving",
            "an indirect operand of a matmul",
            "E0405",
            "dst (p64)",
            f"@tensor MultiplyMoving p64.indirect(n0, {four}), g[:, :4]",
        ),
        broken(
            "LoadStationary",
            "tensor indirection and tiles",
            "E0407",
            "with a tile",
            f"@tensor LoadStationary wide64.indirect(n0, {four}), {tiled}",
        ),
        broken(
            "MultiplyMoving",
            "tensor indirection and tiles",
            "E0407",
            "with a tile",
            f"@tensor MultiplyMoving p64[:, :4], wide64.indirect(n0, {four}), {tiled}",
        ),
        broken(
            "MultiplyMoving",
            "moving is not indirect",
            "E0407",
            "is_transpose=true",
            f"@tensor MultiplyMoving out[:, :4], b16.indirect(n0, {four}), is_transpose=true",
        ),
        broken(
            "TensorScalar",
            "address arithmetic",
            "E0407",
            "among int32 tiles",
            f"@gpsimd TensorScalar ints, i.indirect(n, {four}), op0=add, operand0=1",
        ),
    ]
