"""Assignments of a kernel: to names, and to elements of tiles."""

from __future__ import annotations

import ast
import re
from collections.abc import Sequence

from nasm.base.records import replace
from nasm.nki.applying import COMMUTING
from nasm.nki.migrating.expressions import called
from nasm.nki.migrating.instruction_calls import InstructionCalls
from nasm.nki.migrating.polynomials import ONE
from nasm.nki.migrating.source_text import SourceText
from nasm.nki.migrating.tile_shapes import aligned
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

AUGMENTED = {ast.Add: "add", ast.Sub: "subtract", ast.Mult: "multiply", ast.Div: "divide"}
REDUCED = re.compile(r"\.(sum|max|min|mean|var|prod|all)\(")
"""A tile that has another shape than its operand."""


class Assignments:
    """The assignments of a function; ``starts`` is with which number its loops begin."""

    def __init__(self, source: SourceText, expressions: InstructionCalls) -> None:
        self.source, self.expressions = source, expressions
        self.modules = expressions.modules
        self.starts: dict[str, str] = {}

    def assigned(self, node: ast.stmt, target: ast.expr, value: ast.expr) -> list[str]:
        """What becomes of an assignment."""
        match target, value:
            case ast.Name(id=name), ast.Call(func=ast.Attribute(value=owner, attr="loop_reduce")):
                if self.expressions.module_of(owner) == "nl":
                    return self._reduced(node, name, value)
            case ast.Tuple(elts=names), _ if all(isinstance(n, ast.Name) for n in names):
                return self._several(node, target, names, value)
        found = self.expressions.value(value)
        match target:
            case ast.Name(id=name):
                return self._named(node, name, found)
            case ast.Subscript():
                return self._into(node, target, value, found)
        text = self.source.of(target)
        return [*self.expressions.prelude, f"{text} = {self.settled(node, found)}"]

    def _reduced(self, node: ast.stmt, name: str, call: ast.Call) -> list[str]:
        """``nl.loop_reduce``: the first round makes the tile, later ones combine with it."""
        expressions, nl = self.expressions, self.modules["nl"]
        given = expressions.arguments(call, ("x", "op", "loop_indices"))
        words = given["loop_indices"]
        loops = words.elts if isinstance(words, ast.List | ast.Tuple) else []
        names = [one.id for one in loops if isinstance(one, ast.Name)]
        if not names or len(names) != len(loops) or any(n not in self.starts for n in names):
            raise Untranslatable(node, "nl.loop_reduce over loops that are not in sight")
        tile = expressions.masked(given["x"], expressions.mask(given))
        if not tile.text.isidentifier():
            tile = replace(tile, text=expressions.temporary(), part=False)
            expressions.prelude.append(f"{tile.text} = {expressions.text(given['x'])}")
        op = expressions.operator(given["op"])
        op = {"max": "maximum", "min": "minimum", "sum": "add"}.get(op.rpartition(".")[2], "") or op
        op = op if "." in op else f"{nl}.{op}"
        kind = f", dtype={expressions.text(given['dtype'])}" if "dtype" in given else ""
        first = " and ".join(f"{word} == {self.starts[word]}" for word in names)
        expressions.names[name] = replace(tile, text=name, memory="sbuf", part=False)
        expressions.count("reductions over a loop combine with the tile of its first round")
        whole = OldTensor(name, "sbuf", tile.full or tile.sizes)
        cut, _ = aligned(whole, tile)
        assert isinstance(cut, OldTensor)
        combined = f"dst={cut.text}, data1={cut.text}, data2={tile.text}, op={op}"
        return [
            *expressions.prelude,
            f"if {first}:",
            f"    {name} = {nl}.copy({tile.text}{kind})",
            "else:",
            f"    {self.modules['nisa']}.tensor_tensor({combined})",
        ]

    def settled(self, node: ast.AST, value: Value) -> str:
        """The text of a value; what it takes to make it goes first."""
        if isinstance(value, PendingCall):
            return self.expressions.made(value).text
        return text_of(node, value)

    def _named(self, node: ast.stmt, name: str, value: Value) -> list[str]:
        expressions = self.expressions
        expressions.names.pop(name, None)
        match value:
            case IndexVector() | MeshVectors() | AffineMask():
                if isinstance(value, IndexVector) and not value.sizes:
                    return [self.source.of(node)]
                expressions.names[name] = value
                return []
            case PendingCall():
                if name in (text for _, text in value.arguments) or value.given:
                    made = expressions.made(value)
                    expressions.prelude.append(f"{name} = {made.text}")
                else:
                    made = expressions.made(value, name)
                sizes, full = made.sizes, made.full
                expressions.names[name] = OldTensor(
                    name, made.memory, sizes, f"{name}.dtype", full=full
                )
                return expressions.prelude
            case OldTensor():
                expressions.names[name] = replace(value, text=name, combines=None)
                return [*expressions.prelude, f"{name} = {fitted(value.text)}"]
        return [*expressions.prelude, f"{name} = {fitted(value.text)}"]

    def _several(
        self, node: ast.stmt, target: ast.expr, names: Sequence[ast.expr], value: ast.expr
    ) -> list[str]:
        words = [name.id for name in names if isinstance(name, ast.Name)]
        if isinstance(value, ast.Tuple) and len(value.elts) == len(words):
            values = [self.expressions.value(one) for one in value.elts]
            if all(isinstance(one, IndexVector | AffineMask) for one in values):
                self.expressions.names.update(zip(words, values, strict=True))
                return []
            texts = [self.settled(node, one) for one in values]
            for word, one, text in zip(words, values, texts, strict=True):
                self.expressions.names.pop(word, None)
                if isinstance(one, OldTensor | PendingCall):
                    like = one.result if isinstance(one, PendingCall) else one
                    self.expressions.names[word] = OldTensor(word, like.memory, like.sizes, "")
                del text
            return [*self.expressions.prelude, f"{self.source.of(target)} = {', '.join(texts)}"]
        found = self.expressions.value(value)
        if isinstance(found, MeshVectors) and len(found.axes) == len(words):
            self.expressions.names.update(zip(words, found.axes, strict=True))
            return []
        for word in words:
            self.expressions.names.pop(word, None)
        text = self.settled(node, found)
        return [*self.expressions.prelude, f"{self.source.of(target)} = {text}"]

    # -- elements of tiles

    def _into(
        self, node: ast.stmt, target: ast.Subscript, value: ast.expr, found: Value
    ) -> list[str]:
        into = self.expressions.value(target)
        if not isinstance(into, OldTensor):
            text = self.settled(node, found)
            return [*self.expressions.prelude, f"{text_of(node, into)} = {text}"]
        if into.blocks:
            raise Untranslatable(node, "several blocks at once: today a list of tiles")
        nisa = self.modules["nisa"]
        result = found.result if isinstance(found, PendingCall) else found
        if isinstance(result, OldTensor):
            cut, _ = aligned(into, result)
            assert isinstance(cut, OldTensor)
            into = cut
        match found:
            case PendingCall():
                if not self._direct(into, found.result):
                    made = self.expressions.made(found)
                    return [*self.expressions.prelude, self._copy(into, made.text)]
                return [*self.expressions.prelude, called(found, into.text)]
            case PythonValue(text):
                return [*self.expressions.prelude, f"{nisa}.memset(dst={into.text}, value={text})"]
            case OldTensor():
                return [*self.expressions.prelude, self._written(node, into, value, found)]
        raise Untranslatable(node, "an index vector or a mask as a value")

    def _direct(self, into: OldTensor, result: OldTensor) -> bool:
        """Whether a call may write there, and not into a tile that is copied there."""
        if result.memory != into.memory and into.memory:
            return False
        mine, theirs = (one.dtype.replace("np.", "nl.") for one in (result, into))
        if mine == theirs or mine.endswith(".float32"):
            return True
        if mine and theirs and "." not in mine.partition("nl.")[2] and "nl." in theirs:
            return mine.partition("nl.")[1] == ""
        return True

    def _copy(self, into: OldTensor, text: str) -> str:
        return f"{self.modules['nisa']}.tensor_copy(dst={into.text}, src={text})"

    def _written(self, node: ast.stmt, into: OldTensor, value: ast.expr, found: OldTensor) -> str:
        """A tile written into elements of another: by the call that makes it, where it is one."""
        nl, nisa = self.modules["nl"], self.modules["nisa"]
        combined = self._combined(into, found)
        if combined:
            return combined
        parsed = ast.parse(found.text, mode="eval").body
        if isinstance(parsed, ast.Call) and isinstance(parsed.func, ast.Attribute):
            name, words = parsed.func.attr, [ast.unparse(one) for one in parsed.args]
            of_nl = ast.unparse(parsed.func.value) == nl
            if of_nl and name == "load" and not parsed.keywords:
                return f"{nisa}.dma_copy(dst={into.text}, src={words[0]})"
            if of_nl and name == "copy" and not parsed.keywords:
                return self._copy(into, words[0])
            if of_nl and name in ("exp", "square", "tanh", "sigmoid", "relu", "silu", "gelu"):
                return f"{nisa}.activation(dst={into.text}, op={nl}.{name}, data={words[0]})"
            if of_nl or parsed.func.attr == "reshape":
                at = node.lineno
                self.expressions.remark(f"line {at}: a tile, and a copy of it to its place")
        if into.memory == "hbm" or found.memory == "hbm":
            return f"{nisa}.dma_copy(dst={into.text}, src={found.text})"
        return self._copy(into, found.text)

    def _combined(self, into: OldTensor, found: OldTensor) -> str:
        """An operator of tiles written into elements of another; empty if it takes a copy."""
        if found.combines is None or into.memory == "hbm":
            return ""
        name, left, right = found.combines
        nl, nisa = self.modules["nl"], self.modules["nisa"]
        sizes = [v.sizes if isinstance(v, OldTensor) else None for v in (left, right)]
        if not isinstance(left, OldTensor) or not isinstance(right, OldTensor):
            tile, number = (left, right) if isinstance(left, OldTensor) else (right, left)
            assert isinstance(tile, OldTensor)
            assert isinstance(number, PythonValue)
            turned = isinstance(left, PythonValue) and name not in COMMUTING
            more = ", reverse0=True" if turned else ""
            return (
                f"{nisa}.tensor_scalar(dst={into.text}, data={tile.text}, op0={nl}.{name}, "
                f"operand0={number.text}{more})"
            )
        if sizes[0] != sizes[1] and (None not in sizes or REDUCED.search(left.text + right.text)):
            return ""
        return (
            f"{nisa}.tensor_tensor(dst={into.text}, data1={left.text}, data2={right.text}, "
            f"op={nl}.{name})"
        )

    def augmented(
        self, node: ast.stmt, target: ast.expr, op: ast.operator, value: ast.expr
    ) -> list[str]:
        """What becomes of an assignment with an operator."""
        into, found = self.expressions.value(target), self.expressions.value(value)
        if not isinstance(into, OldTensor):
            if isinstance(found, IndexVector):
                raise Untranslatable(node, "an index vector that changes")
            text = self.settled(node, found)
            return [
                *self.expressions.prelude,
                self.source.replaced(node, [(*self.source.span(value), text)]),
            ]
        name = AUGMENTED.get(type(op))
        if name is None or (name == "divide"):
            raise Untranslatable(node, "an operator in place that no instruction does")
        product = isinstance(found, PendingCall) and found.name == "nc_matmul"
        if product and name == "add" and into.memory == "psum":
            assert isinstance(found, PendingCall)
            return [*self.expressions.prelude, self._summed(node, into, found)]
        nl, nisa = self.modules["nl"], self.modules["nisa"]
        text, here = self.settled(node, found), into.text
        result = found.result if isinstance(found, PendingCall) else found
        same = isinstance(result, OldTensor) and (
            result.sizes == into.sizes
            or ((result.sizes is None or into.sizes is None) and not REDUCED.search(result.text))
        )
        if isinstance(found, PythonValue):
            line = (
                f"{nisa}.tensor_scalar(dst={here}, data={here}, op0={nl}.{name}, operand0={text})"
            )
        elif same:
            line = f"{nisa}.tensor_tensor(dst={here}, data1={here}, data2={text}, op={nl}.{name})"
        elif isinstance(result, OldTensor) and result.sizes and result.sizes[1:] == (ONE,):
            line = (
                f"{nisa}.tensor_scalar(dst={here}, data={here}, op0={nl}.{name}, operand0={text})"
            )
        else:
            self.expressions.remark(
                f"line {node.lineno}: a tile, and a copy of it: the shapes are not in sight"
            )
            line = self._copy(into, f"{nl}.{name}({here}, {text})")
        return [*self.expressions.prelude, line]

    def _summed(self, node: ast.stmt, into: OldTensor, found: PendingCall) -> str:
        """A product that is added to what is in PSUM."""
        if not into.summed:
            self.expressions.remark(
                f"line {node.lineno}: the first product into a place overwrites it"
            )
        return called(found, into.text)


def fitted(text: str) -> str:
    """An expression that a statement can be made of: in parentheses if it has several lines."""
    try:
        ast.parse(text)
    except SyntaxError:
        return f"({text})"
    return text


def text_of(node: ast.AST, value: Value) -> str:
    """The text of a value that needs nothing made before."""
    if isinstance(value, PythonValue | OldTensor):
        return fitted(value.text)
    raise Untranslatable(node, "an index vector or a mask as a value")
