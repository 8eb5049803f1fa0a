"""Lines that are typed in after a program, one text after the other: the state they share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from nasm.base.problems import Failure, Problem, Refused, listed
from nasm.base.source import Source
from nasm.language.expanding import declare
from nasm.language.expanding.expand import Expander
from nasm.language.expanding.statements import Bodies
from nasm.language.text import tree
from nasm.program.builder import ProgramBuilder


class Continued(Expander):
    """Expands a text that continues where others ended, on their builder.

    ``values`` are the constants so far, ``engine`` and ``core`` what was chosen last. An engine
    that is not named is the chosen one, if it has the instruction, or the only one that has it:
    ``found`` says which, by where the instruction begins.
    """

    def __init__(
        self,
        source: Source,
        builder: ProgramBuilder,
        values: Mapping[str, Any],
        engine: str | None,
        core: int,
    ) -> None:
        super().__init__(source, {})
        self.found: dict[int, str] = {}
        self._drive(builder)
        self.engine, self.scope.core = engine, core
        self.scope.values.update(values)

    def version(self, statement: tree.Version) -> None:
        """``.nasm 1``, which a program begins with."""
        raise Refused("E0215", ".nasm is given once, before everything else")

    def macro(self, statement: tree.MacroStatement) -> None:
        """``.macro``: one of a file that is included once more is known."""
        before = self.macros.known.get(statement.name.name)
        if before is not None and self.scope.source is not self.source:
            same = before.source == self.scope.source
            if same and before.statement.start == statement.start:
                return
        super().macro(statement)

    def several(self, statement: tree.RanksLine) -> None:
        """``.ranks 4``, which a program says before it runs."""
        raise Refused("E0215", ".ranks is given once, before the program runs")

    def core(self, statement: tree.CoreLine) -> None:
        """``.core 1``: one of those that the machine was made with."""
        number, cores = declare.whole(statement.number, self.scope), self.made.program.cores
        if not 0 <= number < cores:
            have = f"cores 0 to {cores - 1}" if cores > 1 else "core 0 alone"
            message = f"no core {number} here: the machine was made with {have}"
            raise Failure(Problem("E0318", message, self._span(statement.number)))
        self.scope.core = number

    def _label(self, node: tree.Name | tree.Template, engine: str) -> None:
        """Refuse a label: it would name a place that nothing can branch to."""
        raise Failure(
            Problem(
                "E0207",
                "a label names a place in a program; what is typed is executed at once",
                self._span(node),
                "type the instruction alone; branches lead to labels of the program",
            )
        )

    def _engine(
        self, statement: tree.InstructionLine | tree.DrainLine | tree.WriteLine | tree.ForeignLine
    ) -> str | None:
        if statement.label is not None:
            self._label(statement.label, "")
        if not isinstance(statement, tree.InstructionLine):
            return super()._engine(statement)
        if statement.engine is not None or statement.mnemonic is None:
            return super()._engine(statement)
        builder = self.made
        row = builder.target.row(statement.mnemonic.name, builder.generation)
        if row is None:  # compiling the line reports it, whatever the engine
            return builder.generation.engines[0].name
        having = builder.target.engines(row, builder.generation)
        if self.engine in having or len(having) == 1:
            engine = self.engine if self.engine in having else having[0]
            if self.scope.source is not self.source or self.scope.expansion is not None:
                return engine or having[0]
            return self.found.setdefault(statement.mnemonic.start, engine or having[0])
        if not having:
            return builder.generation.engines[0].name
        raise Failure(
            Problem(
                "E0220",
                f"no engine is chosen, and {len(having)} have {row.name}",
                self._span(statement.mnemonic),
                f"put one before it: {listed((f'@{name}' for name in having), 'or')}",
            )
        )

    HANDLERS: ClassVar[dict[type, Callable[[Any, Any], Bodies | None]]] = {
        **Expander.HANDLERS,
        tree.Version: version,
        tree.CoreLine: core,
        tree.RanksLine: several,
        tree.MacroStatement: macro,
    }
