"""What a declaration is given besides its name: roles, places, shapes and initialisers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from nasm.base.array_files import SPELLING, ArrayFile
from nasm.base.numbers import plain
from nasm.base.problems import Refused, did_you_mean, listed, quoted
from nasm.views.tensor import Tensor
from nasm.views.value_text import value_text
from nasm.views.view import View

ROLES = ("input", "output", "inout")
FILLS = ("zeros", "iota")
DRAWS = ("random", "normal")


def role(word: object) -> str:
    """Whether a tensor is an input or an output, or an empty string; raises Refused."""
    if word is None or word == "":
        return ""
    if not isinstance(word, str):
        raise Refused("E0216", f"a role is a word, found {value_text(word)}", _ROLE)
    if word not in ROLES:
        raise Refused("E0216", f"no role '{quoted(word)}'", did_you_mean(word, ROLES) or _ROLE)
    return word


_ROLE = "a tensor is input, output or inout, or has no role"


def whole(what: str, value: object) -> int:
    """An integer; raises Refused."""
    found = plain(value)
    if type(found) is not int:
        raise Refused("E0210", f"{what} is an integer, found {value_text(found)}")
    return found


def optional(what: str, value: object) -> int | None:
    """An integer, or None where none is given; raises Refused."""
    return None if value is None else whole(what, value)


def shape(sizes: object) -> tuple[Any, ...]:
    """The sizes of axes as a tuple; whether each can be one is not said. Raises Refused."""
    if not isinstance(sizes, Iterable) or isinstance(sizes, str | bytes):
        message = f"a shape is a list of sizes, found {value_text(sizes)}"
        raise Refused("E0304", message, "write (128, 512), and (128,) for a single axis")
    found: tuple[Any, ...] = plain(tuple(sizes))
    return found


def moves(pairs: object) -> tuple[tuple[View, View], ...]:
    """The moves of a prepared transfer: one or more pairs (dst, src); raises Refused."""
    made: list[tuple[View, View]] = []
    for pair in pairs if isinstance(pairs, list | tuple) else (pairs,):
        views = [_view(v) for v in pair] if isinstance(pair, list | tuple) else []
        if len(views) != 2:
            raise Refused("E0301", f"a move is a pair (dst, src), found {value_text(pair)}")
        made.append((views[0], views[1]))
    if not made:
        raise Refused("E0301", "a transfer without a move; wanted pairs (dst, src)")
    return tuple(made)


def _view(value: object) -> View:
    if isinstance(value, Tensor):
        value = View.whole(value)
    if not isinstance(value, View):
        raise Refused("E0301", f"wanted a tensor, found {value_text(value)}")
    return value.in_order()


def initialiser(init: Any) -> tuple[Any, ...] | ArrayFile | None:
    """An initialiser as data: ``("random", 1)``, ``("list", …)``, or a file.

    Python may write ``"zeros"``, ``"iota"``, the name of an array file, a list or an array too.
    Raises Refused.
    """
    if init is None or isinstance(init, ArrayFile):
        return init
    if isinstance(init, str):
        if init in FILLS:
            return (init,)
        file = ArrayFile.written(init, "")
        if file is None:
            hint = did_you_mean(init, FILLS) or SPELLING
            raise Refused("E0217", f"no initialiser '{quoted(init)}'", hint)
        return file
    if hasattr(init, "tolist") and getattr(init, "shape", ()) != ():
        return ("list", init.tolist())
    if isinstance(init, list):
        return ("list", plain(init))
    data = plain(init)
    if isinstance(data, tuple) and _written(data):
        return data
    raise Refused("E0217", f"{value_text(init)} is no initialiser", _INITIALISER)


_INITIALISER = (
    'an initialiser is "zeros", "iota", ("random", 1), ("normal", 1), a file, a list or an array'
)


def _written(init: Sequence[Any]) -> bool:
    """Whether a tuple is an initialiser as data."""
    match init:
        case ("zeros" | "iota",):
            return True
        case ("random" | "normal", seed):
            return type(seed) is int and seed >= 0
        case ("list", list()):
            return True
    return False


def options_known(what: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse a keyword that a call does not take."""
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"it takes {listed(known, 'and')}"
            raise Refused("E0309", f"{what} takes no '{quoted(name)}'", hint)
