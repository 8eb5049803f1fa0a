"""The functions of nki.isa: each a call that is recorded as the rows that implement it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import cache
from inspect import Parameter
from types import FunctionType
from typing import Any

from nasm.base.numbers import plain
from nasm.isa.instruction import Row
from nasm.isa.isa import Isa
from nasm.nki.errors import refuse, with_signature
from nasm.nki.names import VirtualRegister
from nasm.nki.older_calls import refuse_older, translated
from nasm.nki.signatures import WORDS, functions, signature
from nasm.nki.tensor import NkiTensor
from nasm.nki.tracing import Call, CoreTrace, current
from nasm.views.view import Reg, View

Record = Callable[[CoreTrace, "IsaFunction", dict[str, Any]], "Call | None"]
"""Records the rows of a call: from the trace, the function, and its arguments by name."""


class IsaFunction:
    """A function of nki.isa: its name, its rows, its signature, and how a call is recorded."""

    def __init__(self, name: str, rows: tuple[Row, ...], record: Record) -> None:
        self.name, self.rows, self.record = name, rows, record
        self.signature = signature(name, rows)
        self.python = _python(self)

    def row(self, operand: str) -> Row:
        """The one of its rows that has an operand."""
        return next(row for row in self.rows if operand in row.position)


class NkiInstruction:
    """What a call returns: the instruction that it recorded."""

    __slots__ = ("call",)

    def __init__(self, call: Call) -> None:
        self.call = call

    def depends_on(self, *others: Any) -> NkiInstruction:
        """Have it executed after others: in the order of the kernel they are in order already."""
        return self

    with_schedule = depends_on


def plainly(trace: CoreTrace, function: IsaFunction, arguments: dict[str, Any]) -> Call | None:
    """A call is its rows, one after the other, each with the operands that it has."""
    made = None
    for row in function.rows:
        made = trace.call(row, given(row, arguments), asked(arguments))
    return made


def given(row: Row, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The operands of a row among the arguments of a call."""
    names = _written(row)
    found: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in names:
            kind = type(value)
            if kind is NkiTensor:
                found[name] = value.view_
            else:
                found[name] = value if value is None or kind in _AS_THEY_ARE else operand(value)
    return found


@cache
def _written(row: Row) -> frozenset[str]:
    return frozenset(each.name for each in row.written)


def asked(arguments: Mapping[str, Any], transfers: bool = False) -> str:
    """The engine that a call names; empty if it leaves that to us."""
    engine = arguments.get("engine")
    if engine is None:
        return ""
    if not isinstance(engine, Enum):
        refuse(f"engine={engine!r}: wanted one of nisa.engine, such as nisa.engine.vector")
    if engine.name == "dma" and not transfers:
        refuse("engine=nisa.engine.dma: DMA engines execute no instructions, they move data")
    return "" if engine.name in ("unknown", "dma") else str(engine.name)


_AS_THEY_ARE = frozenset({bool, float, int, str})


def operand(value: Any) -> Any:
    """An argument as the rows take it."""
    kind = type(value)
    if kind is NkiTensor:
        view: View = value.view_
        return view
    if value is None or kind in _AS_THEY_ARE:
        return value
    if isinstance(value, NkiTensor):
        return value.view_
    if isinstance(value, VirtualRegister):
        return Reg(value.number)
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, list | tuple):
        return tuple([operand(item) for item in value])
    word = getattr(value, "operator_name", None)
    if word is not None:
        return word
    if isinstance(value, FunctionType):
        return value.__name__
    return str(value) if isinstance(value, str) else plain(value)


def table(isa: Isa, special: Mapping[str, Record]) -> dict[str, IsaFunction]:
    """Every function that is one row or several."""
    return {
        name: IsaFunction(name, rows, special.get(name, plainly))
        for name, rows in functions(isa).items()
    }


def _python(function: IsaFunction) -> Callable[..., Any]:
    """A Python function with the signature: Python itself reports errors in its arguments."""
    bind = _binding(function)
    words = [word for word in function.signature.parameters if word in WORDS]

    def called(*args: Any, **kwargs: Any) -> Any:
        try:
            arguments = bind(*args, **kwargs)
        except TypeError as wrong:
            today = translated(function.name, args, kwargs)
            if today is None:
                refuse_older(function.name, function.signature, args, kwargs)
                with_signature(wrong, f"nki.isa.{function.name}", function.signature)
                raise
            arguments = bind(*args, **today)
        for word in words:
            arguments[word] = _member(word, arguments[word])
        trace = current(f"nki.isa.{function.name}")
        made = function.record(trace, function, arguments)
        return None if made is None else NkiInstruction(made)

    called.__name__ = called.__qualname__ = function.name
    called.__doc__ = "\n\n".join(row.doc for row in function.rows)
    called.__module__ = "nki.isa"
    called.__signature__ = function.signature  # type: ignore[attr-defined]
    return called


def _member(name: str, value: Any) -> Any:
    """A word that is given by its number, as the word."""
    if type(value) is not int:
        return value
    return next((word for word in WORDS[name] if word.value == value), value)


def _binding(function: IsaFunction) -> Callable[..., dict[str, Any]]:
    """What puts the arguments of a call under their names, as Python does."""
    defaults: dict[str, Any] = {}
    parameters: list[str] = []
    for parameter in function.signature.parameters.values():
        if parameter.kind is Parameter.KEYWORD_ONLY and "*" not in parameters:
            parameters.append("*")
        if parameter.default is Parameter.empty:
            parameters.append(parameter.name)
        else:
            defaults[f"_{parameter.name}"] = parameter.default
            parameters.append(f"{parameter.name}=_{parameter.name}")
    passed = ", ".join(f"{name!r}: {name}" for name in function.signature.parameters)
    text = f"def {function.name}({', '.join(parameters)}):\n return {{{passed}}}"
    exec(compile(text, __file__, "exec"), defaults)
    made: Callable[..., dict[str, Any]] = defaults[function.name]
    return made
