"""Programs built by Python calls: queues, instructions and semaphores."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import FrameType
from typing import Any

import numpy as np

from nasm.base.dtypes import DType
from nasm.base.numbers import plain
from nasm.base.problems import Failure, Refused
from nasm.base.records import dataclass
from nasm.base.source import Source, Span
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.isa.instruction import Row
from nasm.isa.timing import Timing, TimingGiven
from nasm.language.expanding.statements import unknown_target
from nasm.program import arguments as given
from nasm.program.builder import ProgramBuilder
from nasm.program.program import Program, Update, Wait
from nasm.targets import TARGETS
from nasm.views.value_text import value_text
from nasm.views.view import View


@dataclass(frozen=True, slots=True, eq=False)
class Semaphore:
    """A declared semaphore; comparisons make waits, ``+`` and ``-`` make updates.

    ``loaded >= 16`` and ``loaded == 16`` wait, ``loaded + 16`` adds at completion,
    ``loaded.set(3)`` assigns. An event is waited for with ``==``, set and cleared with ``set``.
    """

    name: str
    number: int

    def __ge__(self, value: int) -> Wait:
        return Wait(self.number, ">=", _count(value))

    def __eq__(self, value: object) -> Any:
        """Wait for exactly a number; with anything else, whether it is the same semaphore."""
        if isinstance(value, int | np.integer) and not isinstance(value, bool):
            return Wait(self.number, "==", _count(value))
        return self is value

    __hash__ = object.__hash__

    def __add__(self, value: int) -> Update:
        return Update(self.number, "+", _count(value))

    def __sub__(self, value: int) -> Update:
        return Update(self.number, "+", -_count(value))

    def set(self, value: int) -> Update:
        """Assign a value at completion."""
        return Update(self.number, "=", _count(value))


def _count(value: object) -> int:
    with _located():
        found = plain(value)
        if type(found) is int and -(2**31) <= found < 2**31:
            return found
        message = f"a semaphore counts in signed 32-bit integers, found {value_text(found)}"
        raise Refused("E0210", message)


def at_read(update: Update) -> Update:
    """The same update, posted when the instruction starts to read."""
    with _located():
        if not isinstance(update, Update):
            raise Refused("E0301", f"wanted an update, found {value_text(update)}", _UPDATE)
        return Update(update.semaphore, update.op, update.value, True)


_WAIT, _UPDATE = "write wait=semaphore >= 16", "write update=semaphore + 16"


class Queue:
    """An engine of a builder: its instructions are methods, named as in the language."""

    def __init__(self, owner: Builder, engine: str, core: int = 0) -> None:
        self._owner = owner
        self._index = owner.core.queue(engine, core)

    def label(self, name: str) -> None:
        """Name the place of the next instruction."""
        with _located() as span:
            self._owner.core.label(self._index, name, span)

    def __getattr__(self, mnemonic: str) -> Callable[..., int]:
        if mnemonic.startswith("_"):
            raise AttributeError(mnemonic)
        row = self._row(mnemonic)

        def emit(
            *operands: Any, wait: Wait | None = None, update: Update | None = None, **named: Any
        ) -> int:
            return self._owner._emit(self._index, row, operands, named, wait, update)

        emit.__name__ = mnemonic
        emit.__doc__ = row.doc
        return emit

    def _row(self, mnemonic: str) -> Row:
        try:
            return self._owner.core.row(mnemonic)
        except Refused as refused:
            raise AttributeError(f"{refused.message}. {refused.hint}".rstrip(". ")) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._owner.core.target.isa.rows]


class Builder:
    """Makes a Program from Python calls, one per instruction.

    Tensors, semaphores and events are declared for a core with ``core=``, and
    ``engine("vector", core=1)`` is an engine of core 1; all else is of core 0.

    Every instruction remembers the line of Python that made it. Problems of operands are raised
    at once as :class:`~nasm.base.problems.Failure`; rules are checked by :meth:`finish`.
    ``options`` are machine options by name, ``timing`` figures by name or the path of a TOML file.

    A tensor is declared by its memory, ``b.hbm("x", "f32", (128, 512), role="input")``; in addition
    to ``role`` there are ``init``, ``partition``, ``offset``, ``bank`` and ``core``.
    """

    def __init__(
        self,
        target: str,
        options: Mapping[str, object] | None = None,
        timing: TimingGiven | None = None,
    ) -> None:
        with _located():
            name = str(target)
            loader = TARGETS.get(name)
            if loader is None:
                raise unknown_target(name, TARGETS)
            loaded = loader()
            generation = loaded.generation(name)
            assert generation is not None
            machine = loaded.configured(generation, options or {}, Timing.of(timing))
            self.core = ProgramBuilder(loaded, machine)

    def __getattr__(self, name: str) -> Any:
        core = self.__dict__.get("core")
        if core is None or name.startswith("_"):
            raise AttributeError(name)
        if name in core.generation.memories:
            return self._declarer(name)
        with suppress(Refused):
            return Queue(self, core.generation.engine(name).name)
        raise AttributeError(f"a builder for {core.target.name} has no memory or engine '{name}'")

    def _declarer(self, memory: str) -> Callable[..., View]:
        def declare(name: str, dtype: Any, shape: Sequence[int], **more: Any) -> View:
            with _located() as span:
                given.options_known(f"a tensor in {memory}", more, _OF_TENSORS)
                made = self.core.tensor(memory, name, _dtype(dtype), shape, span=span, **more)
            return View.whole(made)

        return declare

    def engine(self, name: str, core: int = 0) -> Queue:
        """An engine of a core by name: ``b.engine("vector")`` is ``b.vector``."""
        with _located():
            return Queue(self, name, core)

    def semaphore(
        self, name: str, number: int | None = None, *, core: int = 0, **more: Any
    ) -> Semaphore:
        """Declare a semaphore."""
        with _located() as span:
            given.options_known("a semaphore", more, ("number", "core"))
            self.core.semaphore(name, number, span, core=core)
        return Semaphore(name, self.core.program.semaphores[name])

    def event(
        self, name: str, number: int | None = None, *, core: int = 0, **more: Any
    ) -> Semaphore:
        """Declare an event, which is one bit."""
        with _located() as span:
            given.options_known("an event", more, ("number", "core"))
            self.core.semaphore(name, number, span, core=core, event=True)
        return Semaphore(name, self.core.program.events[name])

    def transfer(
        self,
        name: str,
        *moves: tuple[View, View],
        queue: int = 0,
        priority: int | None = None,
        **more: Any,
    ) -> DeclaredTransfer:
        """Declare a prepared transfer: pairs (dst, src), which an instruction starts."""
        options = {"queue": queue} | ({} if priority is None else {"priority": priority})
        with _located() as span:
            given.options_known("a transfer", more, ("queue", "priority"))
            return self.core.transfer(name, moves, options, span)

    def expect(self, text: str) -> None:
        """Add an expectation, as the language writes it: ``"C ~ A.T @ B rtol=1e-2"``."""
        from nasm.language.text.parse import parse_statement

        with _located():
            if not isinstance(text, str):
                raise Refused("E0301", f"an expectation is a string, found {value_text(text)}")
        source = Source("<expect>", f".expect {text}")
        statement = parse_statement(source)
        self.core.expect((statement, {}), Span(source, statement.start, statement.end))

    def finish(self) -> Program:
        """Place the tensors, check every instruction, and return the program."""
        return self.core.finish()

    def _emit(
        self,
        queue: int,
        row: Row,
        operands: Sequence[Any],
        named: Mapping[str, Any],
        wait: Wait | None,
        update: Update | None,
    ) -> int:
        with _located() as span:
            if not isinstance(wait, Wait | None):
                raise Refused("E0301", f"wait={value_text(wait)}", _WAIT)
            if not isinstance(update, Update | None):
                raise Refused("E0301", f"update={value_text(update)}", _UPDATE)
            positional = [plain(value) for value in operands]
            others = {name: plain(value) for name, value in named.items()}
            made = self.core.make(queue, row, positional, others, wait, update)
            return self.core.append(queue, made, self.core.span(span))


class _located:  # noqa: N801  (a context manager, used as a word)
    """The Python line of a caller as a span; what is refused inside is pointed at it."""

    def __init__(self) -> None:
        self.span = _caller()

    def __enter__(self) -> Span | None:
        return self.span

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, Refused):
            raise Failure(error.at(self.span)) from None
        if isinstance(error, Failure):
            raise Failure([p.at(self.span) for p in error.problems]) from None


_SOURCES: dict[str, Source] = {}


_OF_TENSORS = ("role", "init", "partition", "offset", "bank", "core")


def _dtype(dtype: Any) -> DType | str:
    """A dtype of the language, by its name or as NumPy's; raises Refused."""
    if isinstance(dtype, str | DType):
        return dtype
    try:
        return str(np.dtype(dtype).name)
    except TypeError:
        message = f"no dtype {value_text(dtype)}"
        raise Refused("E0205", message, "for example float32, bfloat16 or int32") from None


def _caller() -> Span | None:
    """The line of Python that called into this module."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    if frame is None:
        return None
    name = frame.f_code.co_filename
    source = _SOURCES.get(name)
    if source is None:
        import linecache

        source = _SOURCES[name] = Source(name, "".join(linecache.getlines(name)))
    if not source.text:
        return None
    start, text = source.offset(frame.f_lineno), source.line(frame.f_lineno)
    indent = len(text) - len(text.lstrip())
    return Span(source, start + indent, start + len(text.rstrip()))
