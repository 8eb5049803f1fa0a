"""Tables of cases as one test, where a parameter for each would be collected by every worker."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any

import pytest


def each(
    names: str | tuple[str, ...],
    cases: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[str] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Like `pytest.mark.parametrize`, in one test: all cases run, and those that fail are named.

    Fixtures are set up once, so that no case may change them.
    """
    names = tuple(n.strip() for n in names.split(",")) if isinstance(names, str) else names
    rows = [one if hasattr(one, "marks") else pytest.param(one, id=None) for one in cases]
    said = iter(ids) if ids is not None and not callable(ids) else None

    def values_of(row: Any) -> tuple[Any, ...]:
        (*found,) = row.values
        return tuple(found[0]) if len(names) > 1 and len(found) == 1 else tuple(found)

    named = [
        str(next(said)) if said is not None else row.id or _name(values_of(row), ids)
        for row in rows
    ]

    def made(test: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(test)
        def all_of_them(**fixtures: Any) -> None:
            failed = []
            for row, name in zip(rows, named, strict=True):
                try:
                    test(**fixtures, **dict(zip(names, values_of(row), strict=True)))
                except pytest.skip.Exception:
                    continue
                except (Exception, BaseExceptionGroup, pytest.fail.Exception) as error:
                    error.add_note(f"with {name}")
                    failed.append(error)
            if failed:
                which = ", ".join(str(error.__notes__[-1])[5:] for error in failed)
                message = f"{len(failed)} of {len(rows)} cases fail: {which}"
                raise BaseExceptionGroup(message, failed)

        signature = inspect.signature(test)
        kept = [p for name, p in signature.parameters.items() if name not in names]
        all_of_them.__signature__ = signature.replace(parameters=kept)  # type: ignore[attr-defined]
        return all_of_them

    return made


def _name(values: tuple[Any, ...], ids: Any) -> str:
    return "-".join(str(ids(value) if callable(ids) else value) for value in values)
