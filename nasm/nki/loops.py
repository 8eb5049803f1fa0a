"""Loops of the machine: what kernels write as loops over registers, recorded once."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from nasm.nki.errors import ours, refuse
from nasm.nki.names import CONDITION, VirtualRegister
from nasm.nki.source_tree import of_files
from nasm.nki.tracing import CoreTrace, TracedLoop, current
from nasm.views.value_text import value_text

Place = tuple[FrameType, tuple[int, int]]
"""A while statement that is being traced: the frame, and the place of its condition."""


def dynamic_range(start: Any, stop: Any = None, step: int = 1) -> Iterator[VirtualRegister]:
    """A loop of the machine over a range: its variable is a register."""
    trace = current("nl.dynamic_range")
    lower, upper = (0, start) if stop is None else (start, stop)
    loop = _begin(trace, lower, upper, step)
    yield loop.counter
    trace.end(loop)


def fori_loop(lower: Any, upper: Any, body_fun: Callable[[Any], Any], step: int = 1) -> None:
    """A loop of the machine whose body is a function of its variable."""
    trace = current("nl.fori_loop")
    _body("fori_loop", body_fun)
    loop = _begin(trace, lower, upper, step)
    body_fun(loop.counter)
    trace.end(loop)


def _body(what: str, body_fun: Any) -> None:
    if not callable(body_fun):
        refuse(
            f"the body of nl.{what} is {value_text(body_fun)}; wanted a function of one register"
        )


def _begin(trace: CoreTrace, lower: Any, upper: Any, step: Any) -> TracedLoop:
    if type(step) is not int or step < 1:
        refuse(f"step={step!r}: wanted a number of at least 1, known while tracing")
    for name, bound in (("lower", lower), ("upper", upper)):
        if not isinstance(bound, int | VirtualRegister) or isinstance(bound, bool):
            refuse(f"the {name} bound of a loop is {bound!r}; wanted a number or a register")
    _may_loop(trace)
    counter = trace.register(frozen=True)
    trace.call(trace.governing("move"), {"dst": counter.named, "src": _number(lower)})
    return trace.begin(counter, upper, step)


def _number(value: Any) -> Any:
    return value.named if isinstance(value, VirtualRegister) else value


def _may_loop(trace: CoreTrace) -> None:
    if trace.in_order:
        refuse(
            "a loop over a register inside nl.no_reorder",
            "AWS's compiler takes none there: end the block before the loop",
        )


def while_loop(init: Any, body_fun: Callable[[Any], Any]) -> None:
    """A loop of the machine for as long as a register is not 0."""
    trace = current("nl.while_loop")
    if not isinstance(init, VirtualRegister):
        refuse(f"the condition of nl.while_loop is {init!r}; wanted a register")
    _body("while_loop", body_fun)
    _may_loop(trace)
    condition = trace.register()
    move = trace.governing("move")
    trace.call(move, {"dst": condition.named, "src": init.named})
    loop = trace.begin(condition, None)
    after = body_fun(condition)
    if not isinstance(after, VirtualRegister):
        refuse(f"the body of nl.while_loop returns {after!r}; wanted the register of its condition")
    if after is not condition:
        trace.call(move, {"dst": condition.named, "src": after.named})
    trace.end(loop)


def truth(register: VirtualRegister) -> bool:
    """Whether a register is not 0: of a while statement, which is a loop of the machine then.

    Its condition is asked for twice: before the body, and after it.
    """
    trace = current("a register as a condition")
    frame, place = _truth_frame()
    if frame is None or place is None:
        refuse(
            "a branch on a register: what it holds is known when the program runs",
            "a loop of the machine is `while register:`, or nl.while_loop(register, body)",
        )
    if trace.whiles and trace.whiles[-1][:2] == (frame, place):
        trace.end(trace.whiles.pop()[2])
        return False
    _may_loop(trace)
    trace.whiles.append((frame, place, trace.begin(register, None)))
    return True


CONDITION["while"] = truth


def _truth_frame() -> tuple[FrameType | None, tuple[int, int] | None]:
    """The frame that asks for a truth, and the place of its while statement's condition."""
    frame: FrameType | None = sys._getframe(2)
    while frame is not None and ours(frame.f_code):
        frame = frame.f_back
    if frame is None:
        return None, None
    line, _, column, _ = list(frame.f_code.co_positions())[frame.f_lasti // 2]
    if line is None or column is None:
        return frame, None
    return frame, (line, column) if (line, column) in _conditions(
        frame.f_code.co_filename
    ) else None


@of_files
def _conditions(tree: ast.Module) -> frozenset[tuple[int, int]]:
    """The places of a file's while statements and their conditions, as (line, column).

    Which of the two asks for the truth depends on the version of Python.
    """
    whiles = [node for node in ast.walk(tree) if isinstance(node, ast.While)]
    places: list[ast.stmt | ast.expr] = [*whiles, *(node.test for node in whiles)]
    return frozenset((place.lineno, place.col_offset) for place in places)
