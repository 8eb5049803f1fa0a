"""What a kernel has returned against what a test of the library says that it should."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any

import numpy as np

from nasm.nki.neuron_dtypes import static_cast

Array = np.ndarray[Any, Any]


class ValueMismatch(AssertionError):
    """A value that differs from the reference by more than is allowed."""


class Gap(Exception):
    """Something that these replacements cannot do."""


def outputs(returned: Any) -> list[Array]:
    """The arrays that a kernel returned, in order."""
    if returned is None:
        return []
    if isinstance(returned, dict):
        returned = list(returned.values())
    if isinstance(returned, list | tuple):
        return [array for item in returned for array in outputs(item)]
    return [np.asarray(returned)]


def judge(found: Sequence[Array], validation: Any, rank: int = 0) -> int:
    """Compare what a rank returned; returns how many were compared, raises ValueMismatch.

    A reference that is not made by rank is that of rank 0, as the library has it.
    """
    if validation is None:
        return 0
    golden = validation.golden_output
    names: list[str] = []
    if hasattr(golden, "for_rank"):
        golden = golden.for_rank(rank)
    elif rank:
        return 0
    elif hasattr(golden, "golden"):
        golden, names = golden.golden, list(golden.output_ndarray)
    if golden is None:
        return 0
    return sum(
        _compare(name, array, golden[name], validation)
        for name, array in matched(found, golden, names).items()
    )


def matched(
    found: Sequence[Array], golden: Mapping[str, Any], names: Sequence[str]
) -> dict[str, Array]:
    """The outputs that there is a reference of, by name.

    ``names`` are those of all outputs, where they are more than those with a reference.
    """
    known = names if len(names) > len(golden) else list(golden)
    if len(known) != len(found):
        raise Gap(f"{len(found)} outputs for {', '.join(known)}")
    named = dict(zip(known, found, strict=True))
    return {name: named[name] for name in golden}


def _compare(name: str, found: Array, wanted: Any, validation: Any) -> int:
    if hasattr(wanted, "validator"):
        if not wanted.validator(None).validate(found):
            raise ValueMismatch(f"{name}: the test's own validator refuses it")
        return 1
    want = np.asarray(wanted)
    have = _unpacked(found).reshape(-1)
    want, sizes = _unpacked(want).reshape(-1), _unpacked(want).shape
    if have.size != want.size:
        raise ValueMismatch(f"{name}: {list(found.shape)}, wanted {list(np.shape(wanted))}")
    largest = max((_largest(want[part]) for part in _parts(want.size)), default=0.0)
    allowed = validation.absolute_accuracy + validation.relative_accuracy * largest
    count, first = 0, 0
    for part in _parts(want.size):
        bad = _apart(_wide(have[part]), _wide(want[part]), allowed)
        if not count and bad.any():
            first = part.start + int(bad.argmax())
        count += int(bad.sum())
    if count:
        at = [int(n) for n in np.unravel_index(first, sizes)]
        raise ValueMismatch(
            f"{name}: {count:,} of {want.size:,} elements, the first at {at}: "
            f"{float(have[first]):g}, wanted {float(want[first]):g}, with a tolerance of "
            f"{allowed:g}"
        )
    return 1


AT_ONCE = 1 << 18
"""Elements that are compared at once: what they need stays in the caches."""


def _parts(size: int) -> list[slice]:
    return [slice(at, at + AT_ONCE) for at in range(0, size, AT_ONCE)]


def _apart(have: Array, want: Array, allowed: float) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Which elements differ by more than is allowed; two that are no numbers do not."""
    near = (np.abs(have - want) <= allowed) | (have == want)
    apart: np.ndarray[Any, np.dtype[np.bool_]] = ~(near | (np.isnan(have) & np.isnan(want)))
    return apart


def _largest(array: Array) -> float:
    wide = _wide(array)
    return float(np.abs(wide[np.isfinite(wide)]).max(initial=0.0))


def _unpacked(array: Array) -> Array:
    """Four elements for one of a packed dtype."""
    return static_cast(array, np.float32) if array.dtype.names is not None else array


def _wide(array: Array) -> Array:
    return np.asarray(static_cast(array, np.float32), np.float64)


def arguments(kernel: Callable[..., Any], given: Mapping[str, Any]) -> tuple[Any, ...]:
    """The inputs of a kernel by position: its parameters may be called like options of a run."""
    named = {name.removesuffix(".must_alias_input"): value for name, value in given.items()}
    bound = signature(kernel).bind(**named)
    bound.apply_defaults()
    return bound.args
