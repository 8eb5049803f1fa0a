"""Statements of a kernel, each written in today's dialect or left as it is with the reason."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from nasm.base.records import dataclass, field
from nasm.nki.migrating.assignments import Assignments, text_of
from nasm.nki.migrating.expressions import Expressions, called
from nasm.nki.migrating.instruction_calls import InstructionCalls
from nasm.nki.migrating.modules_text import imported
from nasm.nki.migrating.source_text import SourceText
from nasm.nki.migrating.values import OldTensor, PendingCall, Untranslatable, Value

COMPOUND = (ast.For, ast.If, ast.While, ast.With, ast.FunctionDef, ast.ClassDef, ast.Try)


@dataclass(slots=True)
class Edits:
    """What becomes of a text: parts with what replaces them, what is left, what to look at."""

    parts: list[tuple[int, int, str]] = field(default_factory=list)
    left: list[tuple[int, str]] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    counts: dict[str, int] = field(default_factory=dict)


class Statements:
    """The statements of a function, or of a file."""

    def __init__(
        self,
        source: SourceText,
        modules: dict[str, str],
        edits: Edits,
        outer: Statements | None = None,
    ) -> None:
        self.source, self.modules, self.edits = source, modules, edits
        self.expressions = InstructionCalls(source, modules, edits.remarks.append)
        self.expressions.counts = edits.counts
        self.assignments = Assignments(source, self.expressions)
        self.returned: list[Value] = []
        if outer is not None:
            self.expressions.names = dict(outer.expressions.names)
            self.expressions.tiles_returned = outer.expressions.tiles_returned

    # -- bodies

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """Write statements one after the other."""
        gone = 0
        for number, one in enumerate(statements):
            last = number == len(statements) - 1
            if isinstance(one, COMPOUND):
                self._compound(one)
            elif self._simple(one, alone=last and gone == number):
                gone += 1

    def _simple(self, node: ast.stmt, alone: bool) -> bool:
        """Write a statement; whether nothing is left of it."""
        expressions = self.expressions
        expressions.prelude = []
        try:
            lines = self._lines(node)
        except Untranslatable as why:
            self._leave(node, why.line or node.lineno, why.reason)
            self._forget(node)
            return False
        if lines == [self.source.of(node)] or (
            len(lines) == 1 and _same_code(lines[0], self.source.of(node))
        ):
            return False
        self._replace(node, lines, alone)
        return not lines

    def _forget(self, node: ast.stmt) -> None:
        """Nothing is known of what a statement assigns that is left as it is."""
        for name in ast.walk(node):
            if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store):
                self.expressions.names.pop(name.id, None)

    def _leave(self, node: ast.stmt, line: int, reason: str) -> None:
        self.edits.left.append((line, reason))
        at = self.source.span(node)[0]
        if isinstance(node, ast.FunctionDef) and node.decorator_list:
            at = self.source.span(node.decorator_list[0])[0] - 1
        indent = self.source.indent(node.lineno)
        self.edits.parts.append((at, at, f"# NKI 0.1: {reason}\n{indent}"))

    def _replace(self, node: ast.stmt, lines: list[str], alone: bool) -> None:
        first, last = self.source.span(node)
        indent = self.source.indent(node.lineno)
        kept = self.source.comments(node.lineno, (node.end_lineno or node.lineno) - 1)
        text = [*kept, *(lines or (["pass"] if alone else []))]
        if not text:
            begin, end = self.source.line_start(node.lineno), self.source.text.find("\n", last)
            rest = self.source.text[last : end if end >= 0 else None]
            if not rest.strip() and not self.source.text[begin:first].strip():
                first, last = begin, (end + 1 if end >= 0 else len(self.source.text))
            elif rest.strip().startswith("#"):
                last += len(rest) - len(rest.lstrip())
            else:
                self._leave(node, node.lineno, "an index vector made next to another statement")
                return
        self.edits.parts.append((first, last, f"\n{indent}".join(text)))

    # -- simple statements

    def _lines(self, node: ast.stmt) -> list[str]:
        expressions = self.expressions
        match node:
            case ast.Import() | ast.ImportFrom():
                return imported(node, self.source.of(node), self.modules)
            case ast.Assign(targets=[target], value=value):
                return self.assignments.assigned(node, target, value)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self.assignments.assigned(node, target, value)
            case ast.AugAssign(target=target, op=op, value=value):
                return self.assignments.augmented(node, target, op, value)
            case ast.Expr(value=ast.Constant()):
                return [self.source.of(node)]
            case ast.Expr(value=value):
                found = expressions.value(value)
                if isinstance(found, PendingCall):
                    if found.given:
                        return [*expressions.prelude, called(found, found.result.text)]
                    expressions.made(found)
                    return expressions.prelude
                return [*expressions.prelude, text_of(node, found)]
            case ast.Return(value=ast.expr() as value):
                return self._return(node, value)
        if isinstance(node, ast.Assert):
            text = expressions.plain(node)
            return [*expressions.prelude, text]
        return [self.source.of(node)]

    def _return(self, node: ast.stmt, value: ast.expr) -> list[str]:
        found = self.expressions.value(value)
        self.returned.append(found)
        tile = found.result if isinstance(found, PendingCall) else found
        if not isinstance(tile, OldTensor) or tile.memory not in ("sbuf", "psum"):
            return [*self.expressions.prelude, f"return {self.assignments.settled(node, found)}"]
        if not self.kernel or tile.blocks:
            return [*self.expressions.prelude, f"return {self.assignments.settled(node, found)}"]
        text, nl = self.assignments.settled(node, found), self.modules["nl"]
        made, out = text, self.expressions.temporary()
        if tile.memory == "psum":
            made = f"{nl}.copy({text})"
        return [
            *self.expressions.prelude,
            f"{out} = {nl}.ndarray({text}.shape, dtype={text}.dtype, buffer={nl}.shared_hbm)",
            f"{nl}.store({out}, {made})",
            f"return {out}",
        ]

    kernel = False
    """Whether it is the body of a kernel, and not of a function that kernels call."""

    # -- compound statements

    def _compound(self, node: ast.stmt) -> None:
        if isinstance(node, ast.FunctionDef):
            self._function(node)
            return
        try:
            self._headed(node)
        except Untranslatable as why:
            self._leave(node, why.line or node.lineno, why.reason)
        for name in ("body", "handlers", "orelse", "finalbody"):
            for part in [getattr(node, name, [])]:
                inner = [
                    s for h in part for s in (h.body if isinstance(h, ast.ExceptHandler) else [h])
                ]
                self.body(inner)

    def _headed(self, node: ast.stmt) -> None:
        """The expressions in front of a body."""
        expressions = self.expressions
        expressions.prelude = []
        found: list[ast.expr] = []
        match node:
            case ast.For(target=target, iter=given):
                self._starts(target, given)
                for name in ast.walk(target):
                    if isinstance(name, ast.Name):
                        expressions.names.pop(name.id, None)
                found = [given]
            case ast.If(test=test) | ast.While(test=test):
                found = [test]
            case ast.With(items=items):
                found = [item.context_expr for item in items]
        for one in found:
            text = expressions.text(one)
            if expressions.prelude:
                raise Untranslatable(one, "an instruction in front of a body: write it before")
            if text != self.source.of(one):
                self.edits.parts.append((*self.source.span(one), text))

    def _starts(self, target: ast.expr, given: ast.expr) -> None:
        """Keep with which number a loop begins."""
        if isinstance(target, ast.Name) and isinstance(given, ast.Call) and given.args:
            first = given.args[0] if len(given.args) > 1 else None
            self.assignments.starts[target.id] = "0" if first is None else self.source.of(first)

    def _function(self, node: ast.FunctionDef) -> None:
        inner = Statements(self.source, self.modules, self.edits, self)
        for decorator in node.decorator_list:
            self._decorated(decorator, inner)
        names = inner.expressions.names
        self._annotations(node)
        for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs):
            names.pop(one.arg, None)
            if _is_tensor(node, one.arg, inner.expressions):
                names[one.arg] = OldTensor(
                    one.arg, "hbm" if inner.kernel else "", None, f"{one.arg}.dtype"
                )
        inner.body(node.body)
        if any(isinstance(value, OldTensor | PendingCall) for value in inner.returned):
            self.expressions.tiles_returned.add(node.name)

    def _annotations(self, node: ast.FunctionDef) -> None:
        """Annotations that name a tensor as ``nki`` did."""
        for one in ast.walk(node.args):
            if isinstance(one, ast.Attribute) and one.attr == "tensor":
                self._annotation(one)
        if isinstance(node.returns, ast.Attribute) and node.returns.attr == "tensor":
            self._annotation(node.returns)

    def _annotation(self, node: ast.Attribute) -> None:
        if self.expressions.module_of(node.value) == "nki":
            span = self.source.span(node)
            self.edits.parts.append((*span, f"{self.modules['nl']}.tensor"))

    def _decorated(self, node: ast.expr, inner: Statements) -> None:
        """A decorator as today's dialect has it."""
        named = node.func if isinstance(node, ast.Call) else node
        text = ast.unparse(named)
        word = text.rpartition(".")[2]
        known = self.expressions.module_of(named.value) if isinstance(named, ast.Attribute) else ""
        nki = self.modules["nki"]
        if known == "ncc" or text.startswith(f"{nki}.compiler."):
            self._line_out(node)
        elif (known == "nki" or text in self.modules.values() or word in ("jit", "trace")) and (
            word in ("jit", "trace", "baremetal")
        ):
            inner.kernel = True
            if self.source.of(node) != f"{nki}.jit":
                self.edits.parts.append((*self.source.span(node), f"{nki}.jit"))
        elif known == "nki":
            inner.kernel = True
            self.edits.left.append((node.lineno, f"nki.{word}: nasm.nki.run has the time of a run"))

    def _line_out(self, node: ast.expr) -> None:
        start, last = self.source.line_start(node.lineno), self.source.span(node)[1]
        end = self.source.text.find("\n", last)
        self.edits.parts.append((start, end + 1, ""))


def _same_code(one: str, other: str) -> bool:
    """Whether two statements differ in blanks and parentheses at most."""
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except SyntaxError:
        return False


def _is_tensor(node: ast.FunctionDef, name: str, expressions: Expressions) -> bool:
    """Whether a function uses a parameter as a tensor."""
    for one in ast.walk(node):
        match one:
            case ast.Attribute(value=ast.Name(id=owner), attr="shape" | "dtype"):
                if owner == name:
                    return True
            case ast.Subscript(value=ast.Name(id=owner)):
                if owner == name:
                    return True
            case ast.Call(func=ast.Attribute(attr="load" | "store"), args=[ast.Name(id=owner), *_]):
                if owner == name:
                    return True
            case ast.keyword(arg="src" | "data" | "dst" | "moving", value=ast.Name(id=owner)):
                if owner == name:
                    return True
    return False
