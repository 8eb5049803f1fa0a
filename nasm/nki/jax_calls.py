"""Kernels that are called by what JAX traces: each runs when JAX has the values.

The call becomes one of ``jax.pure_callback``. What the kernel returns is known from a trace of it
with arrays of zeros; a kernel that writes its arguments is refused, as any with arrays of JAX's is.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nasm.base.problems import Failure, Problem
from nasm.nki.arguments import filled, outputs
from nasm.nki.frameworks import UNFIT
from nasm.nki.jit import Kernel, leaves
from nasm.nki.kernel import trace


def called_back(kernel: Kernel, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
    """A call that JAX traces; returns what the kernel does, with tracers for its arrays."""
    jax = sys.modules["jax"]
    tracer = (sys.modules.get("jax.core") or jax).Tracer
    given = (tuple(args), dict(kwargs))
    found = [part for part in leaves(given) if isinstance(part, tracer)]

    def with_values(values: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        left = iter(values)
        made = _replaced(given, lambda part: next(left) if isinstance(part, tracer) else part)
        return made[0], made[1]

    zeros = [np.zeros(part.shape, part.dtype) for part in found]
    positional, named = with_values(zeros)
    traced = trace(kernel, *positional, kernel_args=named)
    for name in traced.changed:
        message = f"the kernel writes its argument {name}, and arrays of JAX never change"
        span = traced.program.tensors[name].span
        raise Failure(Problem(UNFIT, message, span, "have it return a tensor of its own"))
    wanted = [
        jax.ShapeDtypeStruct(part.view.shape, part.view.dtype.numpy)
        for part in outputs(traced.returned)
    ]

    def run(*values: Any) -> list[Any]:
        positional, named = with_values([np.array(value) for value in values])
        return [np.asarray(part) for part in leaves(kernel(*positional, **named)) if _array(part)]

    results = iter(jax.pure_callback(run, wanted, *found, vmap_method="sequential"))
    return filled(traced.returned, lambda part: next(results))


def _array(value: Any) -> bool:
    return hasattr(value, "shape") and hasattr(value, "dtype")


def _replaced(value: Any, each: Any) -> Any:
    """The same containers with other leaves."""
    if isinstance(value, dict):
        return {name: _replaced(part, each) for name, part in value.items()}
    if isinstance(value, list):
        return [_replaced(part, each) for part in value]
    if isinstance(value, tuple):
        made = [_replaced(part, each) for part in value]
        return type(value)(*made) if hasattr(value, "_fields") else tuple(made)
    return each(value)
