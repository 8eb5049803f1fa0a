"""Names that a user gives to expressions: each may be used in place of its expression."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set

from nasm.base.dtypes import DTYPES
from nasm.base.names import identifier
from nasm.base.problems import Failure, Refused, did_you_mean, in_line, quoted
from nasm.base.records import dataclass
from nasm.debugger.values.evaluation import OF_TENSORS
from nasm.debugger.values.expressions import Expression, dated
from nasm.language.expectations.checker import WORDS
from nasm.language.text.aliases import names_in, users
from nasm.runs.inspection import Inspection

WRONG = "E0822"


@dataclass(frozen=True, slots=True, repr=False)
class Named:
    """A name, and its expression."""

    name: str
    text: str

    def __str__(self) -> str:
        return f"{self.name} = {self.text}"

    def __repr__(self) -> str:
        return f"<{in_line(str(self))}>"


class Lets:
    """The names of expressions of a session; ``named`` has them, for who reads expressions.

    ``renewed`` is called with the names that mean something else, and raises Refused if something
    that uses one cannot be what it was: then nothing has changed. ``variables`` are those of loops.
    """

    def __init__(
        self,
        held: Inspection,
        named: dict[str, str],
        renewed: Callable[[Set[str]], None],
        variables: Callable[[], Set[str]],
    ) -> None:
        self.held, self.named = held, named
        self.renewed, self.variables = renewed, variables

    def set(self, name: str, text: str) -> Named:
        """Give an expression a name; raises Refused or Failure."""
        name, text = identifier(str(name).strip()), " ".join(str(text).split())
        asked, where = dated(text)
        if where:
            message = f"'{name}' is evaluated when it is used, not at a moment of its own"
            raise Refused(WRONG, message, f"let {name} = {asked}, then: print {name} at {where}")
        self._check(name, text)
        self._become({**self.named, name: text}, name)
        return Named(name, text)

    def remove(self, name: str) -> Named:
        """Forget a name; raises Refused if there is none, or something is made of it."""
        name = str(name).strip()
        if name not in self.named:
            hint = did_you_mean(name, self.named) or "'let' lists them"
            raise Refused(WRONG, f"no expression is called '{quoted(name)}'", hint)
        for other, text in self.named.items():
            if other != name and name in names_in(text):
                raise Refused(WRONG, f"'{name}' is used by {other} = {text}", f"unlet {other}")
        found = Named(name, self.named[name])
        self._become({n: t for n, t in self.named.items() if n != name}, name)
        return found

    def _become(self, wanted: Mapping[str, str], name: str) -> None:
        """Have other names, of which one is not what it was; raises Refused or Failure."""
        before, changed = dict(self.named), users(wanted, name)
        self.named.clear()
        self.named.update(wanted)
        try:
            for other in self.named:
                if other in changed:
                    Expression(self.held, other)
            self.renewed(changed)
        except BaseException:
            self.named.clear()
            self.named.update(before)
            raise

    def _check(self, name: str, text: str) -> None:
        """Refuse a name that means something else, or an expression that is none."""
        what = self.meaning(name)
        if what:
            raise Refused(WRONG, f"'{name}' is {what}", "choose another name")
        if name not in self.named:  # its present value may be used by the new one only in a cycle
            Expression(self.held, text)

    def meaning(self, name: str) -> str:
        """What a name means in this program anyway; empty if that is nothing."""
        program = self.held.program
        generation = program.generation
        engines = {n for e in generation.engines for n in (e.name, *e.aliases)}
        kinds: tuple[tuple[str, object], ...] = (
            ("a tensor of the program", program.tensors),
            ("a constant of the program", program.constants),
            ("a view of the program", program.views),
            ("a semaphore of the program", program.semaphores),
            ("an event of the program", program.events),
            ("a transfer of the program", program.transfers),
            ("the variable of a loop of the program", self.variables()),
            ("an engine", engines),
            ("a memory", generation.memories),
            ("a dtype", {n for d in DTYPES.values() for n in (d.name, *d.aliases)}),
            ("a function", {*WORDS, *OF_TENSORS}),
        )
        return next((what for what, names in kinds if name in names), "")  # type: ignore[operator]

    def take_over(self, others: Mapping[str, str]) -> tuple[tuple[Named, str], ...]:
        """Have the names of another session; returns those that cannot be, each with why."""
        lost = []
        self.named.update(others)
        while (wrong := next(filter(None, map(self._wrong, self.named)), None)) is not None:
            del self.named[wrong[0].name]
            lost.append(wrong)
        return tuple(lost)

    def _wrong(self, name: str) -> tuple[Named, str] | None:
        found = Named(name, self.named[name])
        what = self.meaning(name)
        if what:
            return found, f"'{name}' is {what}"
        try:
            Expression(self.held, name)
        except Refused as refused:
            return found, refused.message
        except Failure as failure:
            return found, failure.problems[0].message
        return None
