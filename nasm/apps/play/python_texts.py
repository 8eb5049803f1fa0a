"""What the editor is answered about a text in Python, a kernel: its colours, and what stops it.

It is read and not run.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from nasm.apps.highlighting import python_classes
from nasm.apps.lsp.positions import units
from nasm.nki.exceptions import NOT_RUN

PYTHON = "python"


def _checked(text: str) -> dict[str, Any]:
    """The colours of its words, and why Python cannot read it."""
    return {
        "colours": [(units(word), name) for word, name in python_classes(text)],
        "problems": list(_problems(text)),
        "fixes": [],
    }


def _problems(text: str) -> Iterator[dict[str, Any]]:
    try:
        with warnings.catch_warnings(action="ignore"):
            ast.parse(text)
        return
    except SyntaxError as error:
        line, message = (error.lineno or 1) - 1, f"{type(error).__name__}: {error.msg}"
        column = (error.offset or 1) - 1
    except (RecursionError, MemoryError, ValueError) as error:  # nested too deeply, or a null
        line, column, message = 0, 0, f"Python cannot read it: {error}"
    written = text.split("\n")[line] if line < text.count("\n") + 1 else ""
    at = units(written[:column])
    place = [line, at, line, max(at + 1, units(written.rstrip()))]
    said = {"severity": "error", "code": NOT_RUN, "message": message}
    yield {"range": place, "related": [], **said}


OPERATIONS: Mapping[str, Callable[[str], dict[str, Any]]] = {
    "check": _checked,
    "complete": lambda _: {"words": []},
    "explain": lambda _: {"html": None},
}
"""The questions that there are, by name."""
