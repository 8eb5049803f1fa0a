"""The parser of what bodies of functions are made of, by ``grammar/llk.lark``."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any, cast

from lark import Lark, Tree
from lark.exceptions import UnexpectedInput

from nasm.base import host_files
from nasm.base.problems import Failure
from nasm.llk.headers import LlkHeader, problem

Node = Tree[Any]


@cache
def _parser() -> Lark:
    here = Path(__file__).parents[1]
    inside = here / "grammar" / "llk.lark"
    path = inside if inside.exists() else here.parent / "grammar" / "llk.lark"
    grammar = host_files.read_text(path)
    return Lark(
        grammar,
        parser="lalr",
        maybe_placeholders=True,
        propagate_positions=True,
        start=["start", "braces"],
    )


def parsed(header: LlkHeader, start: int, stop: int) -> Node:
    """A block or an expression of a file; raises Failure where it is beyond this part of C++."""
    text = header.text[start:stop]
    try:
        return cast(Node, _parser().parse(text, start="start"))
    except UnexpectedInput as error:
        at = start + (getattr(error, "pos_in_stream", None) or 0)
        line = header.text[at : at + 40].partition("\n")[0]
        message = f"'{line.strip()}' is C++ beyond what is read here"
        raise Failure(problem(header, at, min(at + 1, stop), message)) from None


def expression(header: LlkHeader, text: str) -> Node:
    """An expression that a file has somewhere: a constant, a default; or values in braces."""
    try:
        start = "braces" if text.lstrip().startswith("{") else "start"
        return cast(Node, _parser().parse(text, start=start))
    except UnexpectedInput:
        message = f"'{text.strip()[:40]}' is C++ beyond what is read here"
        raise Failure(problem(header, 0, 0, message)) from None
