"""The macros of programs/lib/tensix: tiles from L1 to L1 against NumPy, and what they cost."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.debugger.session import Session
from nasm.machine.records import Status
from tests.tables import each

HEADS = {
    target: f'.target {target}\n.include "lib/tensix/unpack.nasm"\n'
    + "".join(f'.include "lib/tensix/{at}{name}.nasm"\n' for name in ("math", "sfpu", "pack"))
    for target, at in (("wormhole", ""), ("blackhole", "blackhole/"))
}
"""The same programs run on either generation: macros that differ have files of their own."""

TARGETS = tuple(HEADS)

DTYPES = {"bf16": bfloat16, "f16": np.float16}
"""The dtypes of arrays, where these are not float32."""


def ran(target: str, text: str, out: str, **inputs: Any) -> Any:
    forms = dict(re.findall(r"\.l1 (\w+) (\w+)\[", text))
    arrays = {n: x.astype(DTYPES.get(forms[n], np.float32)) for n, x in inputs.items()}
    session = Session.load(Source("library.nasm", HEADS[target] + text), arrays)
    report = session.run()
    assert report.status is Status.FINISHED
    assert (report.problems, report.hazards) == ((), ())
    return np.asarray(session.evaluate(out).array).astype(np.float32)


def tiles(*shape: int, seed: int = 0) -> Any:
    """Numbers that every format here has: halves from -4 to 4, powers of two apart."""
    rng = np.random.default_rng(seed)
    return (rng.integers(-8, 9, shape) / 2).astype(np.float32)


@each(
    ("form", "to", "wide"),
    [
        ("bf16", "bf16", 0), ("f32", "tf32", 1), ("f16", "f16", 0), ("bfp8", "bfp8", 1),
        ("bfp4", "bfp4", 0), ("fp8", "fp8", 0),
    ],
)  # fmt: skip
@each("target", TARGETS)
def test_products_of_tiles_are_numpys(target: str, form: str, to: str, wide: int) -> None:
    a, b = (tiles(32, 32, seed=seed).clip(-2, 2).round() for seed in range(2))
    out = "f32" if wide else "f16" if to in ("f16", "fp8") else "bf16"
    found = ran(
        target,
        f".l1 a {form}[32, 32] tiled @ 0x4000 input\n.l1 b {form}[32, 32] tiled @ 0x8000 input\n"
        f".l1 c {out}[32, 32] tiled @ 0x10000 output\n"
        f"formats({to}, wide={wide})\nunpack_pair(0x8000, 0x4000, {form}, {to})\naddr_mods()\n"
        f"acquire_dst()\nmatmul_tile(4)\nrelease_dst()\npack_tile(0x10000, {out})\n",
        "c", a=a, b=b,
    )  # fmt: skip
    assert np.array_equal(found, a @ b)


@each(("op", "wanted"), [(0, np.add), (1, np.subtract), (2, np.multiply)])
@each("target", TARGETS)
def test_eltwise_is_numpys(target: str, op: int, wanted: Any) -> None:
    a, b = (tiles(32, 32, seed=seed) for seed in range(2))
    found = ran(
        target,
        ".l1 a bf16[32, 32] tiled @ 0x4000 input\n.l1 b bf16[32, 32] tiled @ 0x8000 input\n"
        ".l1 c bf16[32, 32] tiled @ 0x10000 output\n"
        f"formats()\nunpack_pair(0x4000, 0x8000)\nacquire_dst()\neltwise({op}, phases=4)\n"
        "release_dst()\npack_tile(0x10000)\n",
        "c", a=a, b=b,
    )  # fmt: skip
    assert np.array_equal(found, wanted(a, b))


@each("target", TARGETS)
def test_products_add_up_over_tiles(target: str) -> None:
    a, b = tiles(32, 96), tiles(96, 32, seed=1)
    found = ran(
        target,
        ".l1 a bf16[32, 96] tiled @ 0x4000 input\n.l1 b bf16[96, 32] tiled @ 0x8000 input\n"
        ".l1 c f32[32, 32] tiled @ 0x10000 output\n"
        "formats(wide=1)\nunpack_pair(0x8000, 0x4000, tiles=3)\naddr_mods()\n"
        "acquire_dst()\nmatmul_tile(4, 3)\nrelease_dst()\npack_tile(0x10000, f32)\n",
        "c", a=a, b=b,
    )  # fmt: skip
    assert np.array_equal(found, a @ b)


@each("target", TARGETS)
def test_a_tile_goes_through_the_vector_unit(target: str) -> None:
    x = tiles(32, 32)
    found = ran(
        target,
        ".l1 x bf16[32, 32] tiled @ 0x4000 input\n.l1 y bf16[32, 32] tiled @ 0x8000 output\n"
        "formats()\nunpack_tile(0x4000)\nacquire_dst(clear=0)\n@t1\nconstant(12, 0x40000000)\n"
        "sfpu_tile()\n.for n in 0..32\n"
        "SFPLOAD VD=0, AddrMod=3\nSFPMAD VA=0, VB=12, VC=LCONST_1, VD=0\nSFPNOP\n"
        "SFPSTORE VD=0, AddrMod=2\n.end\nrelease_dst(WAIT_SFPU)\npack_tile(0x8000)\n",
        "y", x=x,
    )  # fmt: skip
    assert np.array_equal(found, 2 * x + 1)


def test_an_address_that_is_no_multiple_of_16_is_refused() -> None:
    with pytest.raises(Failure, match="at a multiple of 16"):
        Session.load(Source("library.nasm", HEADS["wormhole"] + "unpack_tile(0x4008)\n"))


@each(
    ("form", "to"),
    [("fp8", "fp8"), ("bfp8", "bfp8"), ("bfp4", "bfp4"), ("bfp2a", "bfp2a"), ("f32", "tf32")],
)
@each("target", TARGETS)
def test_tiles_of_every_size_follow_one_another(target: str, form: str, to: str) -> None:
    a, b = (tiles(96, 32, seed=seed).clip(-2, 2).round() for seed in range(2))
    if form == "bfp2a":
        a, b = np.sign(a), np.sign(b)
    found = ran(
        target,
        f".l1 a {form}[96, 32] tiled @ 0x4000 input\n.l1 b {form}[96, 32] tiled @ 0x8000 input\n"
        ".l1 c f32[32, 32] tiled @ 0x10000 output\n"
        f"formats({to}, wide=1)\nunpack_pair(0x8000, 0x4000, {form}, {to}, tiles=3)\naddr_mods()\n"
        "acquire_dst()\nmatmul_tile(4, tiles=3)\nrelease_dst()\npack_tile(0x10000, f32)\n",
        "c", a=a, b=b,
    )  # fmt: skip
    assert np.array_equal(found, sum(a[n : n + 32] @ b[n : n + 32] for n in range(0, 96, 32)))


@each("wide", [0, 1])
@each("target", TARGETS)
def test_a_tile_is_copied_to_dst_of_either_width(target: str, wide: int) -> None:
    a, form = tiles(32, 32), "f32" if wide else "bf16"
    found = ran(
        target,
        f".l1 a bf16[32, 32] tiled @ 0x4000 input\n.l1 c {form}[32, 32] tiled @ 0x10000 output\n"
        f"formats(wide={wide})\nunpack_tile(0x4000)\nacquire_dst()\ncopy_tile(wide={wide})\n"
        f"release_dst()\npack_tile(0x10000, {form})\n",
        "c", a=a,
    )  # fmt: skip
    assert np.array_equal(found, a)
