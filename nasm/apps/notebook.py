"""``%%nasm``: a cell of a notebook as a program, with the notebook's arrays in and out.

%load_ext nasm.apps.notebook
"""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from rich.console import RenderableType

from nasm.api import assemble, run
from nasm.apps.cli import shared_options as options
from nasm.apps.cli.programs import settings
from nasm.base.problems import Failure, Problem, quoted
from nasm.base.source import Source
from nasm.program.program import Program
from nasm.show import html, tables
from nasm.show.console import plain
from nasm.show.diagnostics import diagnostic

READ = ("input", "inout")
CELL = "<cell>"


def load_ipython_extension(shell: Any) -> None:
    """What ``%load_ext nasm.apps.notebook`` calls."""
    shell.register_magic_function(
        lambda line, cell: NotebookCell(shell, line, cell).run(), "cell", "nasm"
    )


class Shown:
    """Parts of a report, as a notebook shows them and as a terminal does."""

    def __init__(self, parts: Sequence[RenderableType]) -> None:
        self.parts = parts

    def _repr_html_(self) -> str:
        return html.page(self.parts)

    def __repr__(self) -> str:
        return plain(self.parts, html.WIDTH)


class CellFailure(Exception):
    """A cell that fails: it is shown without a traceback, and no later cell is run."""

    def __init__(self, text: str) -> None:
        self.text = text
        super().__init__(text)

    def _render_traceback_(self) -> list[str]:
        return self.text.split("\n")


class _Parser(argparse.ArgumentParser):
    """Reports errors in the options without ending the process."""

    def error(self, message: str) -> NoReturn:
        raise CellFailure(f"%%nasm: {message}\n{self.format_usage().rstrip()}")

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        raise CellFailure(message or self.format_usage().rstrip())


def parser() -> argparse.ArgumentParser:
    """The options of the first line of a cell."""
    made = _Parser("%%nasm", add_help=False, allow_abbrev=False)
    options.common(made)
    for name, says in (
        ("in", "a variable of the notebook as an input; without it those of the inputs' names"),
        ("out", "the variable that an output becomes; without it one of the output's name"),
    ):
        made.add_argument(
            f"--{name}", dest=f"{name}s", metavar="NAME=VARIABLE", type=_pair, action="append",
            default=[], help=says,
        )  # fmt: skip
    made.add_argument("--result", metavar="VARIABLE", help="the variable that gets the result")
    made.add_argument("--quiet", action="store_true", help="show diagnostics only")
    options.policy(made)
    return made


def _pair(text: str) -> tuple[str, str]:
    name, equals, variable = (part.strip() for part in text.partition("="))
    if not name or not equals or not variable.isidentifier():
        raise argparse.ArgumentTypeError(f"'{quoted(text)}' is not NAME=VARIABLE")
    return name, variable


class NotebookCell:
    """One cell: its options, its text, and the notebook that it is in."""

    def __init__(self, shell: Any, line: str, text: str) -> None:
        try:
            self.args = parser().parse_args(shlex.split(line))
        except ValueError as error:  # a quotation that is not closed
            raise CellFailure(f"%%nasm: {error}") from None
        self.variables: dict[str, Any] = shell.user_ns
        self.source = Source(CELL, text)

    def run(self) -> None:
        """Run it, show what it did, and put its outputs into the notebook's variables."""
        args = self.args
        try:
            chosen = settings(args)
            program = assemble(self.source, settings=chosen)
            result = run(program, self.given(program), settings=chosen.of_assembled(files=True))
        except Failure as failure:
            message = plain([diagnostic(p) for p in failure.problems], html.WIDTH)
            raise CellFailure(message) from None
        report = result.report
        if not args.quiet:
            _display(Shown(tables.run_report(report)))
        names = dict(args.outs)
        for name, array in result.outputs.items():
            self.variables[names.get(name, name)] = array
        if args.result:
            self.variables[args.result] = result
        if not report.ok:
            raise CellFailure(plain(tables.failures(report), html.WIDTH))

    def given(self, program: Program) -> Mapping[str, Any]:
        """The inputs: the variables that were named, else those that are called as they are."""
        made: dict[str, Any] = {}
        for tensor in program.tensors.values():
            found = self.variables.get(tensor.name)
            if tensor.role in READ and hasattr(found, "__array__"):
                made[tensor.name] = found
        for name, variable in self.args.ins:
            if variable not in self.variables:
                message = f"--in {name}={variable}: the notebook has no variable '{variable}'"
                raise Failure(Problem("E0822", message))
            made[name] = self.variables[variable]
        outputs = [t.name for t in program.tensors.values() if t.role in ("output", "inout")]
        for name, variable in self.args.outs:
            if name not in outputs:
                message = f"--out {name}={variable}: the program has no output '{quoted(name)}'"
                raise Failure(Problem("E0822", message, None, f"its outputs: {', '.join(outputs)}"))
        return made


def _display(shown: Shown) -> None:
    from IPython.display import display

    display(shown)  # type: ignore[no-untyped-call]
