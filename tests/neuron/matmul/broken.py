"""LoadStationary, MultiplyMoving."""

from __future__ import annotations

from tests.neuron.broken import Broken

ROW_TILE = "tile_position=[64, 0], tile_size=[64, 128]"
COLUMN_TILE = "tile_position=[0, 64], tile_size=[128, 64]"


def cases() -> list[Broken]:
    load, multiply = "LoadStationary", "MultiplyMoving"
    tiling, double = "a tile's size is", "double_row takes"
    found = []
    for row, line in ((load, "LoadStationary {},"), (multiply, "MultiplyMoving p64, {},")):
        engine = f"@tensor {line}"
        found += [
            Broken(
                row,
                "tile_position and tile_size",
                "E0407",
                "tile_position alone",
                engine.format("a") + "tile_position=[0, 0]",
            ),
            Broken(
                row,
                "tile_position and tile_size",
                "E0407",
                "tile_size alone",
                engine.format("half") + "tile_size=[64, 64]",
            ),
            Broken(
                row,
                tiling,
                "E0407",
                "a tile of 32 rows",
                engine.format("low") + "tile_position=[32, 0], tile_size=[32, 64]",
                "trn1",
            ),
            Broken(
                row,
                tiling,
                "E0407",
                "a tile of 96 columns",
                engine.format("a") + "tile_position=[0, 0], tile_size=[128, 96]",
            ),
            Broken(
                row,
                tiling,
                "E0407",
                "64 rows at 32",
                engine.format("half") + "tile_position=[32, 0], tile_size=[64, 128]",
            ),
            Broken(
                row,
                double,
                "E0407",
                "double_row on v2",
                engine.format("pair") + "perf_mode=double_row",
                "trn1",
            ),
            Broken(row, double, "E0407", "wanted fp8", engine.format("a") + "perf_mode=double_row"),
            Broken(
                row,
                double,
                "E0407",
                "wanted [K, 2, …]",
                engine.format("f") + "perf_mode=double_row",
            ),
            Broken(
                row,
                double,
                "E0407",
                "column tiles or transpose",
                engine.format("pair") + f"perf_mode=double_row, {COLUMN_TILE}",
            ),
        ]
    return [
        *found,
        Broken(
            load,
            "stationary spans",
            "E0410",
            "128 partitions, the tile 64 rows",
            f"@tensor LoadStationary a, {ROW_TILE}",
        ),
        Broken(
            load, "the stationary tile has", "E0410", "600 columns", "@tensor LoadStationary wide"
        ),
        Broken(
            load,
            "the stationary tile has",
            "E0410",
            "at most 32",
            "@tensor LoadStationary a, tile_position=[0, 32], tile_size=[128, 32]",
        ),
        Broken(
            load,
            "stationary starts at",
            "E0401",
            "partition 0, the tile at row 64",
            f"@tensor LoadStationary half, {ROW_TILE}",
        ),
        Broken(
            multiply,
            "moving spans",
            "E0410",
            "128 partitions, the tile 64 rows",
            f"@tensor MultiplyMoving p, a, {ROW_TILE}",
        ),
        Broken(
            multiply,
            "the moving tile has",
            "E0410",
            "600 columns",
            "@tensor MultiplyMoving banks[:, 0:600], wide",
        ),
        Broken(
            multiply,
            "dst has as many",
            "E0404",
            "dst has 64 columns, moving 32",
            "@tensor MultiplyMoving p, thin",
        ),
        Broken(
            multiply,
            "dst is float32",
            "E0405",
            "dst is bfloat16; wanted float32",
            "@tensor MultiplyMoving pg, g",
        ),
        Broken(
            multiply,
            "dst is float32",
            "E0405",
            "dst is float32; wanted bfloat16",
            "@tensor MultiplyMoving p64, g, is_transpose=true",
        ),
        Broken(
            multiply,
            "dst stays within",
            "E0409",
            "banks",
            "@tensor MultiplyMoving banks[:, 300:812], wide[:, 0:512]",
        ),
        Broken(
            multiply,
            "moving starts at",
            "E0401",
            "the tile at row 64",
            f"@tensor MultiplyMoving p, half, {ROW_TILE}",
        ),
        Broken(
            multiply,
            "dst starts at",
            "E0401",
            "dst starts at partition 0, the tile at 64",
            f"@tensor MultiplyMoving p64, a, {COLUMN_TILE}",
        ),
        Broken(
            multiply,
            "transpose mode writes",
            "E0402",
            "steps 1 byte",
            "@tensor MultiplyMoving pf, f, is_transpose=true",
        ),
        Broken(
            multiply,
            "transpose mode writes",
            "E0402",
            "steps 4 byte",
            "@tensor MultiplyMoving pf[:, ::4], f[:, 0:16], is_transpose=true",
        ),
        Broken(
            multiply,
            "transpose mode writes",
            "E0402",
            "no lower half",
            "@tensor MultiplyMoving pf[:, 1::2], f[:, 0:32], is_transpose=true",
        ),
        Broken(
            load,
            "stationary starts at",
            "E0401",
            "partition 64, the tile at row 0",
            "@tensor LoadStationary a[64:128]",
        ),
        Broken(
            multiply,
            "dst starts at",
            "E0401",
            "dst starts at partition 64, the tile at 0",
            "@tensor MultiplyMoving p[64:128], a",
        ),
        Broken(
            multiply,
            "transpose mode overwrites",
            "E0407",
            "accumulate=true",
            "@tensor MultiplyMoving p64, a, accumulate=true, is_transpose=true",
        ),
    ]
