"""What names mean at the place of an expression."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager

from nasm.base import dtypes, names
from nasm.base.problems import Failure, Problem, Refused, did_you_mean
from nasm.base.records import dataclass, field, replace
from nasm.base.source import Frame, Source, Span
from nasm.isa.declared_transfer import DeclaredTransfer
from nasm.language.expanding.affine import Affine, unknown
from nasm.language.expanding.forward_names import Later, Undeclared
from nasm.language.expanding.functions import Value, has_tiles
from nasm.language.expanding.macro_arguments import (
    ARGUMENT_TYPES,
    CounterArgument,
    MomentList,
    WordArgument,
)
from nasm.language.text import tree
from nasm.language.text.habits import LIBRARIES, NAMES
from nasm.views.tensor import Tensor
from nasm.views.view import Reg, View

_REGISTER = re.compile(r"[rR][0-9]+")

CONSTANTS = names.CONSTANTS

Around = tuple[int, int | None, "dict[str, Value] | None"]
"""What a scope was like before a round of a loop."""

EXPORTED = (tree.ExportedName, tree.ExportedTemplate, tree.ExportedNamed)


@dataclass(frozen=True, slots=True)
class CallOfMacro:
    """One call of a macro: the ``number`` of all calls, what its names begin with, its own names.

    ``caller`` is where it is called from: what it exports is declared there. So is what other
    macros have ``brought``, which its text does not have: kinds and names. ``given`` is where what
    its parameters are is written.
    """

    number: int
    prefix: str
    own: Later
    caller: Scope
    depth: int
    brought: set[tuple[str, str]] = field(default_factory=set)
    given: dict[str, Span] = field(default_factory=dict)


def _no_register(value: Affine) -> Reg:
    raise unknown(value, "a view outside of instructions")


@dataclass(slots=True)
class Scope:
    """What names mean while a line is evaluated, the core it belongs to, and its own numbers.

    ``order`` are the names of ``values`` in the order of their declaration, ``left`` those that may
    be declared again: by an ``.if`` that has ended, or outside of the macro. Names from ``lasting``
    on belong to rounds of loops, the innermost of which has ``hidden`` others. In a loop at run
    time it is ``looping``, and ``register`` is what holds a form of its variable in the queue that
    the line is for; ``reach`` is the least and the greatest value that it has, if they are known.
    ``steps`` say of the variable of each ``.for`` around whether it goes up, 1, or down, -1.
    """

    source: Source
    values: dict[str, Value] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    transfers: dict[str, DeclaredTransfer] = field(default_factory=dict)
    chain: tuple[Frame, ...] = ()
    core: int = 0
    numbers: tuple[int | float, ...] = ()
    looping: bool = False
    register: Callable[[Affine], Reg] = _no_register
    reach: Callable[[Affine], tuple[int, int] | None] = lambda value: None
    place: Callable[[], None] = lambda: None
    places: dict[str, Span] = field(default_factory=dict)
    undeclared: Undeclared = field(default_factory=Undeclared)
    later: Callable[[str, str], tree.ExpressionNode | None] = lambda name, kind: None
    owner: Callable[[str, str], str] = lambda name, kind: ""
    order: list[str] = field(default_factory=list)
    left: set[str] = field(default_factory=set)
    ended: set[str] = field(default_factory=set)
    lasting: int | None = None
    kept: dict[str, Value] | None = None
    hidden: dict[str, Value] | None = None
    expansion: CallOfMacro | None = None
    steps: Mapping[str, int] = field(default_factory=dict)
    computing: Mapping[str, str] = field(default_factory=dict)
    counters: Mapping[str, int] = field(default_factory=dict)

    def span(self, node: tree.ExpressionNode) -> Span:
        """A node's place, expansions included."""
        return Span(self.source, node.start, node.end, self.chain)

    def view(self, name: str) -> View | None:
        """A declared tensor as a view of all of it."""
        found = self.views.get(name)
        if found is None:
            tensor = self.tensors.get(name)
            if tensor is None:
                return None
            found = self.views[name] = View.whole(tensor)
        return found

    # -- what is declared

    def homes(self, node: tree.ExpressionNode) -> Iterator[Scope]:
        """The scopes in which a declared name means something: also that of a call, if exported."""
        home = self.home(node)
        yield home
        if home is not self:
            yield self

    def home(self, node: tree.ExpressionNode) -> Scope:
        """The scope in which a name is declared: that of the call with ``@export``."""
        if not isinstance(node, EXPORTED):
            return self
        if self.expansion is None:
            message = "'@export' is allowed only inside a '.macro'"
            hint = "names that are declared outside of macros are seen everywhere"
            raise Failure(Problem("E0224", message, self.span(node), hint))
        return self.expansion.caller

    def in_program(self, name: str) -> str:
        """What the program calls something that is declared here by a name."""
        return name if self.expansion is None else f"{self.expansion.prefix}_{name}"

    def taken(self, name: str) -> bool:
        """Whether a name means something that a declaration may not hide."""
        return name in self.values and name not in self.left

    def declare(self, name: str, value: Value, place: Span | None = None) -> None:
        """Give a name its value, until the end of the round it is declared in."""
        if self.hidden is not None and name in self.values:
            self.hidden.setdefault(name, self.values[name])
        self.order.append(name)
        self.keeps(name, value, place)

    def keeps(self, name: str, value: Value, place: Span | None = None) -> None:
        """The same for what outlasts the round: a tensor of a macro, and the like."""
        self.values[name] = value
        self.left.discard(name)
        self.kept = None
        if place is not None:
            self.places[name] = place

    def forget(self, name: str) -> None:
        """Let a name that was left mean what is declared now, which is no value."""
        if name in self.left:
            self.left.discard(name)
            self.values.pop(name, None)
            self.kept = None

    def keep(self) -> dict[str, Value]:
        """What names mean now, for expectations, which are judged much later."""
        if self.kept is None:
            values = self.values.items()
            self.kept = {
                name: value for name, value in values if not isinstance(value, ARGUMENT_TYPES)
            }
        return self.kept

    def named_views(self) -> dict[str, View | list[View]]:
        """The views that have names now, and the arrays of tiles."""
        values = self.values.items()
        return {name: v for name, v in values if isinstance(v, View) or has_tiles(v)}

    def begin_round(self) -> Around:
        """What is declared from here on lasts until the end of a round of a loop."""
        kept, outer, around = len(self.order), self.lasting, self.hidden
        self.hidden = {}
        self.lasting, self.kept = kept if outer is None else outer, None
        return kept, outer, around

    def end_round(self, around: Around) -> None:
        """The round ends that was begun with this."""
        kept, outer, hidden = around
        self.ended.update(self.order[kept:])
        for name in self.order[kept:]:
            self.values.pop(name, None)
            self.left.discard(name)
        if self.hidden:
            self.values.update(self.hidden)
            self.left.update(self.hidden)
        del self.order[kept:]
        self.lasting, self.kept, self.hidden = outer, None, hidden

    @contextmanager
    def arm(self) -> Iterator[None]:
        """What is declared in a branch of an ``.if`` may be declared again after it."""
        kept = len(self.order)
        yield
        self.left.update(self.order[kept:])

    def within(self, source: Source, frame: Frame, expansion: CallOfMacro) -> Scope:
        """The scope of an expansion: it sees what the file sees where no loop is."""
        file = expansion.caller
        while file.expansion is not None:
            file = file.expansion.caller
        rounds = set() if file.lasting is None else set(file.order[file.lasting :])
        seen = {name: value for name, value in file.values.items() if name not in rounds}
        return replace(
            self,
            source=source,
            values=seen,
            chain=(*self.chain, frame),
            places=dict(file.places),
            order=[],
            left=set(seen),
            lasting=None,
            kept=None,
            hidden=None,
            steps={},
            expansion=expansion,
        )

    # -- what names mean

    def knows(self, name: str) -> bool:
        """Whether a name means something."""
        return (
            name in self.values
            or name in self.tensors
            or name in CONSTANTS
            or name in self.transfers
            or dtypes.find(name) is not None
        )

    def lookup(self, name: str, wanted: str = "", otherwise: str = "") -> Value:
        """What a name means; raises Refused.

        Its hint is ``otherwise``, or what was ``wanted``, if nothing is like it.
        """
        if name in self.values:
            found = self.values[name]
            if isinstance(found, WordArgument | MomentList):
                found.refuse()
            return found
        found = self.view(name)
        if found is not None:
            return found
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in self.transfers:
            return self.transfers[name]
        dtype = dtypes.find(name)
        if dtype is not None:
            return dtype
        self.undeclared.silence(name)
        known = [*self.values, *self.tensors, *self.transfers]
        hint = self.before(name, "name") or did_you_mean(name, known)
        if not hint and _REGISTER.fullmatch(name) and "integer from" in wanted:
            hint = f"write {name[1:]}, the number alone: wanted {wanted}"
        elif not hint and _REGISTER.fullmatch(name):
            hint = f"a register is written '%{name.lower()}'"
        if not hint and name.lower() in CONSTANTS:
            hint = f"it is written '{name.lower()}'"
        if not hint and name in self.counters:
            hint = f"a semaphore is written '${name}', after the operands: '${name} >= 1'"
        if not hint and name in self.ended:
            hint = f"{name} belongs to the rounds of a '.for' that has ended"
        wants = f"wanted {wanted}" if wanted else ""
        library = name in LIBRARIES and not wants
        hint = LIBRARIES[name] if library else hint or NAMES.get(name, "") or wants or otherwise
        raise Refused("E0208", f"nothing is called '{name}'", hint)

    def counter(self, name: str) -> CounterArgument | None:
        """The semaphore or event that a name means in a macro, an argument or its own."""
        found = self.values.get(name)
        return found if type(found) is CounterArgument else None

    def named(self, kind: str, name: str) -> str:
        """The name that the program has for a ``label`` or a ``moment`` of this name.

        A label is a macro's own if the text of the macro has it, else one that the file has. A
        moment is its own, too, if another macro posts it for it under that name. A default that is
        the parameter's own name, ``done=done``, is the macro's own.
        """
        handed = self.values.get(name)
        if type(handed) is WordArgument and not self._itself(handed, name):
            return handed.named(kind, handed.name)
        if self.expansion is None:
            return name
        node = self.expansion.own.find(name, kind)
        if node is None:
            own = kind == "moment" or (kind, name) in self.expansion.brought
            return self.in_program(name) if own else name
        home = self.home(node)
        if home.expansion is not None and home is not self:
            home.expansion.brought.add((kind, name))
        return home.in_program(name)

    def _itself(self, handed: WordArgument, name: str) -> bool:
        """Whether a parameter has its own name as its default."""
        number = 0 if self.expansion is None else self.expansion.number
        return handed.name == name and handed.expansion == number

    def before(self, name: str, kind: str) -> str:
        """A hint for a name that is declared further down, or in a macro; or an empty string."""
        node = self.later(name, kind)
        if node is None:
            owner = self.owner(name, kind)
            if not owner:
                return ""
            return f"{name} of {owner} is the macro's own: '@export {name}' declares it for callers"
        line = self.span(node).line
        return f"it is declared later, on line {line}: declare it before its first use"
