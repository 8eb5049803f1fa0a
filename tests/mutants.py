"""How many small mistakes in nasm the tests find: a plugin of pytest.

    python -m pytest -q -p tests.mutants --mutants 60 [--all] [tests/...]

Each mutant changes one thing in one function of one of `PARTS`: an operator, a comparison, a number
by one, `and` for `or`, `min` for `max`, or a statement that is dropped. Tests are collected once;
each mutant is tried in a process of its own, where its function has the other code, by the tests of
`PARTS`, to the first that fails. Which mutants there are follows from `--mutants` and
`--mutants-seed`, so that runs with and without `--all` try the same. What lives may also mean what
it meant before: read it.
"""

from __future__ import annotations

import ast
import gc
import os
import resource
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import CodeType, FunctionType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PARTS = {
    "nasm/sim": ("tests/sim", "tests/test_toy", "tests/machine", "tests/neuron/time"),
    "nasm/machine": ("tests/machine", "tests/hazards", "tests/neuron", "tests/test_toy"),
    "nasm/order": ("tests/order", "tests/hazards", "tests/machine", "tests/schedules"),
    "nasm/runs/check": ("tests/check", "tests/order/test_hangs", "tests/order/test_chains"),
    "nasm/sync": ("tests/sync",),
    "nasm/analysis/hazards": ("tests/hazards", "tests/order", "tests/machine"),
    "nasm/language": (
        "tests/language",
        "tests/printing",
        "tests/formatting",
        "tests/objects",
        "tests/test_wrong",
        "tests/test_codes",
        "tests/sync",
    ),
    "nasm/nki": ("tests/nki", "tests/cli/test_nki", "tests/fuzz/test_batches"),
    "nasm/debugger": ("tests/debugger", "tests/repl"),
    "nasm/targets/tensix": ("tests/tensix",),
}
"""Where mutants are made, and the tests that try them, the nearest first."""

SECONDS = 240
"""Processor time for a mutant, and ten times as much with `--all`; one that takes as long hangs."""

OTHER = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult,
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A file with one thing changed, as the number of the change among all that it may have."""

    part: str
    path: Path
    number: int

    def code(self) -> tuple[CodeType, str]:
        """The whole file compiled, and what was changed."""
        tree = ast.parse(self.path.read_text(encoding="utf-8"))
        node = list(changeable(tree))[self.number]
        before = ast.unparse(node).splitlines()[0]
        change(node)
        line = f"{self.path.relative_to(ROOT)}:{node.lineno}"
        said = f"{line}  {before}  ->  {ast.unparse(node).splitlines()[0]}"
        return compile(tree, str(self.path), "exec"), said


def changeable(tree: ast.Module) -> Iterator[Any]:
    """What may be changed: within functions, wherever it is."""
    for function in ast.walk(tree):
        if isinstance(function, ast.FunctionDef):
            for statement in function.body:
                yield from (node for node in ast.walk(statement) if _may_change(node))


def _may_change(node: ast.AST) -> bool:
    match node:
        case ast.BinOp() | ast.BoolOp():
            return type(node.op) in OTHER
        case ast.Compare():
            return type(node.ops[0]) in OTHER
        case ast.Constant():
            return type(node.value) is int
        case ast.Expr(value=ast.Call()) | ast.AugAssign():
            return True
        case ast.Call(func=ast.Name("min" | "max")):
            return True
    return False


def change(node: Any) -> None:
    """Change it in place."""
    if isinstance(node, ast.BinOp | ast.BoolOp):
        node.op = OTHER[type(node.op)]()
    elif isinstance(node, ast.Compare):
        node.ops[0] = OTHER[type(node.ops[0])]()
    elif isinstance(node, ast.Constant):
        node.value += 1
    elif isinstance(node, ast.AugAssign):
        node.value = ast.Constant(0, lineno=node.lineno, col_offset=0, end_lineno=node.lineno)
        ast.fix_missing_locations(node)
    elif isinstance(node, ast.Call):
        node.func.id = "max" if node.func.id == "min" else "min"
    elif isinstance(node, ast.Expr):
        node.value = ast.copy_location(ast.Constant(None), node)


def mutants(count: int, seed: int) -> list[Mutant]:
    """As many of each part, or one more; each file of a part is as likely."""
    draw, found = Random(seed), []
    files = {part: sorted((ROOT / part).rglob("*.py")) for part in PARTS}
    while len(found) < count:
        part = list(PARTS)[len(found) % len(PARTS)]
        path = draw.choice(files[part])
        places = list(changeable(ast.parse(path.read_text(encoding="utf-8"))))
        if places:
            found.append(Mutant(part, path, draw.randrange(len(places))))
    return found


def exchange(code: CodeType, path: Path) -> int:
    """Give functions of a file the code that is another there; how many there are."""
    new = {one.co_qualname: one for one in codes(code)}
    gc.unfreeze()  # what is frozen, as tests/conftest.py does, is not among the objects
    old = [f for f in gc.get_objects() if isinstance(f, FunctionType)]
    count = 0
    for function in old:
        was = function.__code__
        now = new.get(was.co_qualname)
        if was.co_filename == str(path) and now is not None and now != was:
            function.__code__ = now
            count += 1
    return count


def codes(code: CodeType) -> Iterator[CodeType]:
    """Those of all functions within it."""
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield one
            yield from codes(one)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--mutants", type=int, default=0, help="try so many mutants of nasm")
    parser.addoption("--mutants-seed", type=int, default=26, help="which mutants those are")
    parser.addoption("--only", default="", help="numbers of mutants, with commas: try no others")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session: pytest.Session) -> bool | None:
    option = session.config.getoption
    if not option("--mutants"):
        return None
    only = {int(n) for n in option("--only").split(",") if n}
    lived = []
    for number, one in enumerate(mutants(option("--mutants"), option("--mutants-seed"))):
        if not only or number in only:
            end, said = tried(session, one)
            print(f"{number:3} {end or 'LIVED'}\n    {said}", flush=True)
            lived += [] if end else [str(number)]
    print(f"\nlived: {','.join(lived)}", flush=True)
    return True


def tried(session: pytest.Session, mutant: Mutant) -> tuple[str, str]:
    """The test that finds a mutant, or nothing; and what the mutant changes."""
    code, said = mutant.code()
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ours)
        limit = SECONDS * (10 if session.config.getoption("--all") else 1)
        resource.setrlimit(resource.RLIMIT_CPU, (limit, limit))
        found = b""
        try:
            if not exchange(code, mutant.path):
                found = b"(no function has that code: not tried)"
            else:
                found = first_failure(session, PARTS[mutant.part]).encode()
        except BaseException as error:
            found = f"ended by {error!r}".encode()
        os.write(theirs, found[:4000] or b"-")
        os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        found = pipe.read().decode()
    os.waitpid(child, 0)
    return {"-": "", "": "(hangs or crashes)"}.get(found, found), said


def first_failure(session: pytest.Session, places: tuple[str, ...]) -> str:
    """The first of the tests of some places that fails."""
    failed: list[str] = []

    class Reports:
        def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
            if report.failed:
                failed.append(report.nodeid)

    session.config.pluginmanager.register(Reports())
    terminal = session.config.pluginmanager.get_plugin("terminalreporter")
    session.config.pluginmanager.unregister(terminal)
    chosen = [i for place in places for i in session.items if i.nodeid.startswith(place)]
    for n, item in enumerate(chosen):
        following = chosen[n + 1] if n + 1 < len(chosen) else None
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if failed:
            return failed[0]
    return ""
