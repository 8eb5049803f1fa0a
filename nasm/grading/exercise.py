"""An exercise: a folder with a text, inputs and results as Python makes them, and what is asked.

``README.md`` is its text. ``exercise.toml`` says what is asked; ``golden.py`` has ``inputs(rng)``,
which returns arrays by the names of tensors or arguments, and ``golden(**inputs)``, which returns
those of the outputs. ``solutions/`` has submissions that pass, ``wrong/`` some that fail, each with
the check that it fails in a comment of its first line: ``; fails: right``. A task for ``judge`` is
the same, and needs no more than ``exercise.toml`` and ``golden.py``.
"""

from __future__ import annotations

import hashlib
import os
import tomllib
from collections.abc import Callable, Mapping
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from nasm.base import host_files
from nasm.base.problems import Failure, Problem, counted, did_you_mean
from nasm.base.records import dataclass, field

UNUSABLE = "E0847"

Arrays = Mapping[str, np.ndarray[Any, Any]]

SOLUTIONS, WRONG, STARTER = "solutions", "wrong", "starter"
GOAL, GOLDEN, TEXT = "exercise.toml", "golden.py", "README.md"
ENDINGS = (".nasm", ".py")
"""Ends of the names of submissions."""

CHECKS = ("read", "run", "order", "right", "time", "mfu", "bytes", "lines", "instructions")
"""What is checked, in this order; the first that fails decides the hint."""

COURSES = {"2h": "the course of two hours", "day": "the course of a day"}
"""The courses that a teacher plans, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExerciseGoal:
    """What an exercise asks for: each limit that is not None is a check.

    ``number`` is its place among others, ``minutes`` what each of the COURSES that has it plans for
    it. ``kernel`` is the name of the function that a submission
    in Python has. ``seeds`` make the inputs; where there are ``shapes``, the values of each name,
    the inputs of the k-th seed are made for the k-th value of each. They are constants of a text.
    Fresh cases are also made for ``more_shapes``.
    With ``autosync`` a text is in sequential order, and its waits are found. ``time_us`` and
    ``bytes`` are the most that a run of the first shape may take and move, ``mfu`` the least that
    it may reach, ``lines`` the most that a submission may have without blank lines and comments;
    ``not_used`` are words that it may not use, such as mnemonics. ``hints`` are those of each
    check, one after the other. ``points`` are those of each check, else each has one; those after
    ``run`` are given only if the results are right.
    """

    title: str
    number: int = 0
    minutes: Mapping[str, int] = field(default_factory=dict)
    target: str = "trn2"
    kernel: str = ""
    autosync: bool = False
    seeds: tuple[int, ...] = (1, 2)
    shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    more_shapes: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    rtol: float = 1e-3
    atol: float = 1e-5
    time_us: float | None = None
    mfu: float | None = None
    bytes: int | None = None
    lines: int | None = None
    not_used: tuple[str, ...] = ()
    max_instructions: int = 1_000_000
    hints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    points: Mapping[str, float] = field(default_factory=dict)

    def shape(self, number: int) -> dict[str, int]:
        """The values of ``shapes`` with a number: those of each name in turn."""
        return {name: values[number % len(values)] for name, values in self.shapes.items()}

    @property
    def sizes(self) -> dict[str, tuple[int, ...]]:
        """All values that each name may have, those of ``more_shapes`` too."""
        more = self.more_shapes
        return {name: (*values, *more.get(name, ())) for name, values in self.shapes.items()}


@dataclass(frozen=True, slots=True)
class ExerciseCase:
    """What a submission is run with: a seed, and the values of the exercise's shapes."""

    seed: int
    shape: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        sizes = " ".join(f"{name}={value}" for name, value in self.shape.items())
        return f"{sizes} seed {self.seed}".strip()


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _whole(value: Any) -> bool:
    return type(value) is int and value >= 0


def _texts(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _seeds(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(map(_whole, value))


def _table(holds: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, dict) and all(map(holds, value.values()))


_KINDS: Mapping[str, tuple[str, Callable[[Any], bool]]] = {
    "title": ("a text", lambda value: isinstance(value, str)),
    "number": ("a number from 0 on", _whole),
    "minutes": ("a table with a number for each course", _table(_whole)),
    "target": ("a text", lambda value: isinstance(value, str)),
    "kernel": ("a text", lambda value: isinstance(value, str)),
    "autosync": ("true or false", lambda value: isinstance(value, bool)),
    "seeds": ("a list of numbers from 0 on", _seeds),
    "shapes": ("a table with a list of numbers for each name", _table(_seeds)),
    "more_shapes": ("a table with a list of numbers for each name", _table(_seeds)),
    "rtol": ("a number", _number),
    "atol": ("a number", _number),
    "time_us": ("a number", _number),
    "mfu": ("a number", _number),
    "bytes": ("a number from 0 on", _whole),
    "lines": ("a number from 0 on", _whole),
    "not_used": ("a list of texts", _texts),
    "max_instructions": ("a number from 0 on", _whole),
    "hints": (
        "a table with a text, or a list of texts, for each check",
        _table(lambda value: isinstance(value, str) or _texts(value)),
    ),
    "points": ("a table with a number for each check", _table(_number)),
}


class Exercise:
    """An exercise of a folder; raises Failure if something of it is missing or wrong."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.path.abspath(folder)
        self.name = os.path.basename(self.folder)
        self.wanted = _wanted(os.path.join(self.folder, GOAL))
        self._made: dict[str, tuple[Arrays, Arrays]] = {}

    @property
    def text(self) -> str:
        """Its text for people, in Markdown; empty if it has none. Raises Failure."""
        path = os.path.join(self.folder, TEXT)
        if not os.path.isfile(path):
            return ""
        try:
            return host_files.read_text(path)
        except (OSError, UnicodeDecodeError) as error:
            raise _unreadable(path, error) from None

    @property
    def cases(self) -> tuple[ExerciseCase, ...]:
        """What a submission is run with."""
        wanted = self.wanted
        return tuple(
            ExerciseCase(seed, wanted.shape(number)) for number, seed in enumerate(wanted.seeds)
        )

    def fresh(
        self, number: int, count: int, shape: Mapping[str, int] | None = None
    ) -> tuple[ExerciseCase, ...]:
        """So many cases that follow from a number alone: of any sizes that it has, and any seed.

        With a ``shape`` all are of it.
        """
        rng, made = np.random.default_rng([number, len(self.wanted.seeds)]), []
        seen = [case.shape for case in self.cases]
        for _ in range(count):
            of = dict(shape) if shape is not None else self._sizes(rng, seen)
            seen.append(of)
            made.append(ExerciseCase(int(rng.integers(1 << 32)), of))
        return tuple(made)

    def _sizes(self, rng: np.random.Generator, seen: list[Mapping[str, int]]) -> dict[str, int]:
        """A value of each name; if possible not all those of a case that there is."""
        for _ in range(20):
            of = {name: int(rng.choice(values)) for name, values in self.wanted.sizes.items()}
            if of not in seen:
                break
        return of

    @property
    def stamp(self) -> str:
        """A hash of what decides its cases and limits; raises Failure."""
        made = hashlib.sha256()
        for name in (GOAL, GOLDEN):
            path = os.path.join(self.folder, name)
            try:
                made.update(host_files.read_bytes(path))
            except OSError as error:
                raise _unreadable(path, error) from None
        return made.hexdigest()[:32]

    def made(self, case: ExerciseCase) -> tuple[Arrays, Arrays]:
        """The inputs of a case, and the outputs that are right for them; raises Failure."""
        name = str(case)
        if name not in self._made:
            given = self._called("inputs", np.random.default_rng(case.seed), **case.shape)
            self._made[name] = given, self._called("golden", **given)
        return self._made[name]

    def _called(self, name: str, *args: Any, **named: Any) -> Arrays:
        made = getattr(self._golden, name, None)
        if not callable(made):
            raise _unusable(f"golden.py of the exercise {self.name} has no function '{name}'")
        try:
            return _arrays(made(*args, **named), name)
        except Failure:
            raise
        except Exception as error:
            message = f"{name}() of golden.py of the exercise {self.name}: {error!r}"
            raise _unusable(message) from error

    @cached_property
    def _golden(self) -> ModuleType:
        """``golden.py``, which is the teacher's and may do anything."""
        path = os.path.join(self.folder, GOLDEN)
        made = ModuleType(f"golden_{self.name}")
        made.__file__ = path
        try:
            exec(compile(host_files.read_text(path), path, "exec"), made.__dict__)
        except OSError as problem:
            raise _unreadable(path, problem) from None
        except Exception as error:
            raise _unusable(f"golden.py of the exercise {self.name}: {error!r}") from error
        return made

    def submissions(self, part: str) -> list[str]:
        """The files of a part: ``solutions``, ``wrong``, or those that begin as ``starter``."""
        folder = self.folder if part == STARTER else os.path.join(self.folder, part)
        if not os.path.isdir(folder):
            return []
        try:
            found = [entry.path for entry in host_files.entries(folder)]
        except OSError as error:
            raise _unreadable(folder, error) from None
        found = [path for path in found if path.endswith(ENDINGS)]
        starts = f"{STARTER}."
        return [p for p in found if part != STARTER or os.path.basename(p).startswith(starts)]


def exercises_of(folder: str | os.PathLike[str]) -> list[Exercise]:
    """The exercises of a folder by their numbers; raises Failure if one cannot be used."""
    try:
        inside = [entry.path for entry in host_files.entries(os.fspath(folder)) if entry.is_dir()]
    except OSError as error:
        raise _unreadable(os.fspath(folder), error) from None
    found = [Exercise(path) for path in inside if os.path.isfile(os.path.join(path, GOAL))]
    return sorted(found, key=lambda exercise: (exercise.wanted.number, exercise.name))


def submissions_of(folder: str) -> list[str]:
    """Every submission of a class: files of a folder, or one in each of its folders."""
    found: list[str] = []
    for entry in host_files.entries(folder):
        if entry.is_dir():
            inside = [each.path for each in host_files.entries(entry.path)]
            found += [path for path in inside if path.endswith(ENDINGS)]
        elif entry.name.endswith(ENDINGS):
            found.append(entry.path)
    return found


def _wanted(path: str) -> ExerciseGoal:
    try:
        with host_files.opened(path) as stream:
            read = tomllib.load(stream)
    except OSError as problem:
        message = f"no exercise in {os.path.dirname(path)}: {problem.strerror or problem}"
        raise _unusable(message, "a folder with exercise.toml and golden.py") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise _unusable(f"{path}: {error}") from None
    for name, value in read.items():
        if name not in _KINDS:
            raise _unusable(f"{path} has '{name}'", did_you_mean(name, _KINDS))
        kind, holds = _KINDS[name]
        if not holds(value):
            raise _unusable(f"{path}: {name} is {kind}")
    for name, known in (("hints", CHECKS), ("points", CHECKS), ("minutes", COURSES)):
        for of in read.get(name, ()):
            if of not in known:
                what = "courses" if known is COURSES else "checks"
                hint = did_you_mean(of, known) or f"the {what} are {', '.join(known)}"
                raise _unusable(f"{path}: {name} of '{of}'", hint)
    if "title" not in read:
        raise _unusable(f"{path} has no title")
    return ExerciseGoal(**{name: _kept(value) for name, value in read.items()})


def _kept(value: Any) -> Any:
    """A value of the file as the record has it: lists as tuples; of hints there may be one."""
    if isinstance(value, dict):
        one = {name: (each,) if isinstance(each, str) else each for name, each in value.items()}
        return {name: _kept(each) for name, each in one.items()}
    return tuple(value) if isinstance(value, list) else value


def _arrays(found: Any, what: str) -> Arrays:
    if not isinstance(found, Mapping) or not found:
        raise _unusable(f"'{what}' of golden.py returns no arrays by name")
    return {str(name): np.asarray(value) for name, value in found.items()}


def _unreadable(path: str, error: OSError | UnicodeDecodeError) -> Failure:
    reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
    return _unusable(f"cannot read {path}: {reason or error}")


def _unusable(message: str, hint: str = "") -> Failure:
    return Failure(Problem(UNUSABLE, message, None, hint))


def described(wanted: ExerciseGoal) -> str:
    """What is asked, in a sentence."""
    found = [
        (wanted.time_us, f"at most {wanted.time_us} µs"),
        (wanted.mfu, f"at least {100 * (wanted.mfu or 0):.0f} % MFU"),
        (wanted.bytes, f"at most {wanted.bytes or 0:,} bytes moved"),
        (wanted.lines, f"at most {counted(wanted.lines or 0, 'line')}"),
        (wanted.not_used or None, f"without {', '.join(wanted.not_used)}"),
    ]
    return ", ".join(["right results", *(text for limit, text in found if limit is not None)])
