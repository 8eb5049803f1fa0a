"""From a tree to a program: directives, loops and lines, one after the other.

Every statement is handled by the method its class names in :data:`Expander.HANDLERS`. A line is
compiled once; what it makes is remembered by the values of the loop variables it mentions, so a
line of a nested loop is worked out once per combination that matters to it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from nasm.asm import tree
from nasm.asm.builder import Builder, Made
from nasm.asm.evaluate import (
    Closure,
    Scope,
    compile_name,
    compile_node,
    evaluate,
    free_names,
    name_of,
    number_of,
    truth,
)
from nasm.problems import Failure, Note, Problem, Refused, did_you_mean, listed
from nasm.source import Frame, Source, Span
from nasm.spec.instruction import Instruction
from nasm.spec.kinds import shown
from nasm.spec.memory import Tensor
from nasm.spec.program import Program, Update, Wait
from nasm.spec.target import Loader, Target
from nasm.spec.view import View

MOST_ROUNDS = 20_000_000
"""A loop longer than this is a slip of the pen: it would take minutes and gigabytes."""

MOST_PROBLEMS = 50
"""Problems of one file after which expansion stops: the rest would be more of the same."""


@dataclass(slots=True)
class CompiledLine:
    """An instruction line ready to be evaluated again and again."""

    row: Instruction
    given: list[Closure]
    named: dict[str, Closure]
    wait: Callable[[Scope], Wait] | None
    update: Callable[[Scope], Update] | None
    free: tuple[str, ...]
    span: int
    places: Callable[[str], Span | None]
    made: dict[tuple[object, ...], Made]


class Expander:
    """Walks a text's statements and drives a builder."""

    def __init__(
        self,
        source: Source,
        targets: Mapping[str, Loader],
        target: str | None = None,
        defines: Mapping[str, int | float] | None = None,
    ) -> None:
        self.source = source
        self.targets = targets
        self.override = target
        self.defines = dict(defines or {})
        self.defined: set[str] = set()
        self.scope = Scope(source)
        self.problems: list[Problem] = []
        self.builder: Builder | None = None
        self.engine: str | None = None
        self.lines: dict[tuple[int, str], CompiledLine | None] = {}
        self.chain = 0
        self.local: set[str] = set()
        self.broken: set[int] = set()

    # -- the whole

    def program(self, body: Iterable[tree.Statement]) -> Program | None:
        """Expand all statements; None if there were problems (in :attr:`problems`)."""
        self.run(body)
        for name in sorted(set(self.defines) - self.defined):
            consts = [n for n in self.scope.values if n not in self.local]
            self.problems.append(
                Problem("E0213", f"-D {name}: the program declares no constant '{name}'", None,
                        did_you_mean(name, consts))
            )  # fmt: skip
        if self.builder is None:
            if not self.problems:
                self._need_target(self.source.text and 0 or 0)
            return None
        self.builder.problems[:0] = self.problems
        return self.builder.finish()

    def run(self, statements: Iterable[tree.Statement]) -> None:
        """Expand statements one by one; a broken one costs only itself."""
        for statement in statements:
            if len(self.problems) >= MOST_PROBLEMS:
                return
            if self.builder is None and not isinstance(statement, tree.TargetLine | tree.Version):
                if not self.broken:
                    self._need_target(statement.start, statement.end)
                self.broken.add(-1)
                return
            handler = self.HANDLERS[type(statement)]
            if id(statement) in self.broken:
                continue
            try:
                handler(self, statement)
            except Refused as refused:
                self._report(statement, [refused.at(self._span(statement))])
            except Failure as failure:
                self._report(statement, [p.at(self._span(statement)) for p in failure.problems])

    def _report(self, statement: tree.Statement, problems: Iterable[Problem]) -> None:
        """Keep a problem; a statement that failed is not tried again in another round."""
        self.problems += problems
        self.broken.add(id(statement))

    def _span(self, node: tree.Node) -> Span:
        return self.scope.span(node)

    def _need_target(self, start: int, end: int = 0) -> None:
        names = listed(sorted(self.targets))
        self.problems.append(
            Problem(
                "E0214", "the program does not say for which machine it is",
                Span(self.source, start, max(end, start)),
                f"begin with .target NAME, one of {names}, or give --target",
            )
        )  # fmt: skip

    @property
    def made(self) -> Builder:
        """The builder, once the target is known."""
        assert self.builder is not None
        return self.builder

    # -- target and constants

    def version(self, statement: tree.Version) -> None:
        """``.nasm 1``."""
        number = evaluate(statement.number, self.scope)
        if number != 1:
            raise Refused("E0215", f"version {shown(number)} of the language; this is nasm 1")

    def target(self, statement: tree.TargetLine) -> None:
        """``.target trn1``: loads the target and starts the builder."""
        if self.builder is not None:
            raise Refused("E0215", ".target stands once, before the rest")
        self.use_target(self.override or statement.name.name)

    def use_target(self, name: str) -> None:
        """Start building for a target by name."""
        loader = self.targets.get(name)
        if loader is None:
            raise Refused(
                "E0214", f"no target '{name}'",
                did_you_mean(name, self.targets) or f"targets: {listed(sorted(self.targets))}",
            )  # fmt: skip
        target: Target = loader()
        generation = target.generation(name)
        assert generation is not None
        self.builder = Builder(target, generation)
        self.scope.tensors = self.builder.program.tensors
        self.scope.transfers = self.builder.program.transfers
        self.scope.place = self.builder.place
        self.scope.declared = self.builder.declared_at

    def const(self, statement: tree.Const) -> None:
        """``.const N = 512, K = N // 4``."""
        for item in statement.items:
            name = item.name
            if name in self.scope.values:
                raise Failure(
                    Problem("E0202", f"'{name}' is a constant already", self._span(item))
                )
            self.made._new_name(name, self._span(item)) if not self.local else None
            value = evaluate(item.value, self.scope)
            if isinstance(value, View):
                raise Failure(
                    Problem("E0210", f"a constant is a number, found {shown(value)}",
                            self._span(item.value))
                )  # fmt: skip
            self.scope.values[name] = self.defines.get(name, value)
            self.defined.add(name)

    # -- declarations

    def tensor(self, statement: tree.TensorLine) -> None:
        """``.sbuf t bf16[128, 512] @ P:B`` and its like."""
        scope = self.scope
        name = name_of(statement.name, scope)
        shape = [evaluate(n, scope) for n in statement.shape]
        partition = offset = bank = None
        if statement.place is not None:
            how, first, second = statement.place
            if how == "bank":
                bank = self._whole(first)
            else:
                assert second is not None
                partition, offset = self._whole(first), self._whole(second)
        role = statement.role.name if statement.role else ""
        if role not in ("", "input", "output", "inout"):
            assert statement.role is not None
            raise Failure(
                Problem("E0216", f"no role '{role}'", self._span(statement.role),
                        did_you_mean(role, ("input", "output", "inout"))
                        or "a tensor is input, output, inout or nothing")
            )  # fmt: skip
        place = self._span(statement.name)
        init = self._init(statement.init) if statement.init is not None else None
        tensor = self._at(
            statement, lambda: self.made.tensor(
                statement.space.name, name, statement.dtype.name, shape, role=role, init=init,
                partition=partition, offset=offset, bank=bank, span=place,
            ),
        )  # fmt: skip
        self._unconstant(name, tensor, place)

    def _at(self, statement: tree.TensorLine, make: Callable[[], Tensor]) -> Tensor:
        """Make a tensor; what is refused is pointed at where it is written."""
        parts = {"E0204": statement.space, "E0205": statement.dtype}
        try:
            return make()
        except Refused as refused:
            raise Failure(refused.at(self._span(parts.get(refused.code, statement.name)))) from None

    def _unconstant(self, name: str, tensor: Tensor, place: Span) -> None:
        if name in self.scope.values:
            raise Failure(Problem("E0202", f"'{name}' is a constant already", place))

    def _whole(self, node: tree.Node) -> int:
        value = evaluate(node, self.scope)
        if isinstance(value, bool) or not isinstance(value, int):
            raise Failure(
                Problem("E0210", f"wanted an integer, found {shown(value)}", self._span(node))
            )
        return value

    def _init(self, node: tree.Node) -> object:
        """An initialiser as data: ``("random", 1)``, ``("file", path, key)``, ``("list", …)``."""
        if isinstance(node, tree.Name) and node.name in ("zeros", "iota"):
            return (node.name,)
        if isinstance(node, tree.Call) and node.function.name in ("random", "normal"):
            return (node.function.name, self._seed(node))
        if isinstance(node, tree.Text):
            path, _, key = node.value.partition(":")
            if not path.endswith((".npy", ".npz")) or (key != "") != path.endswith(".npz"):
                raise Failure(
                    Problem("E0217", f'"{node.value}" is not an array file', self._span(node),
                            'write "file.npy", or "file.npz:key"')
                )  # fmt: skip
            return ("file", os.path.join(os.path.dirname(self.source.name), path), key)
        if isinstance(node, tree.List):
            return ("list", evaluate(node, self.scope))
        raise Failure(
            Problem("E0217", "no such initialiser", self._span(node),
                    "an initialiser is zeros, iota, random(seed=1), normal(seed=1), a file or a list")
        )  # fmt: skip

    def _seed(self, node: tree.Call) -> int:
        seed: object = 0
        for argument in node.arguments:
            named = isinstance(argument, tree.Named)
            if named and argument.name != "seed":  # type: ignore[attr-defined]
                raise Failure(
                    Problem("E0217", "an initialiser takes a seed only", self._span(argument))
                )
            value = argument.value if isinstance(argument, tree.Named) else argument
            seed = evaluate(value, self.scope)
        if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
            raise Failure(
                Problem("E0217", f"a seed is an integer from 0 on, found {shown(seed)}",
                        self._span(node))
            )  # fmt: skip
        return seed

    def semaphores(self, statement: tree.SemLine) -> None:
        """``.sem a, b = 7``."""
        if statement.kind == "event":
            raise Refused("E0601", ".event: one-bit events are not supported yet", "use a .sem")
        for name, number in statement.items:
            wanted = None if number is None else self._whole(number)
            place = self._span(name)
            try:
                self.made.semaphore(name_of(name, self.scope), wanted, place)
            except Refused as refused:
                raise Failure(refused.at(place)) from None

    def dma(self, statement: tree.DmaBlock) -> None:
        """``.dma name queue=Q … .end``."""
        moves = []
        for dst, src in statement.moves:
            pair = evaluate(dst, self.scope), evaluate(src, self.scope)
            for node, view in zip((dst, src), pair, strict=True):
                if not isinstance(view, View):
                    raise Failure(
                        Problem("E0301", f"wanted a tensor, found {shown(view)}", self._span(node))
                    )
            moves.append(pair)
        if not moves:
            raise Refused("E0318", "a .dma block needs a line 'dst <- src'")
        options: dict[str, object] = {}
        for option in statement.options:
            if option.name != "queue":
                raise Failure(
                    Problem("E0309", f".dma has no option '{option.name}'", self._span(option),
                            "its one option is queue=0 to 15")
                )  # fmt: skip
            options["queue"] = self._whole(option.value)
            rings = self.made.generation.rings
            if not 0 <= options["queue"] < rings:
                raise Failure(
                    Problem("E0301", f"queue={options['queue']}; wanted 0 to {rings - 1}",
                            self._span(option))
                )  # fmt: skip
        self.made.transfer(
            name_of(statement.name, self.scope), moves, options, self._span(statement.name)
        )

    # -- control

    def loop(self, statement: tree.For) -> None:
        """``.for k in a..b step s``."""
        first, stop = self._whole(statement.first), self._whole(statement.stop)
        step = 1 if statement.step is None else self._whole(statement.step)
        if step == 0:
            raise Refused("E0218", "a loop with step 0 does not end")
        rounds = range(first, stop, step)
        if len(rounds) > MOST_ROUNDS:
            raise Refused("E0218", f"a loop of {len(rounds):,} rounds; wanted at most {MOST_ROUNDS:,}")
        name = statement.variable.name
        if name in self.scope.values or name in self.scope.tensors:
            raise Failure(
                Problem("E0202", f"'{name}' means something else already",
                        self._span(statement.variable))
            )  # fmt: skip
        place = Span(self.source, statement.variable.start, statement.variable.end)
        for value in rounds:
            self._round(name, value, place, statement.body)
            if len(self.problems) >= MOST_PROBLEMS:
                break

    def _round(
        self, name: str, value: int, place: Span, body: tuple[tree.Statement, ...]
    ) -> None:
        """One round of a loop: its variable, and constants that last until its end."""
        scope = self.scope
        outer = dict(scope.values), scope.chain, self.chain, set(self.local)
        scope.values[name] = value
        self.local.add(name)
        scope.chain = (*scope.chain, Frame(f".for {name} = {value}", place))
        self.chain = -1
        self.run(body)
        scope.values, scope.chain, self.chain, self.local = outer

    def choose(self, statement: tree.If) -> None:
        """``.if`` … ``.elif`` … ``.else``."""
        for condition, body in statement.branches:
            if condition is None or truth(evaluate(condition, self.scope), ".if"):
                self.run(body)
                return

    def claim(self, statement: tree.Assert) -> None:
        """``.assert e, "message"``."""
        if truth(evaluate(statement.condition, self.scope), ".assert"):
            return
        message = ""
        if statement.message is not None:
            message = f": {evaluate(statement.message, self.scope)}"
        raise Failure(Problem("E0219", f"the assertion fails{message}",
                              self._span(statement.condition)))  # fmt: skip

    def expect(self, statement: tree.Expect) -> None:
        """``.expect``: kept as it is, with what names mean here."""
        self.made.expect((statement, dict(self.scope.values)), self._span(statement))

    def unsupported(self, statement: tree.Unsupported) -> None:
        """A directive the language has and this version does not do yet."""
        name = statement.directive.name.lstrip(".")
        raise Failure(
            Problem("E0602", f".{name} is not supported yet", self._span(statement.directive))
        )

    # -- instructions

    def line(self, statement: tree.Line) -> None:
        """A label, an engine, an instruction: any of them may be absent."""
        builder = self.made
        engine = self.engine
        if statement.engine is not None:
            try:
                engine = builder.generation.engine(statement.engine.name).name
            except Refused as refused:
                raise Failure(refused.at(self._span(statement.engine))) from None
            if statement.mnemonic is None and statement.label is None:
                self.engine = engine
                return
        if engine is None:
            engines = listed(f"@{e.name}" for e in builder.generation.engines)
            raise Refused(
                "E0220", "no engine is chosen for this line", f"put one of {engines} before it"
            )
        queue = builder.queue(engine)
        if statement.label is not None:
            place = self._span(statement.label)
            try:
                builder.label(queue, name_of(statement.label, self.scope), place)
            except Refused as refused:
                raise Failure(refused.at(place)) from None
        if statement.mnemonic is not None:
            self._instruction(statement, engine, queue)

    def _instruction(self, statement: tree.Line, engine: str, queue: int) -> None:
        key = (id(statement), engine)
        line = self.lines.get(key)
        if line is None:
            line = self.lines[key] = self._compile(statement)
        values = self.scope.values
        seen = tuple([values.get(name) for name in line.free])
        made = line.made.get(seen)
        if made is None:
            made = line.made[seen] = self._make(line, queue)
        if self.chain < 0:
            self.chain = self.made.chain(self.scope.chain)
        self.made.append(queue, made, line.span, self.chain)

    def _make(self, line: CompiledLine, queue: int) -> Made:
        scope = self.scope
        return self.made.make(
            queue,
            line.row,
            [g(scope) for g in line.given],
            {n: c(scope) for n, c in line.named.items()},
            line.wait(scope) if line.wait else None,
            line.update(scope) if line.update else None,
            line.places,
        )

    def _compile(self, statement: tree.Line) -> CompiledLine:
        assert statement.mnemonic is not None
        try:
            row = self.made.row(statement.mnemonic.name)
        except Refused as refused:
            raise Failure(refused.at(self._span(statement.mnemonic))) from None
        given, named, places = self._operands(row, statement)
        wait, update = self._sync(statement)
        place = Span(self.source, statement.mnemonic.start, statement.end)
        return CompiledLine(
            row, given, named, wait, update, tuple(sorted(free_names(statement))),
            self.made.span(place), lambda n: self._span(places[n]) if n in places else None, {},
        )  # fmt: skip

    def _operands(
        self, row: Instruction, statement: tree.Line
    ) -> tuple[list[Closure], dict[str, Closure], dict[str, tree.Node]]:
        given: list[Closure] = []
        named: dict[str, Closure] = {}
        places: dict[str, tree.Node] = {}
        written = row.written
        for node in statement.operands:
            if isinstance(node, tree.Named):
                operand = next((o for o in written if o.name == node.name), None)
                if operand is None:
                    names = [o.name for o in written]
                    raise Failure(
                        Problem("E0309", f"{row.name} has no operand '{node.name}'",
                                self._span(node), did_you_mean(node.name, names)
                                or f"its operands: {', '.join(names)}")
                    )  # fmt: skip
                if node.name in places:
                    raise Failure(
                        Problem("E0309", f"operand '{node.name}' is given twice", self._span(node))
                    )
                named[node.name] = self._operand(operand.kind, node.value)
                places[node.name] = node.value
                continue
            if named:
                raise Failure(
                    Problem("E0309", "an operand without a name after a named one",
                            self._span(node), "from the first named operand on, all are named")
                )  # fmt: skip
            if len(given) < len(written):
                places[written[len(given)].name] = node
                given.append(self._operand(written[len(given)].kind, node))
            else:
                given.append(compile_node(node))
        return given, named, places

    @staticmethod
    def _operand(kind: Any, node: tree.Node) -> Closure:
        words: tuple[str, ...] = kind.words
        if kind.names == "label" and isinstance(node, tree.Name | tree.Template):
            return compile_name(node)
        if words and isinstance(node, tree.Name):
            # a misspelt word is the kind's to refuse: it knows what the words are
            name = node.name

            def word(scope: Scope) -> Any:
                known = name in scope.values or name in scope.tensors
                plain = name in ("true", "false", "inf", "nan")
                return scope.lookup(name) if (known or plain) and name not in words else name

            return word if "true" not in words else compile_node(node)
        return compile_node(node, words)

    def _sync(
        self, statement: tree.Line
    ) -> tuple[Callable[[Scope], Wait] | None, Callable[[Scope], Update] | None]:
        waits = [s for s in statement.sync if isinstance(s, tree.Wait)]
        updates = [s for s in statement.sync if isinstance(s, tree.Update)]
        for kind, found in (("wait", waits), ("update", updates)):
            if len(found) > 1:
                raise Failure(
                    Problem(
                        "E0315", f"a second {kind}: an instruction carries one",
                        self._span(found[1]), f"an EventSemaphore line before or behind it can "
                        f"{kind} as well", (Note("the first one", self._span(found[0])),),
                    )
                )  # fmt: skip
        if waits and updates and waits[0].start > updates[0].start:
            raise Failure(
                Problem("E0316", "the wait stands before the update", self._span(waits[0]))
            )
        return (
            self._wait(waits[0]) if waits else None,
            self._update(updates[0]) if updates else None,
        )

    def _semaphore(self, node: tree.Name | tree.Template) -> Callable[[Scope], int]:
        name = compile_name(node)
        numbers = self.made.program.semaphores

        def number(scope: Scope) -> int:
            spelled = name(scope)
            found = numbers.get(spelled)
            if found is None:
                raise Failure(
                    Problem("E0206", f"no semaphore '${spelled}'", scope.span(node),
                            did_you_mean(spelled, numbers) or f"declare it: .sem {spelled}")
                )  # fmt: skip
            return found

        return number

    def _wait(self, node: tree.Wait) -> Callable[[Scope], Wait]:
        if node.op not in (">=", "=="):
            raise Failure(
                Problem("E0317", f"a wait compares with >= or ==, found {node.op}",
                        self._span(node))
            )  # fmt: skip
        semaphore, value, op = self._semaphore(node.name), compile_node(node.value), node.op
        return lambda scope: Wait(semaphore(scope), op, _word(value(scope), node, scope))

    def _update(self, node: tree.Update) -> Callable[[Scope], Update]:
        semaphore = self._semaphore(node.name)
        value = compile_node(node.value) if node.value is not None else None
        sign = -1 if node.op in ("--", "-=") else 1
        op = "=" if node.op == "=" else "+"

        def make(scope: Scope) -> Update:
            amount = 1 if value is None else _word(value(scope), node, scope)
            return Update(semaphore(scope), op, sign * amount, node.at_read)

        return make

    HANDLERS: ClassVar[dict[type, Callable[[Any, Any], None]]] = {
        tree.Version: version,
        tree.TargetLine: target,
        tree.Const: const,
        tree.TensorLine: tensor,
        tree.SemLine: semaphores,
        tree.DmaBlock: dma,
        tree.For: loop,
        tree.If: choose,
        tree.Assert: claim,
        tree.Expect: expect,
        tree.Unsupported: unsupported,
        tree.Line: line,
    }


def _word(value: Any, node: tree.Node, scope: Scope) -> int:
    number = number_of(value, "a semaphore")
    if not isinstance(number, int) or not -(2**31) <= number < 2**31:
        raise Failure(
            Problem("E0210", f"a semaphore counts in signed 32-bit integers, found {number}",
                    scope.span(node))
        )  # fmt: skip
    return number
