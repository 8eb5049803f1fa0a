"""Figures that a user sets, from a TOML file or by name: read, and checked against a target.

A file has a line for each, ``semaphore_ns = 25``; under ``[v3]``, or another spelling of a
generation, they hold of that one alone. What holds of one goes before what holds of all.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, time

from nasm.base.numbers import plain
from nasm.base.problems import MOST_ERRORS, Failure, Problem, Refused, did_you_mean, in_line, quoted
from nasm.base.records import dataclass, field
from nasm.base.source import Source
from nasm.base.toml_files import Key, TomlPlaces, TomlSubject, read_toml
from nasm.isa.evidence import Evidence, Fact
from nasm.isa.figures import Figure, FigureUse
from nasm.isa.generation import Generation

WRONG = "E0814"

LEAST, MOST = 0.001, 1_000_000
"""The least that a rate may be, and the most of any figure: ticks of a run stay within 64 bits."""

GIVEN_BY_PYTHON = "set by timing="


@dataclass(frozen=True, slots=True)
class Timing:
    """Overrides of figures: numbers by name, and by name in the table of a generation.

    ``origin`` is the source of a figure that it sets, ``source`` the text it was read from.
    """

    values: Mapping[str, object] = field(default_factory=dict)
    origin: str = GIVEN_BY_PYTHON
    source: Source | None = None

    @classmethod
    def of(cls, given: TimingGiven | None) -> Timing:
        """What a caller gave: figures by name, or the path of a file; raises Failure."""
        if given is None:
            return NONE
        if isinstance(given, Timing):
            return given
        if isinstance(given, Mapping):
            return cls(dict(given))
        if isinstance(given, str | os.PathLike):
            return read(os.fspath(given))
        kind = type(given).__name__  # type: ignore[unreachable]
        raise TypeError(f"timing is figures by name or the path of a TOML file, not {kind}")

    def in_force(
        self, figures: Sequence[Figure], generations: Sequence[Generation], here: Generation
    ) -> Mapping[str, Fact]:
        """The numbers of a generation with what is set; raises Failure with all that is wrong."""
        if not self.values:
            return here.numbers
        known = {figure.name: figure for figure in figures}
        found: dict[tuple[str, str], Fact] = {}
        places = TomlPlaces(self.source)
        problems: list[Problem] = []
        for key, generation, name, value in self._each(generations):
            if len(problems) >= MOST_ERRORS:
                break
            try:
                if isinstance(generation, Refused):
                    raise generation
                number = _accepted(known, generation or here, name, value)
                where = "" if generation is None else generation.name
                if (where, name) in found:
                    raise Refused(WRONG, f"{name} is set twice for {where}", "leave one out")
                found[where, name] = Fact(number, Evidence.ASSUMED, self.origin)
            except Refused as refused:
                problems.append(refused.at(places.of(key)))
        if problems:
            raise Failure(problems)
        set_here = (
            {n: f for (g, n), f in found.items() if g == where} for where in ("", here.name)
        )
        return {**here.numbers, **next(set_here), **next(set_here)}

    def _each(
        self, generations: Sequence[Generation]
    ) -> Iterator[tuple[Key, Generation | Refused | None, str, object]]:
        """Every value with its key, the generation of its table (None: all), and its name."""
        names = {s: g for g in generations for s in (g.name, *g.spellings)}
        for name, value in self.values.items():
            if name in names and isinstance(value, Mapping):
                for inner, number in value.items():
                    yield (name, inner), names[name], inner, number
            elif name in names:
                message = f"{name} is a generation and has a table, not {quoted(_shown(value))}"
                yield (
                    (name,),
                    Refused(WRONG, message, f"write [{name}] above its figures"),
                    name,
                    value,
                )
            elif isinstance(value, Mapping) and not _figure(name, generations):
                hint = did_you_mean(str(name), names) or f"the target has {', '.join(names)}"
                message = f"no generation '{quoted(str(name))}'"
                yield (name,), Refused(WRONG, message, hint), name, value
            else:
                yield (name,), None, name, value


TimingGiven = Mapping[str, object] | str | os.PathLike[str] | Timing
"""What a caller may give."""

NONE = Timing()


def _figure(name: object, generations: Sequence[Generation]) -> bool:
    return any(name in generation.numbers for generation in generations)


def _accepted(
    known: Mapping[str, Figure], generation: Generation, name: object, value: object
) -> float:
    """The number that a figure of a generation is set to; raises Refused."""
    figure = known.get(name) if isinstance(name, str) else None
    if figure is None:
        settable = [f.name for f in known.values() if f.use is not FigureUse.LIMIT]
        hint = did_you_mean(str(name), settable) or "'neuron-nasm isa --timing' lists them"
        raise Refused(WRONG, f"the machine has no figure '{quoted(str(name))}'", hint)
    if figure.use is FigureUse.LIMIT:
        message = f"{name} is a limit of the hardware and takes no time: it cannot be set"
        raise Refused(WRONG, message)
    if figure.name not in generation.numbers:
        having = list(figure.facts)
        hint = f"{' and '.join(having)} has it: set it under [{having[-1]}]"
        raise Refused(WRONG, f"{generation.summary} has no figure {name}", hint)
    value = plain(value)
    least = LEAST if figure.use is FigureUse.RATE else 0
    if not isinstance(value, int | float) or value is True or not least <= value <= MOST:
        shown = "a table" if isinstance(value, Mapping) else quoted(_shown(value))
        wanted = f"a number from {least:g} to {MOST:,} ({figure.unit})"
        raise Refused(WRONG, f"{name} is {wanted}, not {shown}")
    return value


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, date | time) or (isinstance(value, float) and not math.isfinite(value)):
        return str(value)
    return repr(value)


# ---------------------------------------------------------------- files

_WANTED = TomlSubject("list of figures", "write a line like semaphore_ns = 25")


def read(path: str) -> Timing:
    """The figures that a file sets; raises Failure if it cannot be read or is not TOML."""
    values, source = read_toml(path, _WANTED)
    return Timing(values, f"set by {in_line(path)}", source)
