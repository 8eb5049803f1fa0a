"""New tensors of NKI 0.1, and what they hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from nasm.nki import applying, creation
from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.names import DType
from nasm.nki.neuronxcc.allocation import made_tensor
from nasm.nki.neuronxcc.elementwise import elementwise, on_chip, plain
from nasm.nki.neuronxcc.regions import region
from nasm.nki.neuronxcc.results import read, result
from nasm.nki.neuronxcc.tensor import TileTensor, of
from nasm.nki.tensor import NkiTensor
from nasm.nki.tiles import number
from nasm.nki.tracing import Call, current


def ndarray(
    shape: Any, dtype: Any, *, buffer: Any = None, name: str = "", lazy_initialization: Any = False
) -> TileTensor:
    """A new tensor, not initialised."""
    return made_tensor("ndarray", shape, dtype, buffer, name)


def full(
    shape: Any,
    fill_value: Any,
    dtype: Any,
    *,
    buffer: Any = None,
    name: str = "",
    lazy_initialization: Any = False,
) -> TileTensor:
    """A new tensor that holds a number everywhere."""
    return _filled("full", shape, fill_value, dtype, buffer, name)


def zeros(
    shape: Any, dtype: Any, *, buffer: Any = None, name: str = "", lazy_initialization: Any = False
) -> TileTensor:
    """A new tensor of zeros."""
    return _filled("zeros", shape, 0, dtype, buffer, name)


def ones(
    shape: Any, dtype: Any, *, buffer: Any = None, name: str = "", lazy_initialization: Any = False
) -> TileTensor:
    """A new tensor of ones."""
    return _filled("ones", shape, 1, dtype, buffer, name)


def zeros_like(a: Any, dtype: Any = None, *, buffer: Any = None, name: str = "") -> TileTensor:
    """A new tensor of zeros like another."""
    kind = a.storage.dtype if dtype is None else dtype
    return _filled(
        "zeros_like", _shape_like(a), 0, kind, a.buffer if buffer is None else buffer, name
    )


def empty_like(a: Any, dtype: Any = None, *, buffer: Any = None, name: str = "") -> TileTensor:
    """A new tensor like another, not initialised."""
    kind = a.storage.dtype if dtype is None else dtype
    return made_tensor(
        "empty_like", _shape_like(a), kind, a.buffer if buffer is None else buffer, name
    )


def _shape_like(a: Any) -> tuple[int, ...]:
    if not isinstance(a, TileTensor):
        refuse(f"{a!r}: wanted a tensor")
    return a.shape


def _filled(what: str, shape: Any, value: Any, dtype: Any, buffer: Any, name: str) -> TileTensor:
    if not number(value):
        refuse(f"nl.{what}: fill_value is {value!r}; wanted a number")
    made = made_tensor(what, shape, dtype, buffer, name)
    if not made.on_chip:
        tile = made.storage.tile(())
        columns = tile.shape[-1] if tile.ndim > 1 else 1
        flat = tile.reshape((tile.size // columns, columns))
        source = creation.full((min(flat.shape[0], 128), min(columns, 4096)), value, dtype)
        creation._spread(flat, source)
        return made
    made.storage.fill = lambda tile: _filled_tile(tile, plain(value))
    if not made.lead:
        made.storage.tile(())
    return made


def _filled_tile(tile: NkiTensor, value: Any) -> Call:
    """A tile filled with a number, by the last call of the trace."""
    applying.fill(tile, value)
    call = current("nl.full").open[-1][-1]
    assert isinstance(call, Call)
    return call


def rand(shape: Any, dtype: Any = np.float32) -> TileTensor:
    """A new tile of random numbers, each as likely from 0 to below 1."""
    return result(creation.rand(tuple(shape), dtype))


def random_seed(seed: Any, *, mask: Any = None) -> None:
    """Restart the random numbers."""
    creation.random_seed(read(on_chip("random_seed", seed, "seed")))


def dropout(x: Any, rate: Any, *, dtype: Any = None, mask: Any = None) -> TileTensor:
    """Elements, some of which become 0."""
    by = rate if number(rate) else read(on_chip("dropout", rate, "rate"))
    return elementwise("dropout", lambda a: creation.dropout(a, by, dtype), (x,), mask, dtype)


def shared_constant(constant: Any, dtype: Any = None) -> TileTensor:
    """An array in HBM that the program brings along."""
    array = np.asarray(constant)
    if dtype is not None:
        array = array.astype(DType(dtype).stored.numpy)
    return of(creation.shared_constant(array))


def shared_identity_matrix(n: Any, dtype: Any = np.uint8) -> TileTensor:
    """The identity of n rows, in HBM."""
    return shared_constant(np.eye(whole_number(n, "n of nl.shared_identity_matrix")), dtype)


def device_print(prefix: Any, x: Any, *, mask: Any = None) -> None:
    """Put what a tensor holds into the report of the run."""
    box = region([x], x.shape, mask) if mask is not None else None
    creation.device_print(prefix, read(x, box))
