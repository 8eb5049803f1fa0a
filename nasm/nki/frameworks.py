"""Arrays of the frameworks in which kernels are called, none of which is imported here.

NumPy's arrays, with the dtypes of ml_dtypes, are known always; tensors of PyTorch and arrays of JAX
where those have been imported.
"""

from __future__ import annotations

import sys
from typing import Any

import ml_dtypes
import numpy as np

from nasm.base import dtypes
from nasm.base.problems import Refused
from nasm.nki.hbm_tensors import HbmTensor

Array = np.ndarray[Any, Any]

UNFIT = "E0654"
"""The code of an argument that no kernel takes, and of a result that none can give."""


def framework(value: Any) -> str:
    """Whose array it is: numpy, hbm (of a model), torch, jax; empty if it is none."""
    if isinstance(value, np.ndarray):
        return "numpy"
    if isinstance(value, HbmTensor):
        return "hbm"
    home = type(value).__module__.partition(".")[0]
    if home == "torch" and isinstance(value, getattr(sys.modules.get("torch"), "Tensor", ())):
        return "torch"
    if home in ("jax", "jaxlib") and isinstance(
        value, getattr(sys.modules.get("jax"), "Array", ())
    ):
        return "jax"
    return ""


def as_array(value: Any) -> Array | None:
    """An array of a framework as NumPy's, of the same bytes where that can be; None if it is none.

    Raises Refused if nothing in NumPy holds what it holds.
    """
    match framework(value):
        case "numpy":
            return np.asarray(value)
        case "hbm":
            held: Array = value.on_device()
            return held
        case "torch":
            return _from_torch(value)
        case "jax":
            return np.asarray(value)
    return None


def stored(array: Array) -> tuple[dtypes.DType, Array]:
    """The dtype of an array as NKI has it, and the array as tensors hold it; raises Refused.

    A structured dtype of one field that is named like a dtype means that dtype: NumPy has no name
    for those that pack several numbers into an element.
    """
    if array.dtype.names is not None and len(array.dtype.names) == 1:
        (name,) = array.dtype.names
        packed = dtypes.find(name)
        if packed is not None and packed.numpy == array.dtype[0]:
            return packed, array[name]
    name = "uint8" if array.dtype == np.bool_ else array.dtype.name
    known = dtypes.find(name)
    if known is None or not array.dtype.isnative:
        near = NEAREST.get(name)
        raise Refused(
            UNFIT,
            f"an array of {array.dtype}, which NKI has no dtype for",
            f"pass {near} instead" if near else "kernels take the dtypes of nki.language",
        )
    if not array.ndim:
        raise Refused(
            UNFIT,
            f"an array without axes ({array.dtype})",
            "pass a number, or an array of one element",
        )
    return known, array.view(known.numpy) if array.dtype == np.bool_ else array


NEAREST = {
    "float64": ".astype(numpy.float32)",
    "int64": ".astype(numpy.int32)",
    "uint64": ".astype(numpy.uint32)",
}


def given_back(made: Array, home: str) -> Any:
    """An array as one of a framework.

    A dtype that the framework has not stays NumPy's.
    """
    if home == "torch":
        return _to_torch(made)
    if home == "jax":
        return sys.modules["jax"].numpy.asarray(made)
    return made


def changeable(value: Any) -> bool:
    """Whether an array can be given other values."""
    home = framework(value)
    return home in ("torch", "hbm") or (home == "numpy" and bool(value.flags.writeable))


def change(value: Any, made: Array) -> None:
    """Give an array the values that a kernel has left in it."""
    if framework(value) == "torch":
        new = _to_torch(made)
        value.detach().copy_(new.reshape(value.shape).to(value.dtype))
    elif framework(value) == "hbm":
        value.write(made.view(value.dtype))
    else:
        value[...] = made.view(value.dtype) if value.dtype == np.bool_ else made


def _from_torch(value: Any) -> Array:
    plain = value.detach().cpu().contiguous()
    name = str(plain.dtype).removeprefix("torch.")
    own = getattr(ml_dtypes, name, None)
    try:
        if own is None:
            found: Array = plain.resolve_conj().numpy()
            return found
        bits = np.dtype(f"int{8 * np.dtype(own).itemsize}")
        whole: Array = plain.view(getattr(sys.modules["torch"], bits.name)).numpy().view(own)
        return whole
    except (TypeError, RuntimeError):
        raise Refused(
            UNFIT, f"a tensor of {plain.dtype} on {value.device}, which NumPy cannot hold"
        ) from None


def _to_torch(made: Array) -> Any:
    torch = sys.modules["torch"]
    made = np.ascontiguousarray(made)
    if made.dtype.type.__module__ != "ml_dtypes" and not made.dtype.name.startswith(_ODD):
        return torch.from_numpy(made)
    own = getattr(torch, made.dtype.name, None)
    if own is None:
        return made
    bits = np.dtype(f"int{8 * made.dtype.itemsize}")
    return torch.from_numpy(made.view(bits)).view(own)


_ODD = ("bfloat", "float8", "float4")
