"""What the expressions of a kernel are, as far as its text says."""

from __future__ import annotations

import ast

from nasm.base.records import dataclass, field
from nasm.nki.migrating.polynomials import Polynomial


class Untranslatable(Exception):
    """What has no counterpart in today's dialect, or none that the text alone shows."""

    def __init__(self, node: ast.AST, reason: str) -> None:
        self.line, self.reason = getattr(node, "lineno", 0), reason
        super().__init__(reason)


@dataclass(frozen=True, slots=True)
class PythonValue:
    """What Python computes: a number, a shape, a dtype."""

    text: str


@dataclass(frozen=True, slots=True)
class IndexVector:
    """An index expression: ``const`` plus, along each axis, ``steps`` times the position."""

    const: Polynomial
    sizes: tuple[Polynomial, ...]
    steps: tuple[Polynomial, ...]


@dataclass(frozen=True, slots=True)
class MeshVectors:
    """The index expressions of an ``nl.mgrid``."""

    axes: tuple[IndexVector, ...]


@dataclass(frozen=True, slots=True)
class AffineMask:
    """Where all of some index expressions are 0 or more."""

    least: tuple[IndexVector, ...]


@dataclass(frozen=True, slots=True)
class OldTensor:
    """A tensor: in HBM or on chip, with the sizes that are known, each as the text names it.

    ``blocks`` axes in front count tiles: today a list of them. ``dtype`` is what the text says of
    its dtype; of ``full`` sizes a mask has left ``sizes``. ``summed`` says that it was filled with
    0, and holds nothing else but sums of matmuls; ``part`` that it is part of another one, and
    ``combines`` the operator of ``nl`` that it is the result of, with what that combines.
    """

    text: str
    memory: str = ""
    sizes: tuple[Polynomial, ...] | None = None
    dtype: str = ""
    blocks: int = 0
    full: tuple[Polynomial, ...] | None = None
    summed: bool = False
    part: bool = False
    combines: tuple[str, Value, Value] | None = None


@dataclass(frozen=True, slots=True)
class PendingCall:
    """A call of ``nisa`` without its ``dst``: the tile that it would return is not made yet.

    ``result`` says what tile that is; ``shape`` is how the text says its shape.
    """

    module: str
    name: str
    arguments: tuple[tuple[str, str], ...]
    shape: str
    result: OldTensor
    given: bool = False
    before: tuple[str, ...] = field(default=())


Value = PythonValue | IndexVector | MeshVectors | AffineMask | OldTensor | PendingCall
