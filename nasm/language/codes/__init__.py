"""Every diagnostic code with its explanation: what ``explain`` prints.

Mistakes of writing are explained where they are found, in :mod:`nasm.language`; all others here.
"""

from __future__ import annotations

from collections.abc import Iterable

from nasm.base.problems import Problem, did_you_mean, quoted
from nasm.base.suppressions import UNALLOWABLE, Allow
from nasm.language.codes import (
    checking,
    control,
    data,
    kernels,
    loops,
    names,
    operands,
    ordering,
    profile,
    ranks,
    running,
    units,
    usage,
)
from nasm.language.codes.row import Code
from nasm.language.text import syntax_errors

__all__ = ["Code", "find", "table", "unallowable"]

_TABLES = (
    names,
    loops,
    operands,
    running,
    ordering,
    data,
    units,
    checking,
    control,
    kernels,
    profile,
    ranks,
    usage,
)
_OWN = {row.code: row for table in _TABLES for row in table.ROWS}


def find(code: str) -> Code | None:
    """The row of a code, or None; capital and small letters are the same."""
    wanted = code.upper()
    return _OWN.get(wanted) or _of_writing().get(wanted) or _of_expectations().get(wanted)


def table() -> tuple[Code, ...]:
    """All rows in the order of their codes."""
    rows = {**_OWN, **_of_writing(), **_of_expectations()}
    return tuple(rows[code] for code in sorted(rows))


def unallowable(allows: Iterable[Allow]) -> list[Problem]:
    """Errors in the codes to allow."""
    found = []
    for allow in allows:
        row = find(allow.code)
        if row is None:
            known = [each.code for each in table() if each.allowable]
            message = f"no diagnostic has the code '{quoted(allow.code)}'"
            hint = did_you_mean(allow.code, known) or "'neuron-nasm explain' lists them all"
        elif row.allowable:
            continue
        else:
            why = "a run ends with it" if row.ends else row.family.value
            message = f"{row.code} cannot be allowed: {why}"
            hint = "what can be allowed are hazards that a run survives, and warnings"
        found.append(Problem(UNALLOWABLE, message, allow.span, hint))
    return found


def _of_writing() -> dict[str, Code]:
    return {
        e.code: Code(e.code, e.title, e.explanation, e.examples[0]) for e in syntax_errors.TABLE
    }


def _of_expectations() -> dict[str, Code]:
    # Imported when asked for: it brings NumPy with it, and most explanations need none.
    from nasm.language.expectations.judge import CODES

    return {code: Code(code, title, text) for code, (title, text) in CODES.items()}
