"""Clearing semaphores, and meeting the other core."""

from __future__ import annotations

from tests.neuron.broken import Broken
from tests.neuron.programs import sbuf

TILES = {
    "x": sbuf("f32", (8, 300)),
    "y": sbuf("f32", (8, 300)),
    "h": sbuf("bf16", (8, 300)),
    "k": sbuf("i8", (8, 300)),
    "l": sbuf("i8", (8, 300)),
    "z": sbuf("bf16", (8, 300)),
}


def _send(operands: str, engine: str = "sync") -> str:
    return f"@{engine} SendRecv {operands}, send_to_rank=1, recv_from_rank=1, pipe_id=0"


def cases() -> list[Broken]:
    route = ", dma_engine=gpsimd_dma"
    limit = "gpsimd_dma moves up to"
    found = [
        ("src and dst have one dtype", "E0405", "src is bfloat16, dst float32", _send("x, h")),
        (
            "src and dst have one shape",
            "E0404",
            "src is [8, 299], dst [8, 300]",
            _send("x, y[:, 1:]"),
        ),
        (
            "src and dst have one shape",
            "E0404",
            "src is [4, 2, 3], dst [4, 3, 2]",
            _send("x[0:4, 0:6].reshape(4, 3, 2), y[0:4, 0:6].reshape(4, 2, 3)"),
        ),
        (
            "every element of dst is received once",
            "E0404",
            "more than once",
            _send("x[:, 0:1].broadcast(8, 3), y[:, 0:3]"),
        ),
        (
            "dma_engine=gpsimd_dma runs on GpSimd",
            "E0408",
            "gpsimd_dma on sync",
            _send("x[:, 0:4], y[:, 0:4]") + route,
        ),
        (
            limit,
            "E0410",
            "1028 bytes per partition; wanted at most 1024 of float32",
            _send("x[:, :257], y[:, :257]", "gpsimd") + route,
        ),
        (
            limit,
            "E0410",
            "514 bytes per partition; wanted at most 512 of bfloat16",
            _send("h[:, :257], z[:, :257]", "gpsimd") + route,
        ),
        (
            limit,
            "E0410",
            "257 bytes per partition; wanted at most 256 of int8",
            _send("k[:, :257], l[:, :257]", "gpsimd") + route,
        ),
    ]
    return [
        Broken(
            "EventSemaphoreRangeClear",
            "first is at most last",
            "E0407",
            "first=5, last=4",
            "@sync EventSemaphoreRangeClear 5, 4",
        ),
        Broken(
            "CoreBarrier",
            "a barrier is between cores",
            "E0407",
            "cores=[1, 0]; wanted [0, 1]",
            "@sync CoreBarrier A, [1, 0]",
        ),
        *(Broken("SendRecv", *case, tiles=TILES) for case in found),
    ]
