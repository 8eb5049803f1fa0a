"""What kernels import as ``nki.typing``: annotations of their parameters, which nothing checks."""

from __future__ import annotations

from typing import Any

from nasm.nki.tensor import NkiTensor


class _Annotation(type):
    """A class that represents tensors; in brackets it takes their shape."""

    def __getitem__(cls, shape: Any) -> _Annotation:
        return cls

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, NkiTensor)


class tensor(metaclass=_Annotation):  # noqa: N801  (AWS's names, both)
    """A tensor that a kernel is passed."""


class mutable_tensor(metaclass=_Annotation):  # noqa: N801
    """One that it writes."""


__all__ = ["mutable_tensor", "tensor"]
