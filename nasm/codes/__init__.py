"""Every diagnostic code with its explanation: what ``explain`` prints.

Mistakes of writing are explained where they are found, in :mod:`nasm.asm`; all others here.
"""

from __future__ import annotations

from nasm.asm.text import syntax_errors
from nasm.codes import data, names, operands, running, slow
from nasm.codes.row import Code

__all__ = ["Code", "find", "table"]

_TABLES = (names, operands, running, data, slow)
_OWN = {row.code: row for table in _TABLES for row in table.ROWS}


def find(code: str) -> Code | None:
    """The row of a code, or None; capital and small letters are the same."""
    wanted = code.upper()
    return _OWN.get(wanted) or _of_writing().get(wanted) or _of_expectations().get(wanted)


def table() -> tuple[Code, ...]:
    """All rows in the order of their codes."""
    rows = {**_OWN, **_of_writing(), **_of_expectations()}
    return tuple(rows[code] for code in sorted(rows))


def _of_writing() -> dict[str, Code]:
    return {
        e.code: Code(e.code, e.title, e.explanation, e.examples[0]) for e in syntax_errors.TABLE
    }


def _of_expectations() -> dict[str, Code]:
    # Imported when asked for: it brings NumPy with it, and most explanations need none.
    from nasm.asm.expectations.judge import CODES

    return {code: Code(code, title, text) for code, (title, text) in CODES.items()}
