"""The memories of a NeuronCore: HBM, the state buffer and the partial-sum buffer."""

from __future__ import annotations

from collections.abc import Mapping

from nasm.views.tensor import Memory

KIB = 1024
ARCH = "AWS Trainium/Inferentia2, Trainium2 and Trainium3 architecture guides"


def memories(sbuf_kib: int) -> Mapping[str, Memory]:
    """The memories of a generation whose SBUF has so many KiB per partition."""
    return {
        "hbm": Memory(
            "hbm",
            partitions=0,
            size=0,
            io=True,
            shared=True,
            align=64,
            summary="device memory, linear; only DMA reaches it (and register loads, stores)",
            source=ARCH,
        ),
        "sbuf": Memory(
            "sbuf",
            partitions=128,
            size=sbuf_kib * KIB,
            align=4,
            summary=f"state buffer: 128 partitions of {sbuf_kib} KiB",
            source=f"{ARCH}, 'State Buffer'",
        ),
        "psum": Memory(
            "psum",
            partitions=128,
            size=16 * KIB,
            bank=2 * KIB,
            align=4,
            summary="partial-sum buffer: 128 partitions of 16 KiB, 8 banks of 2 KiB "
            "(512 float32) each",
            source=f"{ARCH}, 'Near-memory accumulation in PSUM'",
        ),
    }
