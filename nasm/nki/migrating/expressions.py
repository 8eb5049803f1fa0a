"""Expressions of a kernel: what they are, and how today's dialect writes them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence

from nasm.base.records import replace
from nasm.nki.migrating.polynomials import Polynomial
from nasm.nki.migrating.source_text import SourceText
from nasm.nki.migrating.tile_shapes import aligned, is_tile, like
from nasm.nki.migrating.values import (
    AffineMask,
    IndexVector,
    MeshVectors,
    OldTensor,
    PendingCall,
    PythonValue,
    Untranslatable,
    Value,
)
from nasm.nki.migrating.vectors import affine, inequality
from nasm.nki.neuronxcc.elementwise import COMPARING

BINARIES = {
    ast.Add: "add",
    ast.Sub: "subtract",
    ast.Mult: "multiply",
    ast.Div: "divide",
    ast.Pow: "power",
    ast.BitAnd: "bitwise_and",
    ast.BitOr: "bitwise_or",
    ast.BitXor: "bitwise_xor",
    ast.LShift: "left_shift",
    ast.RShift: "right_shift",
}
COMPARED = {
    ast.Lt: "less",
    ast.LtE: "less_equal",
    ast.Gt: "greater",
    ast.GtE: "greater_equal",
    ast.Eq: "equal",
    ast.NotEq: "not_equal",
}
"""Python's operators of tiles, and the functions of ``nl`` that they are."""


class Expressions:
    """Expressions of one function: ``names`` are what its names hold, ``prelude`` what goes first.

    ``modules`` are the names of the modules of NKI, ``remark`` keeps what is worth to be looked
    at, and ``counts`` says how often each kind of change was made.
    """

    def __init__(
        self, source: SourceText, modules: dict[str, str], remark: Callable[[str], None]
    ) -> None:
        self.source, self.modules, self.remark = source, modules, remark
        self.names: dict[str, Value] = {}
        self.prelude: list[str] = []
        self.temporaries = 0
        self.counts: dict[str, int] = {}
        self.tiles_returned: set[str] = set()

    # -- texts

    def text(self, node: ast.expr) -> str:
        """An expression that is no index vector, as today's dialect writes it."""
        value = self.value(node)
        match value:
            case PythonValue(text) | OldTensor(text):
                return text
            case PendingCall():
                return self.made(value).text
        raise Untranslatable(node, "an index vector or a mask as a value")

    def plain(self, node: ast.AST) -> str:
        """A node whose parts are rewritten one by one."""
        parts: list[tuple[int, int, str]] = []
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.keyword):
                parts.append((*self.source.span(child.value), self.text(child.value)))
            elif isinstance(child, ast.expr) and not isinstance(node, ast.Lambda):
                parts.append((*self.source.span(child), self.text(child)))
        return self.source.replaced(node, parts)

    def count(self, what: str) -> None:
        """One more of a kind of changes."""
        self.counts[what] = self.counts.get(what, 0) + 1

    def temporary(self) -> str:
        """A name for a tile that had none."""
        while True:
            self.temporaries += 1
            name = f"tile_{self.temporaries}"
            if not self.source.mentions(name):
                return name

    def made(self, call: PendingCall, name: str = "") -> OldTensor:
        """The tile of a call, which is made before the statement."""
        name = name or self.temporary()
        nl = self.modules["nl"]
        result = call.result
        if not call.given:
            self.prelude.append(
                f"{name} = {nl}.ndarray({call.shape}, dtype={result.dtype}, "
                f"buffer={nl}.{result.memory})"
            )
        self.prelude.append(called(call, name))
        sizes = result.sizes
        return OldTensor(name, result.memory, sizes, f"{name}.dtype", full=result.full)

    def value(self, node: ast.expr) -> Value:
        """What an expression is."""
        match node:
            case ast.Name(id=name):
                return self.names.get(name, PythonValue(name))
            case ast.Constant():
                return PythonValue(self.source.of(node))
            case ast.Attribute():
                return self._attribute(node)
            case ast.Subscript():
                return self.subscript(node)
            case ast.BinOp():
                return self._binary(node)
            case ast.UnaryOp(op=op, operand=inner):
                return self._unary(node, op, inner)
            case ast.Compare():
                return self._compared(node)
            case ast.BoolOp(op=ast.And(), values=values):
                found = [self.value(value) for value in values]
                masks = [one for one in found if isinstance(one, AffineMask)]
                if masks and len(masks) == len(found):
                    return AffineMask(tuple(v for one in masks for v in one.least))
            case ast.Call():
                return self.call(node)
            case ast.ListComp() | ast.GeneratorExp() | ast.SetComp() | ast.DictComp():
                return self._comprehension(node)
        return PythonValue(self.plain(node))

    def _comprehension(self, node: ast.expr) -> Value:
        before = len(self.prelude)
        for part in ast.walk(node):
            if isinstance(part, ast.comprehension):
                for name in ast.walk(part.target):
                    if isinstance(name, ast.Name):
                        self.names.pop(name.id, None)
        parts = []
        for child in ast.walk(node):
            if isinstance(child, ast.Call) and self.function_of(child.func)[0]:
                parts.append((*self.source.span(child), self.text(child)))
        if len(self.prelude) != before:
            raise Untranslatable(node, "an instruction in a comprehension: write a loop")
        return PythonValue(self.source.replaced(node, outermost(parts)))

    def _binary(self, node: ast.BinOp) -> Value:
        left, right = self.value(node.left), self.value(node.right)
        if (
            isinstance(left, AffineMask)
            and isinstance(right, AffineMask)
            and isinstance(node.op, ast.BitAnd)
        ):
            return AffineMask(left.least + right.least)
        if isinstance(left, IndexVector) or isinstance(right, IndexVector):
            return affine(node, left, right)
        if isinstance(left, AffineMask) or isinstance(right, AffineMask):
            raise Untranslatable(node, "a mask that is no conjunction of inequalities")
        if not (is_tile(left) or is_tile(right)):
            return PythonValue(self.plain(node))
        name = BINARIES.get(type(node.op))
        if name is None:
            raise Untranslatable(node, "an operator of tiles that no instruction does")
        return self.of_tiles(node, name, left, right)

    def of_tiles(self, node: ast.AST, name: str, left: Value, right: Value) -> Value:
        """An operator of tiles as a function of nl."""
        left, right = (
            self.made(value) if isinstance(value, PendingCall) else value for value in (left, right)
        )
        left, right = aligned(left, right)
        a, b = (self.settled(node, value) for value in (left, right))
        nl = self.modules["nl"]
        self.count("operators of tiles are functions of nl")
        if name != "divide":
            more = f", dtype={nl}.bool_" if name in COMPARING else ""
            made = like(left, right, f"{nl}.{name}({a}, {b}{more})")
            return made if more else replace(made, combines=(name, left, right))
        if not is_tile(right):
            return like(left, right, f"{nl}.multiply({a}, 1 / {factor(b)})")
        turned = f"{nl}.reciprocal({b}, dtype={nl}.float32)"
        kind = a if is_tile(left) else b
        if not kind.isidentifier():
            raise Untranslatable(node, "a division of what has no name: its dtype is not in sight")
        return like(left, right, f"{nl}.multiply({a}, {turned}, dtype={kind}.dtype)")

    def settled(self, node: ast.AST, value: Value) -> str:
        """The text of a value; what it takes to make it goes first."""
        match value:
            case PendingCall():
                return self.made(value).text
            case PythonValue(text) | OldTensor(text):
                return text
        raise Untranslatable(node, "an index vector or a mask as a value")

    def _unary(self, node: ast.UnaryOp, op: ast.unaryop, inner: ast.expr) -> Value:
        value = self.value(inner)
        if isinstance(value, IndexVector) and isinstance(op, ast.USub):
            return IndexVector(-value.const, value.sizes, tuple(-step for step in value.steps))
        if isinstance(value, IndexVector | AffineMask):
            raise Untranslatable(node, "an operator of index expressions that is not affine")
        if is_tile(value) and isinstance(op, ast.USub | ast.Invert):
            name = "negative" if isinstance(op, ast.USub) else "invert"
            text = self.settled(node, value)
            return like(value, value, f"{self.modules['nl']}.{name}({text})")
        return PythonValue(self.plain(node))

    def _compared(self, node: ast.Compare) -> Value:
        parts = [self.value(part) for part in (node.left, *node.comparators)]
        if any(isinstance(part, IndexVector) for part in parts):
            least: list[IndexVector] = []
            for op, left, right in zip(node.ops, parts, parts[1:], strict=False):
                least += inequality(node, op, left, right)
            return AffineMask(tuple(least))
        if len(node.ops) == 1 and any(map(is_tile, parts)) and type(node.ops[0]) in COMPARED:
            return self.of_tiles(node, COMPARED[type(node.ops[0])], parts[0], parts[1])
        return PythonValue(self.plain(node))

    def module_of(self, node: ast.expr) -> str:
        """What module of NKI an expression names; empty if none."""
        if isinstance(node, ast.Name):
            return next((m for m, name in self.modules.items() if name == node.id), "")
        if isinstance(node, ast.Attribute) and self.module_of(node.value) == "nki":
            return {"language": "nl", "isa": "nisa", "compiler": "ncc"}.get(node.attr, "")
        return ""

    def allocation(self, node: ast.expr) -> str:
        """The memory in which a function of the old compiler places tiles; empty if it is none."""
        match node:
            case ast.Attribute(value=ast.Attribute(value=owner, attr="sbuf" | "psum" as memory)):
                if self.module_of(owner) == "ncc":
                    return memory
        return ""

    def _attribute(self, node: ast.Attribute) -> Value:
        if self.module_of(node.value) == "nl" and node.attr in ("fp32", "bfp16"):
            raise Untranslatable(node, "a limit of a dtype: np.finfo has it")
        limit = (getattr(node.value, "attr", ""), node.attr)
        if limit in LIMITS and self.module_of(getattr(node.value, "value", node)) == "nl":
            return PythonValue(LIMITS[limit])
        if self.allocation(node):
            raise Untranslatable(node, "a function that places tiles: today address= does")
        if self.module_of(node.value) == "ncc":
            if node.attr in ("sbuf", "psum"):
                return PythonValue(f"{self.modules['nl']}.{node.attr}")
            raise Untranslatable(node, f"{self.source.of(node)}: today's compiler has no such name")
        value = self.value(node.value)
        if isinstance(value, MeshVectors):
            place = "pxyzw".find(node.attr)
            if 0 <= place < len(value.axes):
                return value.axes[place]
        if isinstance(value, OldTensor) and value.blocks:
            if node.attr == "dtype" and value.dtype:
                return PythonValue(value.dtype)
            raise Untranslatable(node, f".{node.attr} of a list of tiles")
        return PythonValue(self.plain(node))

    def function_of(self, node: ast.expr) -> tuple[str, str]:
        """The module and the name of a function of NKI; empty if it is none."""
        if isinstance(node, ast.Attribute):
            return self.module_of(node.value), node.attr
        return "", ""

    def arguments(self, node: ast.Call, names: Sequence[str]) -> dict[str, ast.expr]:
        """The arguments of a call by name."""
        found = dict(zip(names, node.args, strict=False))
        for word in node.keywords:
            if word.arg is None:
                raise Untranslatable(node, "a call with **: its arguments are not in sight")
            found[word.arg] = word.value
        found.pop("name", None)
        return found

    def mask(self, given: dict[str, ast.expr]) -> AffineMask | None:
        """The mask of a call, if it has one."""
        node = given.pop("mask", None)
        if node is None or (isinstance(node, ast.Constant) and node.value is None):
            return None
        value = self.value(node)
        if not isinstance(value, AffineMask):
            raise Untranslatable(node, "a mask that is no comparison of index expressions")
        self.count("masks are bounds of slices")
        return value

    def named(self, tensor: OldTensor) -> OldTensor:
        """A tensor whose text can be written twice."""
        if "(" not in tensor.text.partition("[")[0]:
            return tensor
        name = self.temporary()
        self.prelude.append(f"{name} = {tensor.text}")
        return OldTensor(name, tensor.memory, tensor.sizes, f"{name}.dtype", full=tensor.full)

    def sizes_of(self, text: str) -> tuple[Polynomial, ...] | None:
        """The sizes in the text of a shape, where they are in sight."""
        parsed = ast.parse(text, mode="eval").body
        if not isinstance(parsed, ast.Tuple | ast.List):
            return None
        return tuple(Polynomial.parsed(ast.unparse(one)) for one in parsed.elts)

    def subscript(self, node: ast.Subscript) -> Value:
        """Part of something."""
        raise NotImplementedError

    def call(self, node: ast.Call) -> Value:
        """What a call gives."""
        raise NotImplementedError


LIMITS = {("fp32", "min"): "-3.4028234663852886e38", ("fp32", "max"): "3.4028234663852886e38"}
"""The limits of a dtype, which NKI 0.1 had names for."""


def called(call: PendingCall, dst: str) -> str:
    """The text of a call that writes its result there."""
    words = [f"dst={dst}", *(f"{word}={text}" for word, text in call.arguments)]
    return f"{call.module}.{call.name}({', '.join(words)})"


def factor(text: str) -> str:
    """An expression as part of a product."""
    return text if text.replace(".", "").replace("_", "").isalnum() else f"({text})"


def outermost(parts: list[tuple[int, int, str]]) -> list[tuple[int, int, str]]:
    """Those of some parts of a text that are in no other one."""
    kept: list[tuple[int, int, str]] = []
    for part in sorted(parts, key=lambda p: (p[0], -p[1])):
        if not kept or part[0] >= kept[-1][1]:
            kept.append(part)
    return kept
