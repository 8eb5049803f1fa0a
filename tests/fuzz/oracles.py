"""Mutated programs, and everything that must agree about one.

Printed, written as an object, formatted and run under other timings a program is the same one; the
documents about it have the form that they promise; and texts that include each other end.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from random import Random
from typing import Any

from nasm.base.files import Allowed
from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.base.source_files import ObjectFile
from nasm.debugger.session import Session
from nasm.language.assemble import assemble
from nasm.language.formatting import formatted
from nasm.language.objects import loaded
from nasm.language.objects.writing import written
from nasm.language.printing import text
from nasm.machine.records import Status
from nasm.program.program import Program
from nasm.runs.execution import Execution
from nasm.runs.schedules.random import schedules
from nasm.show import json_diff, sarif, schema
from nasm.show.documents import plain
from nasm.show.log_lines import ProgramProblems
from nasm.show.table_files import JsonLines
from nasm.show.table_rows import TableRows
from nasm.targets import TARGETS
from tests.fuzz import corpus, promises
from tests.fuzz.finding import Found
from tests.fuzz.mutations import mutated
from tests.fuzz.programs import few_lines
from tests.show.sarif_rules import wrong_with

PLACE = str(corpus.PROGRAMS / "fuzzed.nasm")
INCLUDED = ("one.nasm", "two.nasm")


class Oracles:
    """Texts of programs, some of them in several files."""

    name, suffix, each = "oracles", ".json", 1
    memory, seconds = 1 << 30, 10.0

    def __init__(self) -> None:
        self.texts = [
            text
            for name, text in corpus.programs().items()
            if "wrong" not in name and len(text) < 4000
        ]

    def make(self, rng: Random) -> bytes:
        """A text, and files that it may include."""
        files = {"": rng.choice(self.texts)}
        if rng.random() < 0.7:
            files[""] = mutated(rng, files[""], self.texts)
        for name in INCLUDED:
            lines = rng.choice(self.texts).splitlines(keepends=True)
            files[name] = "".join(lines[: rng.randrange(6)])
        for name in rng.sample(sorted(files), rng.randrange(3)):
            lines = files[name].splitlines(keepends=True)
            wanted = rng.choice([*INCLUDED, "fuzzed.nasm", "../one.nasm", "none.nasm", "a\0b", ""])
            lines.insert(rng.randrange(len(lines) + 1), f'.include "{wanted}"\n')
            files[name] = "".join(lines)
        made = {name: text.encode("utf-8", "replace").decode() for name, text in files.items()}
        return json.dumps(made).encode()

    def check(self, data: bytes) -> None:
        """Assemble it, and ask everything that knows it."""
        given = json.loads(data)
        source = Source(PLACE, given.pop(""))
        held = {str(corpus.PROGRAMS / name): part.encode() for name, part in given.items()}
        files = Allowed("").holding(held)
        try:
            with few_lines():
                program = assemble(source, TARGETS, files=files)
        except Failure as failure:
            promises.refused(failure)
            logged(failure.problems)
            return
        logged(program.warnings)
        with few_lines():
            same_text(source, program, files)
            if promises.small(program):
                same_run(source, program)

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """None smaller: a document falls apart."""
        return iter(())


def logged(problems: Any) -> None:
    """Problems as SARIF, which has the form that it promises."""
    content = sarif.log([ProgramProblems(PLACE, tuple(problems))])
    promises.document(content)
    wrong = wrong_with(content)
    if wrong:
        raise Found("json", f"SARIF: {wrong[0]}", json.dumps(content))


def same_text(source: Source, program: Program, files: Allowed) -> None:
    """Formatted twice a text is as it was formatted once, and assembles to the same program."""
    tidy = formatted(source)
    again = formatted(Source(PLACE, tidy))
    if again != tidy:
        raise Found("hash", "formatted twice", f"{tidy}\n---\n{again}")
    other = assemble(Source(PLACE, tidy), TARGETS, files=files)
    if spelled(program) != spelled(other):
        raise Found("hash", "formatted, it is another program", tidy)


def spelled(program: Program) -> str | None:
    """The text of a program, if it has one."""
    try:
        return text(program, folder=str(corpus.PROGRAMS))
    except (Failure, Refused):
        return None


def same_run(source: Source, program: Program) -> None:
    """Printed, and as an object, it runs as it does; other timings leave it as it was."""
    running = Execution(program, reruns=True)
    made = running.run(max_cycles=promises.CYCLES)
    wanted = promises.ending(made)
    if made.status is Status.FINISHED and others(running) != others(running):
        raise Found("hash", "a schedule of one number is another")
    stored = ObjectFile(PLACE, written(program, source))
    ways = {"as an object": loaded(stored, TARGETS).program}
    printed = spelled(program)
    if printed is not None:
        ways["printed"] = assemble(Source(PLACE, printed), TARGETS)
    for way, other in ways.items():
        found = promises.ending(Session(other).run(max_cycles=promises.CYCLES))
        if found != wanted:
            raise Found("hash", f"{way} it ends otherwise", f"{wanted}\n{found}\n{printed}")
    rows(program)


def others(running: Execution) -> str:
    """What other timings lead to, as a document, in which NaN is NaN."""
    return json.dumps(plain(schedules(running, 2), json_diff.SCHEDULES))


def rows(program: Program) -> None:
    """Tables of a run, each row of which is as its schema says."""
    running = Execution(program, profile=True)
    tables = schema.tables(program.generation)
    kinds = {schema.INTEGER: (int,), schema.NUMBER: (int, float), schema.TEXT: (str,)}

    def take(table: str, row: Any) -> None:
        for column in tables[table]:
            value = row[column.name]
            if value is not None and not isinstance(value, kinds[column.kind]):
                raise Found("json", f"{table}.{column.name} is no {column.kind}", repr(value))
        JsonLines(io.BytesIO(), tables[table]).add(row)

    made = TableRows(running, take)
    running.run(max_cycles=promises.CYCLES)
    made.close()
