"""A topology from its name, or from a user's file in TOML or JSON: a named one, and what differs.

Keys of a file are fields of :class:`Topology`, and ``figures`` are those of links and collectives;
what a file sets counts as assumed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from nasm.base.problems import Failure, Problem, Refused, did_you_mean, in_line, listed, quoted
from nasm.base.records import replace
from nasm.base.source import Source, Span
from nasm.base.source_files import source_of
from nasm.base.toml_files import UNREADABLE, TomlPlaces, TomlSubject, line_of, read_toml, too_large
from nasm.isa.evidence import Evidence, Fact
from nasm.isa.generation import Generation
from nasm.isa.timing import LEAST, MOST
from nasm.targets.neuron.collectives.figures import COLLECTIVES
from nasm.targets.neuron.collectives.topology import UNKNOWN, Topology, named, usual

ENDINGS = (".toml", ".json")
WANTED = TomlSubject("topology", 'write a line like base = "trn2.48xlarge"')
MOST_CHIPS = 1 << 16

Places = Callable[[tuple[str, ...]], Span | None]


def topology_of(given: str | Topology | None, generation: Generation, cores: int) -> Topology:
    """The topology that ranks run on, with the figures of the run's generation.

    ``given`` is a name or the path of a file; without one an instance of the generation. Ranks have
    so many physical cores, unless a file says how many. Raises Refused, or Failure for a file with
    errors.
    """
    if given is None:
        found = usual(generation.name, cores)
    elif isinstance(given, Topology):
        found = given
    else:
        found = read(given, cores) if given.endswith(ENDINGS) else with_cores(named(given), cores)
    if found.generation != generation.name:
        raise Refused(
            UNKNOWN,
            f"{found.name} has NeuronCore-{found.generation}, the program is of "
            f"{generation.summary}",
            f"the usual one is {usual(generation.name, cores).name}",
        )
    return found.timed(generation.numbers)


def with_cores(topology: Topology, cores: int) -> Topology:
    """The same whose ranks have so many cores, if its chips have as many."""
    return replace(topology, lnc=cores) if topology.cores % cores == 0 else topology


def read(path: str, cores: int = 1) -> Topology:
    """The topology of a file, whose ranks have so many cores if it does not say how many.

    Raises Failure with every key of it that is refused.
    """
    if path.endswith(".json"):
        values, places = _json(path)
    else:
        values, source = read_toml(path, WANTED)
        places = TomlPlaces(source).of
    problems: list[Problem] = []
    try:
        base = with_cores(named(_text(values, "base")), cores)
    except Refused as refused:
        raise Failure(refused.at(places(("base",)))) from None
    changes: dict[str, Any] = {}
    for key, change in _changes(values, base, in_line(path)):
        if isinstance(change, Refused):
            problems.append(change.at(places(key)))
        else:
            changes[key[0]] = change
    if problems:
        raise Failure(problems)
    found = replace(
        base, **{"name": Path(path).stem, "source": f"set by {in_line(path)}", **changes}
    )
    if found.cores % found.lnc:
        odd = Refused(UNKNOWN, f"{found.cores} cores of a chip are no ranks of {found.lnc}")
        raise Failure(odd.at(places(("lnc",))))
    return found


def _text(values: Mapping[str, Any], key: str) -> str:
    value = values.get(key)
    if not isinstance(value, str):
        shown = "missing" if value is None else f"not {quoted(repr(value))}"
        raise Refused(UNKNOWN, f"{key} is the name of a topology, {shown}", WANTED.hint)
    return value


def _changes(
    values: Mapping[str, Any], base: Topology, path: str
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """What a file changes, with the keys that lead to it; a Refused where it cannot."""
    for key, value in values.items():
        if key == "figures" and isinstance(value, Mapping):
            own = dict(base.figures)
            for name, number in value.items():
                fact = _fact(name, number, base.generation, path)
                if isinstance(fact, Refused):
                    yield (key, name), fact
                else:
                    own[name] = fact
            yield (key,), tuple(own.items())
        elif key in _SETTINGS:
            wanted, accepts = _SETTINGS[key]
            if accepts(value):
                yield (key,), tuple(value) if isinstance(value, list) else value
            else:
                yield (key,), Refused(UNKNOWN, f"{key} is {wanted}, not {quoted(repr(value))}")
        elif key != "base":
            known = ("base", *_SETTINGS, "figures")
            hint = did_you_mean(key, known) or f"a topology has {listed(known)}"
            kind = "table of figures" if key == "figures" else f"setting '{quoted(key)}'"
            yield (key,), Refused(UNKNOWN, f"a topology has no {kind}", hint)


def _fact(name: str, value: object, generation: str, path: str) -> Fact | Refused:
    known = [figure.name for figure in COLLECTIVES if generation in figure.facts]
    if name not in known:
        hint = did_you_mean(name, known) or f"there are {listed(known)}"
        return Refused(UNKNOWN, f"no figure '{quoted(name)}' of links and collectives", hint)
    if type(value) not in (int, float) or not LEAST <= float(str(value)) <= MOST:
        unit = next(figure.unit for figure in COLLECTIVES if figure.name == name)
        wanted = f"a number from {LEAST:g} to {MOST:,} ({unit})"
        return Refused(UNKNOWN, f"{name} is {wanted}, not {quoted(repr(value))}")
    return Fact(float(str(value)), Evidence.ASSUMED, f"set by {path}")


def _count(value: object) -> bool:
    return type(value) is int and 1 <= value <= MOST_CHIPS


_SETTINGS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "name": ("a text", lambda value: isinstance(value, str) and 0 < len(value) <= 64),
    "grid": (
        "two numbers of chips, such as [4, 4]",
        lambda value: isinstance(value, list) and len(value) == 2 and all(map(_count, value)),
    ),
    "layers": (f"a number from 1 to {MOST_CHIPS:,}", _count),
    "cores": (f"a number from 1 to {MOST_CHIPS:,}", _count),
    "lnc": ("1 or 2", lambda value: type(value) is int and value in (1, 2)),
}


# ---------------------------------------------------------------- JSON


def _json(path: str) -> tuple[dict[str, Any], Places]:
    """The object in a JSON file, and where its keys are."""
    source = source_of(Path(path), ending=".json")
    text, at = too_large(source)
    if not text:
        try:
            values = json.loads(source.text)
            if isinstance(values, dict):
                return values, lambda key: _place(source, key)
            text = "it is no object"
        except RecursionError:
            text = "its values are too deeply nested"
        except json.JSONDecodeError as problem:
            text = problem.msg[:1].lower() + problem.msg[1:]
            at = Span(source, problem.pos, min(problem.pos + 1, len(source.text)))
        except ValueError:  # an integer of thousands of digits
            text = "a number of too many digits"
    message = f"{in_line(path)} is no {WANTED.kind} in JSON: {quoted(text)}"
    hint = 'write a member like "base": "trn2.48xlarge"'
    raise Failure(Problem(UNREADABLE, message, at, hint))


def _place(source: Source, key: tuple[str, ...]) -> Span | None:
    """The last key of a path, where it is first written after those before it."""
    begin, found = 0, None
    for name in key:
        found = re.compile(re.escape(json.dumps(name)) + r"\s*:").search(source.text, begin)
        if found is None:
            return line_of(source, 1)
        begin = found.end()
    return None if found is None else Span(source, found.start(), found.end() - 1)
