"""What names mean where an expression stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from nasm.asm.expanding.functions import Value
from nasm.asm.expanding.undeclared import Undeclared
from nasm.asm.text import tree
from nasm.problems import Refused, did_you_mean
from nasm.source import Frame, Source, Span
from nasm.spec import names
from nasm.spec.declared_transfer import DeclaredTransfer
from nasm.spec.memory import Tensor
from nasm.spec.view import View

_REGISTER = re.compile(r"r[0-9]+")

CONSTANTS = names.CONSTANTS


@dataclass(slots=True)
class Scope:
    """What names mean while a line is evaluated, the core it belongs to, and its own numbers."""

    source: Source
    values: dict[str, Value] = field(default_factory=dict)
    tensors: dict[str, Tensor] = field(default_factory=dict)
    views: dict[str, View] = field(default_factory=dict)
    transfers: dict[str, DeclaredTransfer] = field(default_factory=dict)
    chain: tuple[Frame, ...] = ()
    core: int = 0
    numbers: tuple[int | float, ...] = ()
    place: Callable[[], None] = lambda: None
    places: dict[str, Span] = field(default_factory=dict)
    undeclared: Undeclared = field(default_factory=Undeclared)
    later: Callable[[str, str], tree.Node | None] = lambda name, kind: None
    computing: Mapping[str, str] = field(default_factory=dict)

    def span(self, node: tree.Node) -> Span:
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

    def knows(self, name: str) -> bool:
        """Whether a name means something."""
        return (
            name in self.values
            or name in self.tensors
            or name in CONSTANTS
            or name in self.transfers
        )

    def lookup(self, name: str, wanted: str = "") -> Value:
        """What a name means; raises Refused, with what was ``wanted`` if nothing is like it."""
        if name in self.values:
            return self.values[name]
        found = self.view(name)
        if found is not None:
            return found
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in self.transfers:
            return self.transfers[name]
        self.undeclared.silence(name)
        known = [*self.values, *self.tensors, *self.transfers]
        hint = self.before(name, "name") or did_you_mean(name, known)
        if not hint and _REGISTER.fullmatch(name):
            hint = f"a register is written '%{name}'"
        hint = hint or (f"wanted {wanted}" if wanted else "")
        raise Refused("E0208", f"nothing is called '{name}'", hint)

    def before(self, name: str, kind: str) -> str:
        """A hint for a name that is declared further down, or an empty string."""
        node = self.later(name, kind)
        if node is None:
            return ""
        line = self.span(node).line
        return f"it is declared later, on line {line}: declare it before its first use"
