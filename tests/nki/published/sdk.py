"""The examples of AWS's SDK, with references of our own."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import ml_dtypes
import numpy as np

from tests.nki.published.cases import Case, Inputs

EXAMPLES = "nki/examples/"
MATMUL = EXAMPLES + "matrix_multiplication/matrix_multiplication_nki_kernels.py"
MAMBA = EXAMPLES + "fused_mamba/mamba_nki_kernels.py"
MX = "nki/deep-dives/src/mxfp-matmul/mx_kernels.py"
TUTORIAL = "SDK, fused_mamba tutorial"

Random = np.random.Generator


def normal(*shapes: tuple[int, ...], dtype: Any = np.float32) -> Any:
    """Arguments that are normally distributed."""

    def make(random: Random, _: ModuleType) -> Inputs:
        return tuple(
            random.standard_normal(shape, np.float32).astype(dtype) for shape in shapes
        ), {}

    return make


def matmul(lhs: Any, rhs: Any, **_: Any) -> Any:
    """The product of a transposed matrix and another."""
    made = lhs.astype(np.float32).T @ rhs.astype(np.float32)
    return made.astype(lhs.dtype)


def of_matmul(kernel: str, k: int, m: int, n: int, **more: Any) -> Case:
    """A matmul of the tutorial."""
    dtype = ml_dtypes.bfloat16
    return Case(
        1,
        f"{kernel} [{k}x{m}x{n}]",
        "sdk",
        MATMUL,
        kernel,
        normal((k, m), (k, n), dtype=dtype),
        matmul,
        **{"rtol": 1e-2, **more},
    )


def mamba_inputs(batch: int, channels: int, length: int, state: int) -> Any:
    """What a Mamba layer computes with: steps that shrink, as in the model."""

    def make(random: Random, _: ModuleType) -> Inputs:
        shapes = (
            (batch, channels, length),
            (batch, channels, length),
            (channels, state),
            (batch, state, length),
            (batch, state, length),
        )
        delta, u, a, b, c = (random.standard_normal(s, np.float32) for s in shapes)
        return (np.abs(delta) * np.float32(0.1), u, -np.abs(a), b, c), {}

    return make


def mamba(delta: Any, u: Any, a: Any, b: Any, c: Any) -> Any:
    """y[t] = sum over states of C[t] * x[t], x[t] = exp(delta A) x[t-1] + delta u B[t]."""
    batch, channels, length = delta.shape
    states = np.zeros((batch, channels, a.shape[1]))
    out = np.empty((batch, channels, length))
    for t in range(length):
        step = delta[:, :, t, None].astype(np.float64)
        states = np.exp(step * a) * states + step * u[:, :, t, None] * b[:, None, :, t]
        out[:, :, t] = (states * c[:, None, :, t]).sum(axis=2)
    return out.astype(np.float32)


def of_mamba(kernel: str, channels: int, length: int, **more: Any) -> Case:
    """A version of the tutorial."""
    return Case(
        1,
        f"{kernel} [1,{channels},{length},16]",
        "sdk",
        MAMBA,
        kernel,
        mamba_inputs(1, channels, length, 16),
        mamba,
        **{"target": "trn1", "rtol": 1e-4, **more},
    )


def transposed(array: Any, shape: Any) -> Any:
    """Rows of matrices of a shape, each transposed."""
    rows = array.reshape(array.shape[0], *shape)
    return rows.swapaxes(1, 2).reshape(array.shape)


def pooled(reduce: Any) -> Any:
    """Windows of so many rows and columns, reduced."""

    def reference(array: Any, size: int) -> Any:
        c, h, w = array.shape
        windows = array.reshape(c, h // size, size, w // size, size)
        return reduce(windows, axis=(2, 4))

    return reference


def with_argument(shape: tuple[int, ...], argument: Any) -> Any:
    """One array, and something that is none."""

    def make(random: Random, _: ModuleType) -> Inputs:
        return (random.standard_normal(shape, np.float32), argument), {}

    return make


def add(a: Any, b: Any) -> Any:
    """The sum."""
    return a + b


def packing(dtype: Any) -> str:
    """NKI's name for four of a dtype in one element."""
    return f"{np.dtype(dtype).name}_x4"


def offline(dtype: Any) -> Any:
    """Two tiles that were quantized before, as the published script makes them."""

    def make(random: Random, _: ModuleType) -> Inputs:
        import mx_cpu_utils as published

        np.random.seed(1)
        _, _, stationary, scale = published.generate_stabilized_mx_data(dtype, (128, 4 * 128))
        _, _, moving, other = published.generate_stabilized_mx_data(dtype, (128, 4 * 512))
        return (stationary, scale, moving, other, packing(dtype)), {}

    return make


def offline_product(stationary: Any, scale: Any, moving: Any, other: Any, name: str) -> Any:
    """What the published golden says of them."""
    import mx_cpu_utils as published

    dtype = getattr(ml_dtypes, name.removesuffix("_x4"))
    return published.nc_matmul_mx_golden(stationary, moving, scale, other, dtype, dtype)


def on_device(quantized: Any, made: Any) -> Any:
    """A tile that was quantized before, and one that the kernel quantizes."""

    def make(random: Random, _: ModuleType) -> Inputs:
        import mx_cpu_utils as published

        np.random.seed(1)
        _, _, stationary, scale = published.generate_stabilized_mx_data(quantized, (128, 4 * 128))
        moving, *_ = published.generate_stabilized_mx_data(made, (128, 4 * 512))
        moving = moving.astype(ml_dtypes.bfloat16)
        return (stationary, scale, moving, packing(quantized), packing(made)), {}

    return make


def on_device_product(stationary: Any, scale: Any, moving: Any, name: str, made: str) -> Any:
    """What the published golden says of them."""
    import mx_cpu_utils as published

    first, second = (getattr(ml_dtypes, word.removesuffix("_x4")) for word in (name, made))
    packed, other = published.quantize_mx_golden(moving.astype(np.float32), second)
    return published.nc_matmul_mx_golden(stationary, packed, scale, other, first, second)


def of_mx(kernel: str, inputs: Any, reference: Any, shown: str) -> Case:
    """A kernel of the MX examples; its script allows 5 %."""
    return Case(
        3, f"{kernel} {shown}", "sdk", MX, kernel, inputs, reference,
        target="trn3", rtol=5e-2, atol=5e-2,
    )  # fmt: skip


CASES = (
    Case(
        1, "nki_tensor_add", "sdk", EXAMPLES + "tensor_addition/tensor_addition_nki_kernels.py",
        "nki_tensor_add", normal((256, 1024), (256, 1024)), add, target="trn1", rtol=0, atol=0,
    ),
    Case(
        1, "nki_tensor_add_kernel (getting started)", "sdk",
        EXAMPLES + "getting_started_baremetal.py", "nki_tensor_add_kernel",
        normal((128, 512), (128, 512)), add, rtol=0, atol=0,
    ),
    Case(
        1, "tensor_transpose2D_kernel_", "sdk",
        EXAMPLES + "transpose2d/transpose2d_nki_kernels.py", "tensor_transpose2D_kernel_",
        with_argument((128, 3 * 4), (3, 4)), transposed, rtol=0, atol=0,
    ),
    Case(
        1, "tensor_avgpool_kernel", "sdk",
        EXAMPLES + "average_pool2d/average_pool2d_nki_kernels.py", "tensor_avgpool_kernel",
        with_argument((128, 16, 16), 2), pooled(np.mean),
    ),
    Case(
        1, "tensor_maxpool_kernel_", "sdk", EXAMPLES + "index-case-3.py",
        "tensor_maxpool_kernel_", with_argument((128, 16, 16), 2), pooled(np.max), rtol=0, atol=0,
    ),
    Case(
        1, "tensor_exp_kernel_", "sdk", EXAMPLES + "layout-pass.py", "tensor_exp_kernel_",
        normal((128, 512)), np.exp,
    ),
    Case(
        1, "tensor_split_kernel_", "sdk", EXAMPLES + "index-case-1.py", "tensor_split_kernel_",
        normal((128, 512)), lambda a: (a[:, ::2], a[:, 1::2]), rtol=0, atol=0,
    ),
    of_matmul("nki_matmul_basic_", 128, 64, 512),
    of_matmul("nki_matmul_tiled_", 512, 256, 1024),
    of_matmul("nki_matmul_hoist_load_", 512, 256, 1024),
    of_matmul("nki_matmul_block_free_dimension_", 512, 512, 1024),
    of_matmul("nki_matmul_fully_optimized_", 2048, 2048, 1024),
    of_matmul("nki_matmul_tiled_", 4096, 4096, 4096, published=8602.0, long=True,
              source="aws-neuron/neuron-agentic-development"),
    of_matmul("nki_matmul_fully_optimized_", 4096, 4096, 4096, published=1801.0, long=True,
              source="aws-neuron/neuron-agentic-development"),
    of_mamba("mamba_v1", 256, 512, published=172.93, source=TUTORIAL),
    of_mamba("mamba_v2", 256, 512),
    of_mamba("mamba_v3", 256, 512),
    of_mamba("mamba_v1", 4096, 512, published=2340.0, source=TUTORIAL, long=True),
    of_mamba("mamba_v2", 4096, 512, published=1610.0, source=TUTORIAL, long=True),
    of_mx("kernel_offline_quantized_mx_matmul", offline(ml_dtypes.float8_e5m2), offline_product,
          "fp8"),
    of_mx("kernel_offline_quantized_mx_matmul", offline(ml_dtypes.float4_e2m1fn), offline_product,
          "fp4"),
    of_mx("kernel_on_device_quantize_matmul_mx",
          on_device(ml_dtypes.float8_e5m2, ml_dtypes.float8_e5m2), on_device_product, "fp8, fp8"),
    of_mx("kernel_on_device_quantize_matmul_mx",
          on_device(ml_dtypes.float4_e2m1fn, ml_dtypes.float8_e5m2), on_device_product,
          "fp4, fp8"),
)  # fmt: skip
"""Those of stage 1, and the MX kernels of stage 3."""
