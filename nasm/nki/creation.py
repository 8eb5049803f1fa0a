"""New tensors, and what they are filled with."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from nasm.base import host_files
from nasm.nki.applying import copy, fill
from nasm.nki.errors import refuse
from nasm.nki.indexing import whole_number
from nasm.nki.isa import FUNCTIONS
from nasm.nki.matmuls import identity, limit
from nasm.nki.names import DTYPES, HBM, DType, MemoryRegion, VirtualRegister
from nasm.nki.tensor import NkiTensor
from nasm.nki.tile_sizes import TileSize
from nasm.nki.tiles import SBUF, instruct, new, number, result, tile
from nasm.nki.tracing import current
from nasm.views.value_text import value_text
from nasm.views.view import View

PRINT = "nki.language.device_print"
"""What the row is called that prints."""

COLUMNS = 4096
"""Elements of a partition that HBM is filled from."""


def _shape(what: str, shape: Any) -> tuple[int, ...]:
    given = shape if type(shape) is tuple or isinstance(shape, Sequence) else (shape,)
    if all([type(n) is int and n > 0 for n in given]) and given:
        return tuple(given)
    if any(isinstance(n, VirtualRegister) for n in given):
        refuse(f"nl.{what}: a size is in a register; wanted sizes that are known while tracing")
    sizes = tuple(whole_number(n, f"a size of nl.{what}") for n in given)
    if not sizes or min(sizes) < 1:
        refuse(f"nl.{what} of {list(sizes)}: wanted sizes of at least 1")
    return sizes


def _made(what: str, shape: Any, dtype: Any, buffer: Any, name: Any, address: Any) -> NkiTensor:
    region = buffer if type(buffer) is MemoryRegion else _memory(buffer)
    sizes = _shape(what, shape)
    if region.memory != "hbm" and len(sizes) < 2:
        refuse(
            f"nl.{what} of {list(sizes)} in {region}: a tile has two axes or more, "
            "of which the first counts partitions",
            f"({sizes[0]}, 1) or (1, {sizes[0]})",
        )
    trace = current(f"nl.{what}")
    called = "" if name is None else str(name)
    return trace.tensor(sizes, DType(dtype), region, called, _address(what, address))


def _memory(buffer: Any) -> MemoryRegion:
    if not isinstance(buffer, str | None):
        refuse(f"buffer={value_text(buffer)}; wanted one of NKI's, such as nl.sbuf")
    return SBUF if buffer is None else MemoryRegion(buffer)


def _address(what: str, address: Any) -> tuple[int, int] | None:
    if address is None:
        return None
    if not isinstance(address, list | tuple) or len(address) != 2:
        refuse(f"nl.{what}: address={value_text(address)}; wanted (partition, byte)")
    partition, offset = (whole_number(n, "a number of an address") for n in address)
    return partition, offset


def ndarray(
    shape: Any,
    dtype: Any,
    buffer: Any = SBUF,
    name: str = "",
    address: tuple[int, int] | None = None,
) -> NkiTensor:
    """A new tensor, not initialised."""
    return _made("ndarray", shape, dtype, buffer, name, address)


def full(shape: Any, fill_value: Any, dtype: Any, buffer: Any = SBUF, name: str = "") -> NkiTensor:
    """A new tensor that holds a number everywhere."""
    return _filled("full", shape, fill_value, dtype, buffer, name)


def zeros(shape: Any, dtype: Any, buffer: Any = SBUF, name: str = "") -> NkiTensor:
    """A new tensor of zeros."""
    return _filled("zeros", shape, 0, dtype, buffer, name)


def ones(shape: Any, dtype: Any, buffer: Any = SBUF, name: str = "") -> NkiTensor:
    """A new tensor of ones."""
    return _filled("ones", shape, 1, dtype, buffer, name)


def _filled(what: str, shape: Any, value: Any, dtype: Any, buffer: Any, name: str) -> NkiTensor:
    if not number(value):
        refuse(f"nl.{what}: fill_value is {value!r}; wanted a number")
    made = _made(what, shape, dtype, buffer, name, None)
    if made.on_chip:
        fill(made, value)
        return made
    # HBM is written by transfers alone: rows at a time, of a tile that holds nothing else.
    columns = made.shape[-1] if made.ndim > 1 else 1
    flat = made.reshape((made.size // columns, columns))
    rows = min(flat.shape[0], TileSize().pmax)
    source = new(what, (rows, min(columns, COLUMNS)), dtype)
    fill(source, value)
    _spread(flat, source)
    return made


def _spread(flat: NkiTensor, source: NkiTensor) -> None:
    """Copy a tile to everywhere in a matrix."""
    rows, columns = source.shape
    for row in range(0, flat.shape[0], rows):
        for column in range(0, flat.shape[1], columns):
            part = flat[
                row : min(row + rows, flat.shape[0]), column : min(column + columns, flat.shape[1])
            ]
            instruct("dma_copy", dst=part, src=source[: part.shape[0], : part.shape[1]])


def _region(x: NkiTensor, buffer: Any) -> Any:
    return x.buffer if buffer is None else buffer


def _like(what: str, x: Any) -> NkiTensor:
    if not isinstance(x, NkiTensor):
        refuse(f"nl.{what}: x is {x!r}; wanted a tensor")
    return x


def zeros_like(x: Any, dtype: Any = None, buffer: Any = None, name: str = "") -> NkiTensor:
    """A new tensor of zeros, of the shape, dtype and memory of another."""
    like = _like("zeros_like", x)
    kind = like.dtype if dtype is None else dtype
    return _filled("zeros_like", like.shape, 0, kind, _region(like, buffer), name)


def empty_like(x: Any, dtype: Any = None, buffer: Any = None, name: str = "") -> NkiTensor:
    """A new tensor, not initialised, of the shape, dtype and memory of another."""
    like = _like("empty_like", x)
    kind = like.dtype if dtype is None else dtype
    return _made("empty_like", like.shape, kind, _region(like, buffer), name, None)


def rand(shape: Any, dtype: Any, buffer: Any = SBUF, name: str = "") -> NkiTensor:
    """A new tensor of random numbers, each as likely from 0 to below 1."""
    made = _made("rand", shape, dtype, buffer, name, None)
    if not made.on_chip:
        refuse(
            f"nl.rand in {made.buffer}: random numbers are made on chip",
            "make a tile of them, and nl.store that",
        )
    if _has("rand2"):
        instruct("rand2", dst=made, min=0.0, max=1.0)
        return made
    bits = new("rand", made.shape, DTYPES["uint32"])
    instruct("rng", dst=bits)
    # As many bits as a float32 holds.
    instruct("tensor_scalar", dst=bits, data=bits, op0="right_shift", operand0=8)
    instruct("tensor_scalar", dst=made, data=bits, op0="multiply", operand0=2.0**-24)
    return made


def _has(function: str) -> bool:
    """Whether the generation has a function of nki.isa."""
    builder = current(f"nki.isa.{function}").builder
    rows = FUNCTIONS[function].rows
    return all(builder.target.engines(row, builder.generation) for row in rows)


def random_seed(seed: Any) -> None:
    """Restart the random numbers, with a tile of one element of 32 bits."""
    if not _has("set_rng_seed"):
        refuse(
            "nl.random_seed: the generation has no instruction that takes one seed",
            "nisa.rand_set_state(src_seeds) takes the state of every partition",
        )
    instruct("set_rng_seed", src_seeds=tile("random_seed", seed, "seed"))


def dropout(x: Any, rate: Any, dtype: Any = None) -> NkiTensor:
    """Elements, some of which become 0: each with a probability."""
    data = tile("dropout", x)
    dst = result("dropout", data.shape, data.dtype)
    prob = float(rate) if number(rate) else tile("dropout", rate, "rate")
    instruct("dropout", dst=dst, data=data, prob=prob)
    return dst if dtype is None or DType(dtype) == dst.dtype else copy(dst, dtype)


def shared_constant(constant: Any) -> NkiTensor:
    """An array, or a file of one, in HBM: one tensor for all cores, however often it is asked."""
    array = _array(constant)
    trace = current("nl.shared_constant")
    text = f"{array.dtype.name}{array.shape}".encode()
    name = f"constant_{hashlib.sha256(text + array.tobytes()).hexdigest()[:12]}"
    found = trace.builder.program.tensors.get(name)
    if found is not None:
        return NkiTensor(View.whole(found), MemoryRegion.shared_hbm, DType(array.dtype))
    made = trace.tensor(array.shape, DType(array.dtype), HBM, name, role="input", array=array)
    return NkiTensor(made.view_, MemoryRegion.shared_hbm, made.dtype)


def _asarray(constant: Any) -> np.ndarray[Any, Any] | None:
    """Numbers as an array; None if rows are not of one length."""
    try:
        return np.asarray(constant)
    except ValueError:
        return None


def _array(constant: Any) -> np.ndarray[Any, Any]:
    if isinstance(constant, str | os.PathLike):
        try:
            with host_files.opened(constant) as stream:
                found = np.load(stream, allow_pickle=False)
        except (OSError, ValueError) as wrong:
            refuse(f"nl.shared_constant({str(constant)!r}): {wrong}")
    else:
        found = None if isinstance(constant, NkiTensor) else _asarray(constant)
    if not isinstance(found, np.ndarray) or found.dtype.hasobject or not found.size:
        refuse(f"nl.shared_constant({constant!r}): wanted an array of numbers, or a .npy file")
    return np.atleast_1d(found)


def shared_identity_matrix(n: int, dtype: Any = DTYPES["uint8"], dst: Any = None) -> NkiTensor:
    """The identity of n rows in SBUF: one for all that ask for a dtype."""
    count = whole_number(n, "n of nl.shared_identity_matrix")
    trace = current("nl.shared_identity_matrix")
    most = limit(trace, "tile_max")
    if not 1 <= count <= most:
        refuse(f"nl.shared_identity_matrix({count}): wanted 1 to {most} rows")
    made = identity(trace, DType(dtype))[:count, :count]
    if dst is None:
        return made
    instruct("tensor_copy", dst=tile("shared_identity_matrix", dst, "dst"), src=made)
    into: NkiTensor = dst
    return into


def device_print(print_prefix: str, tensor: Any) -> None:
    """Put what a tensor holds into the report of the run, after a text."""
    if not isinstance(print_prefix, str):
        refuse(f"nl.device_print: print_prefix is {print_prefix!r}; wanted a text")
    value_text = _like("device_print", tensor)
    trace = current("nl.device_print")
    rows = trace.builder.target.isa.rows.values()
    printing = next(row for row in rows if PRINT in row.vendor.get("NKI", ()))
    trace.call(printing, {"tensor": value_text.view_, "print_prefix": print_prefix})
