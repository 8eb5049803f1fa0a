"""Data formats as programs spell them, in declarations and in settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from nasm.targets.tensix.matrix.formats import Format

FORMATS: Final[Mapping[str, Format]] = {
    "f32": Format.FP32,
    "tf32": Format.TF32,
    "f16": Format.FP16,
    "bf16": Format.BF16,
    "fp8": Format.FP8,
    "bfp8": Format.BFP8,
    "bfp4": Format.BFP4,
    "bfp2": Format.BFP2,
    "bfp8a": Format.BFP8A,
    "bfp4a": Format.BFP4A,
    "bfp2a": Format.BFP2A,
    "i32": Format.INT32,
    "i16": Format.INT16,
    "i8": Format.INT8,
}
"""Every format by its word; the ``a`` forms of block floats have exponents of five bits."""

LLK_FORMATS: Final[Mapping[str, Format]] = {
    "Float32": Format.FP32,
    "Tf32": Format.TF32,
    "Float16": Format.FP16,
    "Float16_b": Format.BF16,
    "Lf8": Format.FP8,
    "Bfp8_b": Format.BFP8,
    "Bfp4_b": Format.BFP4,
    "Bfp2_b": Format.BFP2,
    "Bfp8": Format.BFP8A,
    "Bfp4": Format.BFP4A,
    "Bfp2": Format.BFP2A,
    "Int32": Format.INT32,
    "UInt16": Format.INT16,
    "Int8": Format.INT8,
}
"""Every format as tt-llk's ``DataFormat`` calls it."""
