"""Calls as earlier versions of NKI have them: taken where they mean something today, else refused.

NKI 0.1 is another language under the same names: its calls return tiles. What 0.2 to 0.5 write
differently from today is a keyword or two.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import Signature
from typing import Any, NoReturn

from nasm.nki.errors import NOT_NKI, refuse
from nasm.nki.names import DType, dma_engine

GUIDE = "AWS's NKI migration guide (nki/migration) says how it is written today"

REMOVED = {
    "tensor_copy_dynamic_src": "nisa.tensor_copy(dst, src.ap(…, scalar_offset=…))",
    "tensor_copy_dynamic_dst": "nisa.tensor_copy(dst.ap(…, scalar_offset=…), src)",
}
"""Functions that later versions have no more, and what says the same today."""


def refuse_older(
    name: str, signature: Signature, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> None:
    """Refuse a call whose arguments do not fit if it is one of NKI 0.1; else say nothing."""
    if "mask" in kwargs:
        refuse_first(f"nisa.{name} with mask=")
    parameters = list(signature.parameters.values())
    if "dst" in kwargs or not parameters or parameters[0].name != "dst":
        return
    given = {n: v for n, v in kwargs.items() if n not in ("dtype", "mask")}
    try:
        signature.replace(parameters=parameters[1:]).bind(*args, **given)
    except TypeError:
        return
    refuse_first(f"nisa.{name} without dst, as if it returned a tile")


def refuse_first(what: str) -> NoReturn:
    """Refuse what is of NKI 0.1."""
    refuse(
        f"{what}: that is NKI 0.1, which AWS's compiler does not take any more either",
        f"{GUIDE}: every call takes dst first, and slices say what a mask did",
        NOT_NKI,
    )


def removed(name: str) -> Any:
    """A function in the place of one that there is no more: it says what to call."""

    def called(*args: Any, **kwargs: Any) -> NoReturn:
        refuse(
            f"nisa.{name}: NKI has had no such function since 0.4",
            f"write {REMOVED[name]}",
            NOT_NKI,
        )

    called.__name__ = called.__qualname__ = name
    called.__doc__ = f"Not in NKI since 0.4: write {REMOVED[name]}."
    return called


def translated(name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> dict[str, Any] | None:
    """The keywords of a call of NKI 0.2 to 0.5 as they are today; None if none is an older one."""
    older = _OLDER.get(name, {})
    found = [word for word in kwargs if word in older]
    if not found:
        return None
    made = {word: value for word, value in kwargs.items() if word not in older}
    for word in found:
        made |= older[word](kwargs[word], args[0] if args else kwargs.get("dst"))
    return made


def _repeated(dtype: Any, dst: Any) -> dict[str, Any]:
    """``dtype`` of a copy repeats what dst says."""
    if dtype is not None and DType(dtype).stored is not DType(dst.dtype).stored:
        refuse(
            f"dtype={dtype}, and dst is {dst.dtype}",
            "a copy converts into the dtype of dst: leave dtype= out",
        )
    return {}


def _added(op: Any, _: Any) -> dict[str, Any]:
    if op is not None:
        refuse(
            f"dst_rmw_op={op}: a copy has not added to what is there since NKI 0.3",
            "write nisa.dma_compute(dst, [src, dst], reduce_op=nl.add)",
            NOT_NKI,
        )
    return {}


def _ignored(*_: Any) -> dict[str, Any]:
    return {}


def _gpsimd(chosen: Any, _: Any) -> dict[str, Any]:
    return {"dma_engine": dma_engine.gpsimd_dma if chosen else dma_engine.dma}


Translation = Callable[[Any, Any], dict[str, Any]]
"""The keywords of today, from the value of an older one and the destination."""

_OLDER: dict[str, dict[str, Translation]] = {
    "tensor_copy": {"dtype": _repeated},
    "dma_copy": {"dst_rmw_op": _added, "unique_indices": _ignored},
    "nc_matmul": {
        "is_moving_zero": lambda hint, _: {"is_moving_onezero": hint},
        "psumAccumulateFlag": _ignored,
    },
    "register_move": {"imm": lambda number, _: {"src": number}},
    "sendrecv": {"use_gpsimd_dma": _gpsimd},
}
"""Keywords that NKI 0.2 to 0.5 have and later versions have no more, by function."""
