"""What a declaration is given: its core, roles, places, shapes, initialisers and options."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

from nasm.base.array_files import SPELLING, ArrayFile
from nasm.base.numbers import plain
from nasm.base.problems import Refused, did_you_mean, listed, quoted
from nasm.isa.generation import Generation
from nasm.isa.target import Target
from nasm.views.tensor import MOST_AXES, Memory, Tensor
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
    given = tuple(sizes)
    if all([type(n) is int and 0 < n < 2**40 for n in given]):
        return given
    found: tuple[Any, ...] = plain(given)
    return found


def shape_fits(name: str, shape: tuple[int, ...], memory: Memory) -> None:
    """Refuses a shape that no tensor of a memory has."""
    wrong = [n for n in shape if type(n) is not int or n < 1]
    if not shape or wrong:
        found = value_text(wrong[0]) if wrong else "no axis"
        raise Refused("E0304", f"the size of an axis is an integer of at least 1, not {found}")
    if len(shape) > MOST_AXES:
        raise Refused("E0304", f"{name} has {len(shape)} axes; wanted at most {MOST_AXES}")
    if memory.partitions and shape[0] > memory.partitions:
        raise Refused(
            "E0304",
            f"{name} has {value_text(shape[0])} partitions; {memory.name} has {memory.partitions}",
            "the first axis of an on-chip tensor is its partition axis: tile it",
        )
    most = 2**40
    if math.prod(shape) > most:
        raise Refused("E0304", f"{name}{value_text(list(shape))} has more than {most:,} elements")


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


def core_exists(target: Target, generation: Generation, core: int) -> None:
    """Whether a generation has a core of this number; raises Refused."""
    if 0 <= core < generation.cores:
        return
    last = generation.cores - 1
    have = f"cores 0 to {last}" if last > 1 else "cores 0 and 1" if last else "one core, 0"
    others = [g.name for g in target.generations if g.cores > core >= 0]
    hint = f"{listed(others, 'and')} have it" if others else ""
    raise Refused("E0318", f"no core {core}: {generation.summary} has {have}", hint)


def option_fits(target: Target, generation: Generation, option: str, value: object) -> None:
    """Whether a prepared transfer can have an option; raises Refused."""
    counts = {"queue": generation.rings, "priority": generation.priorities}
    if option not in counts:
        hint = did_you_mean(option, counts) or f"its options: {listed(counts, 'and')}"
        raise Refused("E0309", f".dma has no option '{option}'", hint)
    if not counts[option]:
        have = [g.summary for g in target.generations if g.priorities]
        hint = f"{listed(have, 'and')} have it" if have else ""
        raise Refused("E0408", f"transfers have no {option} on {generation.summary}", hint)
    if type(value) is not int or not 0 <= value < counts[option]:
        last = counts[option] - 1
        raise Refused("E0301", f"{option}={value}; wanted an integer from 0 to {last}")


def options_known(what: str, given: Iterable[str], known: Sequence[str]) -> None:
    """Refuse a keyword that a call does not take."""
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known) or f"it takes {listed(known, 'and')}"
            raise Refused("E0309", f"{what} takes no '{quoted(name)}'", hint)
