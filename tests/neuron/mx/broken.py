"""LoadStationaryMX, MultiplyMovingMX, QuantizeMX."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import Tile, psum, sbuf

E4, E8 = "float8_e4m3fn_x4", "float8_e8m0fnu"
TILES: dict[str, Tile] = {
    "x": sbuf(E4, (128, 64)),
    "x40": sbuf(E4, (40, 64)),
    "wide": sbuf(E4, (128, 600)),
    "x96": sbuf(E4, (96, 64)),
    "huge": sbuf(E4, (1, 4100)),
    "xp": psum("f16", (64, 64)),
    "s": sbuf(E8, (128, 64)),
    "s8": sbuf(E8, (128, 8)),
    "s16": sbuf(E8, (128, 16)),
    "wides": sbuf(E8, (128, 600)),
    "few": sbuf(E8, (99, 64)),
    "u": sbuf("bf16", (128, 64)),
    "u6": sbuf("bf16", (128, 6)),
    "u40": sbuf("bf16", (40, 64)),
    "y": sbuf(E4, (128, 16)),
    "index": sbuf("i16", (128, 2)),
    "other": sbuf("i16", (128, 2)),
    "f32": psum("f32", (128, 64)),
    "low": psum("f32", (64, 64), "64:0"),
}
LOAD, MULTIPLY, QUANTIZE = "LoadStationaryMX", "MultiplyMovingMX", "QuantizeMX"


def cases() -> list[Broken]:
    found: list[tuple[str, str, str, str, str]] = []
    for row, dst, name in ((LOAD, "", "stationary"), (MULTIPLY, "low, ", "moving")):
        line = f"@tensor {row} {dst}"
        scale = f"{name}_scale"
        found += [
            (
                row,
                "tile_position and tile_size",
                "E0407",
                "tile_size alone",
                f"{line}x, s, tile_size=[64, 128]",
            ),
            (
                row,
                "a tile's size is",
                "E0407",
                "a tile of 96 rows",
                f"{line}x, s, tile_position=[0, 0], tile_size=[96, 128]",
            ),
            (
                row,
                "an MX tile may be",
                "E0407",
                "64 columns at 64",
                f"{line}x, s, tile_position=[0, 64], tile_size=[128, 64]",
            ),
            (
                row,
                f"{name} spans no more",
                "E0410",
                "128 partitions, the tile 64 rows",
                f"{line}x, s, tile_position=[0, 0], tile_size=[64, 128]",
            ),
            (
                row,
                f"{name} starts at",
                "E0401",
                "starts at partition 64, the tile at row 0",
                f"{line}x[64:128], s[64:128]",
            ),
            (row, f"{name} has 32, 64", "E0410", "40 partitions", f"{line}x40, s[0:40]"),
            (row, f"the partitions of {scale}", "E0402", "steps 2", f"{line}x, s[::2]"),
            (row, f"{scale} has the same number", "E0404", "8 columns; wanted 64", f"{line}x, s8"),
            (
                row,
                f"{scale} has the same number",
                "E0404",
                "99 partitions; wanted 100 to 128",
                f"{line}x, few",
            ),
            (
                row,
                f"{scale} has the same number",
                "E0404",
                "128 partitions; wanted 68 to 96",
                f"{line}x96, s",
            ),
            (row, f"{scale} starts in", "E0401", "starts at partition 2,", f"{line}x, s[2:128]"),
            (
                row,
                "tensor indirection and tiles",
                "E0407",
                "is indirect with a tile",
                f"{line}x[0:64].indirect(index[0:64], num_elem=64), "
                "s[0:64].indirect(index[0:64], num_elem=64), "
                "tile_position=[0, 0], tile_size=[64, 128]",
            ),
            (
                row,
                f"{name} and {scale} are",
                "E0407",
                f"{name} alone",
                f"{line}x.indirect(index, num_elem=64), s",
            ),
            (
                row,
                f"{name} and {scale} are",
                "E0407",
                "the index index",
                f"{line}x.indirect(index, num_elem=64), s.indirect(other, num_elem=64)",
            ),
        ]
    found += [
        (
            LOAD,
            "the stationary tile has no more",
            "E0410",
            "600 columns",
            "@tensor LoadStationaryMX wide, wides",
        ),
        (
            LOAD,
            "the stationary tile has an even",
            "E0410",
            "63 columns",
            "@tensor LoadStationaryMX x[:, 0:63], s[:, 0:63]",
        ),
        (
            MULTIPLY,
            "the moving tile has",
            "E0410",
            "4100 columns",
            "@tensor MultiplyMovingMX f32, huge, s",
        ),
        (
            MULTIPLY,
            "dst has as many",
            "E0404",
            "dst has 64 columns, moving 600",
            "@tensor MultiplyMovingMX f32, wide, wides",
        ),
        (
            MULTIPLY,
            "dst is float32",
            "E0405",
            "dst is float16",
            "@tensor MultiplyMovingMX xp, x, s",
        ),
        (
            MULTIPLY,
            "dst starts at",
            "E0401",
            "dst starts at partition 64",
            "@tensor MultiplyMovingMX low, x, s",
        ),
        (QUANTIZE, "src has a multiple", "E0410", "6 columns", "@vector QuantizeMX y, u6, s16"),
        (
            QUANTIZE,
            "src has 32, 64",
            "E0410",
            "40 partitions",
            "@vector QuantizeMX y[0:40], u40, s16[0:40]",
        ),
        (
            QUANTIZE,
            "dst has the partitions",
            "E0404",
            "dst is 128 by 64, src 128 by 64",
            "@vector QuantizeMX x, u, s16",
        ),
        (
            QUANTIZE,
            "dst has the partitions",
            "E0404",
            "dst starts at partition 32, src at 0",
            "@vector QuantizeMX y[32:64], u[0:32], s16[0:32]",
        ),
        (
            QUANTIZE,
            "the partitions of dst_scale",
            "E0402",
            "steps 2",
            "@vector QuantizeMX y, u, s16[::2]",
        ),
        (
            QUANTIZE,
            "dst_scale has a column",
            "E0404",
            "64 columns; wanted 16",
            "@vector QuantizeMX y, u, s",
        ),
        (
            QUANTIZE,
            "dst_scale starts in",
            "E0401",
            "starts at partition 32, src at 0",
            "@vector QuantizeMX y[0:32], u[0:32], s16[32:64]",
        ),
    ]
    return [Broken(*case, "trn3", TILES) for case in found]
