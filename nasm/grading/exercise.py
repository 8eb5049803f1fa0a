"""An exercise: a folder with a text, inputs and results as Python makes them, and what is asked.

``exercise.toml`` says what is asked; ``golden.py`` has ``inputs(rng)``, which returns arrays by
the names of tensors or arguments, and ``golden(**inputs)``, which returns those of the outputs.
``solutions/`` has submissions that pass, ``wrong/`` some that fail, each with the check that it
fails in a comment of its first line: ``; fails: right``.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping
from functools import cached_property
from types import ModuleType
from typing import Any

import numpy as np

from nasm.base import host_files
from nasm.base.problems import Failure, Problem, counted, did_you_mean, listed
from nasm.base.records import dataclass, field

UNUSABLE = "E0847"

Arrays = Mapping[str, np.ndarray[Any, Any]]

SOLUTIONS, WRONG, STARTER = "solutions", "wrong", "starter"
ENDINGS = (".nasm", ".py")
"""Ends of the names of submissions."""

CHECKS = ("read", "run", "order", "right", "time", "mfu", "bytes", "lines", "instructions")
"""What is checked, in this order; the first that fails decides the hint."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExerciseGoal:
    """What an exercise asks for: each limit that is not None is a check.

    ``kernel`` is the name of the function that a submission in Python has. ``seeds`` make the
    inputs. ``time_us`` and ``bytes`` are the most that a run may take and move, ``mfu`` the least
    that it may reach, ``lines`` the most that a submission may have without blank lines and
    comments; ``not_used`` are instructions that it may not use. ``points`` are those of each check,
    else each has one; those after ``run`` are given only if the results are right.
    """

    title: str
    target: str = "trn2"
    kernel: str = ""
    seeds: tuple[int, ...] = (1, 2)
    rtol: float = 1e-3
    atol: float = 1e-5
    time_us: float | None = None
    mfu: float | None = None
    bytes: int | None = None
    lines: int | None = None
    not_used: tuple[str, ...] = ()
    max_instructions: int = 1_000_000
    hints: Mapping[str, str] = field(default_factory=dict)
    points: Mapping[str, float] = field(default_factory=dict)


_KINDS: Mapping[str, tuple[type, ...]] = {
    "title": (str,),
    "target": (str,),
    "kernel": (str,),
    "seeds": (list,),
    "rtol": (int, float),
    "atol": (int, float),
    "time_us": (int, float),
    "mfu": (int, float),
    "bytes": (int,),
    "lines": (int,),
    "not_used": (list,),
    "max_instructions": (int,),
    "hints": (dict,),
    "points": (dict,),
}


class Exercise:
    """An exercise of a folder; raises Failure if something of it is missing or wrong."""

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = os.path.abspath(folder)
        self.name = os.path.basename(self.folder)
        self.wanted = _wanted(os.path.join(self.folder, "exercise.toml"))
        self._made: dict[int, tuple[Arrays, Arrays]] = {}

    def case(self, seed: int) -> tuple[Arrays, Arrays]:
        """The inputs of a seed, and the outputs that are right for them; raises Failure."""
        if seed not in self._made:
            given = self._called("inputs", np.random.default_rng(seed))
            self._made[seed] = given, self._called("golden", **given)
        return self._made[seed]

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
        path = os.path.join(self.folder, "golden.py")
        made = ModuleType(f"golden_{self.name}")
        made.__file__ = path
        try:
            exec(compile(host_files.read_text(path), path, "exec"), made.__dict__)
        except OSError as problem:
            raise _unusable(f"cannot read {path}: {problem.strerror or problem}") from None
        except Exception as error:
            raise _unusable(f"golden.py of the exercise {self.name}: {error!r}") from error
        return made

    def submissions(self, part: str) -> list[str]:
        """The files of a part: ``solutions``, ``wrong``, or those that begin as ``starter``."""
        folder = self.folder if part == STARTER else os.path.join(self.folder, part)
        if not os.path.isdir(folder):
            return []
        found = [entry.path for entry in host_files.entries(folder)]
        found = [path for path in found if path.endswith(ENDINGS)]
        starts = f"{STARTER}."
        return [p for p in found if part != STARTER or os.path.basename(p).startswith(starts)]


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
        kinds = _KINDS.get(name)
        if kinds is None:
            raise _unusable(f"{path} has '{name}'", did_you_mean(name, _KINDS))
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise _unusable(f"{path}: {name} is {listed(kind.__name__ for kind in kinds)}")
    for name in ("hints", "points"):
        for check in read.get(name, ()):
            if check not in CHECKS:
                hint = did_you_mean(check, CHECKS) or f"the checks are {', '.join(CHECKS)}"
                raise _unusable(f"{path}: {name} of '{check}'", hint)
    if "title" not in read:
        raise _unusable(f"{path} has no title")
    for name in ("seeds", "not_used"):
        if name in read:
            read[name] = tuple(read[name])
    return ExerciseGoal(**read)


def _arrays(found: Any, what: str) -> Arrays:
    if not isinstance(found, Mapping) or not found:
        raise _unusable(f"'{what}' of golden.py returns no arrays by name")
    return {str(name): np.asarray(value) for name, value in found.items()}


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
