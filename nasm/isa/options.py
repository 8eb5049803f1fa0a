"""Machine options: where a vendor leaves a choice open, or lets the runtime make it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from nasm.base.numbers import integer, plain
from nasm.base.problems import Failure, Problem, Refused, did_you_mean, listed, quoted
from nasm.base.records import dataclass
from nasm.isa.evidence import Evidence

WRONG = "E0809"

OptionValue = str | int
"""What an option may be set to: a word, or an integer."""


@dataclass(frozen=True, slots=True)
class Option:
    """A choice about the machine that a user may make, and what holds if none is made.

    ``choices`` are its words, each with what it means; without any it takes an integer from
    ``low`` to ``high``. ``evidence`` and ``source`` are those of the default. ``since`` and
    ``until`` are the first and the last generation that it makes a difference on, empty where
    there is no such bound; no other generation takes it.
    """

    name: str
    default: OptionValue
    summary: str
    evidence: Evidence
    source: str
    choices: Mapping[str, str] | None = None
    low: int = 0
    high: int = 0
    since: str = ""
    until: str = ""

    def accept(self, value: object) -> OptionValue:
        """A value, as a program of Python gives it or as text; raises Refused."""
        value = plain(value)
        if self.choices is not None:
            if isinstance(value, str) and value in self.choices:
                return value
            close = did_you_mean(value, self.choices) if isinstance(value, str) else ""
            raise self._refused(value, close)
        if isinstance(value, str):
            try:
                value = integer(value)
            except ValueError:
                raise self._refused(value) from None
        if type(value) is not int or not self.low <= value <= self.high:
            raise self._refused(value)
        return value

    def _refused(self, value: object, hint: str = "") -> Refused:
        message = f"option {self.name} is {self.describe()}, not {quoted(repr(value))}"
        return Refused(WRONG, message, hint)

    def describe(self) -> str:
        """What it may be set to."""
        if self.choices is not None:
            return listed(self.choices)
        return f"an integer from {self.low} to {self.high}"


def defaults(options: Iterable[Option]) -> dict[str, OptionValue]:
    """Every option with its default."""
    return {option.name: option.default for option in options}


def in_force(
    options: Iterable[Option], given: Mapping[str, object], lacking: Mapping[str, str] | None = None
) -> dict[str, OptionValue]:
    """Every option with the value given for it, or its default; raises Failure with all wrong.

    ``lacking`` are those that this machine does not take, each with the machines that do.
    """
    known = {option.name: option for option in options}
    values = defaults(known.values())
    problems: list[Problem] = []
    for name, value in given.items():
        try:
            if name not in known:
                raise Refused(
                    WRONG,
                    f"the machine has no option '{quoted(str(name))}'",
                    did_you_mean(str(name), known) or "'neuron-nasm isa --options' lists them",
                )
            if lacking and name in lacking:
                message = f"this machine has no option '{name}'"
                raise Refused(WRONG, message, f"it is an option of {lacking[name]}")
            values[name] = known[name].accept(value)
        except Refused as refused:
            problems.append(refused.at(None))
    if problems:
        raise Failure(problems)
    return values
