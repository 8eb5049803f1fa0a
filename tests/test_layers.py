"""Imports point down, a dependency has one home, and only a target's folder knows its machine.

The checkers below take the text of a module, so that the tests at the end can show them failing.
"""

from __future__ import annotations

import ast
import functools
import re
import sys
from collections import deque
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from nasm.targets import TARGETS
from tests.tables import each

ROOT = Path(__file__).parents[1]
MODULES = {
    ".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p
    for p in sorted((ROOT / "nasm").rglob("*.py"))
}

LAYERS = (
    ("base",),
    ("views", "workers"),
    ("isa",),
    ("program",),
    ("llk",),
    ("targets", "sim"),
    ("order",),
    ("sync",),
    ("language",),
    ("machine",),
    ("analysis",),
    ("runs",),
    ("ranks", "tiles"),
    ("debugger",),
    ("api",),
    ("nki",),
    ("sweeps",),
    ("show",),
    ("isolation",),
    ("grading",),
    ("apps",),
    ("__main__",),
)
"""From the bottom up. A part may import itself and every part of a lower row."""

LEVEL = {part: level for level, row in enumerate(LAYERS) for part in row}

INNER: dict[str, tuple[tuple[str, ...], ...]] = {
    "nasm.language": (
        ("text",),
        ("expanding",),
        ("expectations", "formatting"),
        ("assemble",),
        ("resume", "codes", "printing"),
        ("editing", "objects"),
    ),
    "nasm.runs": (
        ("inspection", "settings"),
        ("results",),
        ("execution",),
        ("diff",),
        ("equal",),
        ("waits",),
        ("check",),
        ("schedules",),
    ),
    "nasm.debugger": (
        ("values",),
        ("moving",),
        ("engines", "changing"),
        ("origins",),
        ("parts",),
        ("recordings",),
        ("session",),
    ),
    "nasm.apps": (
        ("repl", "highlighting", "neuron_profile", "wire"),
        ("lsp", "dap"),
        ("play",),
        ("cli",),
        ("notebook",),
        ("pytest_plugin",),
    ),
    "nasm.machine": (
        (
            "core_holds",
            "following",
            "grown_table",
            "state",
            "conversions",
            "changes",
            "writers",
            "records",
        ),
        ("lost_results",),
        ("numbers",),
        ("access",),
        ("tiled_access",),
        ("findings", "addresses", "dynamic_addresses", "byte_memory"),
        ("indirect", "tensor_io", "inputs", "memory_needs", "negative_counters"),
        ("indirect_transfers",),
        ("direct_transfers",),
        ("operands", "transfers"),
        ("kernels", "outlines", "rank_meetings", "rendezvous", "packets"),
        ("outside_calls",),
        ("effects", "burst_source", "stretches", "group_packets"),
        ("tasks", "forms"),
        ("machine",),
        ("group_machine",),
        ("growth",),
    ),
    "nasm.sim": (
        ("counters", "memory"),
        ("resources", "round_robin", "burst_plan"),
        ("queues", "channels"),
        ("repeated",),
        ("events", "contention", "waits", "interlock", "delays", "gates", "legs"),
        ("service",),
        ("bursts", "shifts"),
        ("rounds",),
        ("scheduler",),
        ("trace", "history", "recording", "delayed_scheduler", "divert", "group_scheduler"),
        ("conflicts",),
        ("buffers",),
        ("replay",),
    ),
}
"""The same within a folder whose parts have an order of their own."""

HOMES = {
    "IPython": ("apps.notebook",),
    "dataclasses": ("base.records", "nki", "show"),
    "distributed": ("workers",),
    "lark": ("language", "llk"),
    "lsprotocol": ("apps.lsp",),
    "mpi4py": ("workers",),
    "ml_dtypes": ("base.dtypes", "nki"),
    "numpy": tuple(LEVEL),
    "optuna": ("sweeps",),
    "prompt_toolkit": ("apps.repl",),
    "pyarrow": ("show",),
    "pygls": ("apps.lsp",),
    "pygments": ("apps.highlighting",),
    "pytest": ("nki.library_tests", "apps.pytest_plugin"),
    "rich": ("show", "apps"),
}
"""Every package from outside, and the rooms or files that may import it; also ``dataclasses``,
whose decorator costs a start too much."""


def _of_text(call: ast.Call) -> bool:
    first = call.args[0] if call.args else None
    return isinstance(first, ast.Constant) and isinstance(first.value, str)


def statements(tree: ast.Module) -> Iterator[ast.AST]:
    """All statements, without the expressions in them, which are most of a module."""
    waiting = deque[ast.AST]([tree])
    while waiting:
        node = waiting.popleft()
        yield node
        for part in ("body", "handlers", "cases", "orelse", "finalbody"):
            waiting.extend(getattr(node, part, ()))


@functools.cache
def nodes(text: str) -> list[ast.AST]:
    """The imports in a module, and the calls that the tests below judge."""
    found = list[ast.AST]()
    tree = ast.parse(text)
    for node in ast.walk(tree) if JUDGED.search(text) else statements(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            found.append(node)
        elif isinstance(node, ast.Call):
            name = getattr(node.func, "attr", getattr(node.func, "id", ""))
            if name in REACHING or (_of_text(node) and "import" in ast.unparse(node.func)):
                found.append(node)
    return found


def imports(text: str, module: str, package: bool = False) -> Iterator[tuple[int, str]]:
    """Every module that a text imports, wherever it does so, as (line, dotted name).

    ``from a import b`` gives a.b, which is a module's name or one longer than that.
    """
    for node in nodes(text):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = module.split(".")[
                    : None if package and node.level == 1 else -(node.level - package)
                ]
                base = ".".join([*above, base] if base else above)
            yield from ((node.lineno, f"{base}.{alias.name}") for alias in node.names)
        elif isinstance(node, ast.Call) and "import" in ast.unparse(node.func):
            first = node.args[0] if node.args else None
            if isinstance(first, ast.Constant) and isinstance(first.value, str):
                yield node.lineno, first.value


def part_of(module: str) -> str:
    """The part of nasm a module belongs to; empty for nasm itself and names it exports."""
    words = module.split(".")
    return words[1] if len(words) > 1 and words[1] in LEVEL else ""


def upward(text: str, module: str, package: bool = False) -> list[str]:
    """What is wrong with a module's imports, a sentence each."""
    part = part_of(module)
    found = []
    for line, name in imports(text, module, package):
        top = name.split(".")[0]
        other = part_of(name)
        where = f"{module}:{line} imports {name}"
        if top == "nasm":
            if other == part or module == "nasm" or name == "nasm.__version__":
                pass
            elif not other:
                found.append(f"{where}: the package itself is above everything")
            elif LEVEL[other] >= LEVEL[part]:
                found.append(f"{where}: {other} is not below {part}")
            if name.startswith(tuple(t.module for t in KNOWN)) and not module.startswith(
                "nasm.targets"
            ):
                found.append(f"{where}: only targets/ names a target")
        elif top in HOMES:
            if not any(f"{module}.".startswith(f"nasm.{home}.") for home in HOMES[top]):
                found.append(f"{where}: its home is {' and '.join(HOMES[top])}")
        elif top not in sys.stdlib_module_names:
            found.append(f"{where}: not a dependency of nasm")
    return found


@each("module", MODULES)
def test_imports_point_down_and_dependencies_stay_home(module: str) -> None:
    path = MODULES[module]
    assert part_of(module) or module == "nasm", f"{module} has no layer"
    found = upward(path.read_text(encoding="utf-8"), module, path.name == "__init__.py")
    assert not found, "\n".join(found)


# -- within a folder


def inward(text: str, module: str, package: bool = False) -> list[str]:
    """What is wrong with a module's imports from the other parts of its folder."""
    found = []
    for folder, rows in INNER.items():
        level = {part: n for n, row in enumerate(rows) for part in row}
        part = child(folder, module)
        if not part:
            continue
        if part not in level:
            return [f"{module} has no layer in {folder}"]
        for line, name in imports(text, module, package):
            other = child(folder, name)
            if other and other != part and level.get(other, len(rows)) >= level[part]:
                found.append(f"{module}:{line} imports {name}: {other} is not below {part}")
    return found


def child(folder: str, module: str) -> str:
    """The file or folder directly in a folder that a module belongs to; empty if none."""
    return module.removeprefix(f"{folder}.").split(".")[0] if f"{folder}." in module else ""


@each("module", [m for m in MODULES if any(child(f, m) for f in INNER)])
def test_imports_within_a_folder_point_down(module: str) -> None:
    path = MODULES[module]
    found = inward(path.read_text(encoding="utf-8"), module, path.name == "__init__.py")
    assert not found, "\n".join(found)


MAP = (ROOT / "docs" / "contributing.md").read_text(encoding="utf-8")


def test_the_map_names_the_rooms_in_their_order() -> None:
    (chain,) = re.findall(r"^`base` → .*$", MAP, re.M)
    rows = [tuple(re.findall(r"\w+", row)) for row in chain.split("→")]
    assert (*rows, ("__main__",)) == LAYERS
    picture = re.findall(r"^(\w+) +\d+ +[\d,]+(?:   .*)?$", MAP, re.M)
    assert picture == [room for row in rows for room in row][::-1]
    table = re.findall(
        r"^\| `(\w+)` \|", MAP.partition("## The rooms")[2].partition("\n## ")[0], re.M
    )
    assert table == [room for row in rows for room in row]


def test_the_map_shows_the_order_within_rooms() -> None:
    shown = re.findall(r"^\* `(nasm/\w+)/`: (.*→.*)$", MAP, re.M)
    assert {
        folder.replace("/", "."): tuple(tuple(row.split(", ")) for row in chain.split(" → "))
        for folder, chain in shown
    } == INNER


def test_the_map_names_no_module_that_does_not_exist() -> None:
    named = re.findall(r"`((?:docs|grammar|nasm|programs|tests)/[\w./-]*)`", MAP)
    assert len(named) > 40
    assert [path for path in named if not (ROOT / path).exists()] == []


CIRCLES: dict[str, frozenset[str]] = {}


def acquaintances(texts: Mapping[str, str]) -> dict[str, dict[str, set[str]]]:
    """By folder: which of the files and folders directly in it each of them imports from.

    ``texts`` are those of all modules, by dotted name; that of a package is its ``__init__``.
    """
    folders: dict[str, dict[str, set[str]]] = {}
    for module, text in texts.items():
        package = any(other.startswith(f"{module}.") for other in texts)
        for _, name in imports(text, module, package):
            while name and name not in texts:
                name = name.rpartition(".")[0]
            here, there = module.split("."), name.split(".")
            shared = 0
            while here[shared : shared + 1] == there[shared : shared + 1] != []:
                shared += 1
            if shared < min(len(here), len(there)):
                knows = folders.setdefault(".".join(here[:shared]), {})
                knows.setdefault(here[shared], set()).add(there[shared])
    return folders


def in_circles(knows: Mapping[str, set[str]]) -> set[str]:
    """Those that know themselves through others."""

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        waiting = [start]
        while waiting:
            for other in knows.get(waiting.pop(), set()) - seen:
                seen.add(other)
                waiting.append(other)
        return seen

    return {name for name in knows if name in reached(name)}


def test_files_of_one_folder_do_not_know_one_another_in_a_circle() -> None:
    texts = {m: p.read_text(encoding="utf-8") for m, p in MODULES.items()}
    found = {f: frozenset(c) for f, k in acquaintances(texts).items() if (c := in_circles(k))}
    assert found == CIRCLES


# -- nothing outside targets/ knows a machine

GENERIC = (
    "base",
    "views",
    "isa",
    "program",
    "sim",
    "order",
    "sync",
    "language",
    "machine",
    "analysis",
    "runs",
    "debugger",
    "api",
)
"""What is true of every target."""

EXAMPLES = (
    "nasm.language.text.syntax_errors",
    "nasm.language.codes",
    "nasm.language.formatting",
    "nasm.language.objects.layout",
    "nasm.base.glossary",
    "nasm.base.dtypes.table",
)
"""Show texts that do not parse, say where a fact comes from, or explain words of a vendor."""

WORDS = frozenset(
    (
        "neuron",
        "neuroncore",
        "trainium",
        "inferentia",
        "nki",
        "klr",
        "hbm",
        "sbuf",
        "psum",
        "gpsimd",
        "hwdge",
        "swdge",
        "dge",
        "tensix",
        "tenstorrent",
        "ttinsn",
        "thcon",
        "srca",
        "srcb",
        "sfpu",
    )
) | set(TARGETS)
"""Words of the vendor's in any identifier or string: of memories, products and tools."""

KNOWN = [load() for load in TARGETS.values()]
MNEMONICS = frozenset(name for target in KNOWN for name in target.isa.rows)
ENGINES = frozenset(
    word
    for target in KNOWN
    for engine in target.generations[-1].engines
    for word in (engine.name, *engine.aliases)
) - {"tensor"}
"""Engine names are everyday words, so only a string that is nothing else counts; and a tensor is
a tensor everywhere."""


def foreign(text: str) -> list[str]:
    """Words of Neuron in the identifiers and strings of a module, docstrings left out."""
    tree = ast.parse(text)
    said = {
        id(n.value)
        for n in ast.walk(tree)
        if isinstance(n, ast.Expr) and isinstance(n.value, ast.Constant)
    }
    found = []
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        for field in ("id", "attr", "name", "arg", "asname", "value"):
            token = getattr(node, field, None)
            if isinstance(token, str) and id(node) not in said:
                exact = isinstance(node, ast.Constant) and token in ENGINES
                found += [f"{line}: {w}" for w in ([token] if exact else vendor_words(token))]
    return found


@functools.cache
def vendor_words(token: str) -> list[str]:
    """The words of Neuron in an identifier or a string."""
    # The distribution and the command are called neuron-nasm whatever the target.
    names = re.findall(r"\w+", token.replace("neuron-nasm", ""))
    parts = (p for n in names for p in re.split(r"_|(?<=[a-z])(?=[A-Z])", n))
    return [n for n in names if n in MNEMONICS] + [p for p in parts if p.lower() in WORDS]


@each("module", [m for m in MODULES if part_of(m) in GENERIC and not m.startswith(EXAMPLES)])
def test_generic_code_does_not_name_a_machine(module: str) -> None:
    text = MODULES[module].read_text(encoding="utf-8")
    if not any(word in ENGINES or vendor_words(word) for word in set(re.findall(r"\w+", text))):
        return  # which is quick to see
    found = foreign(text)
    assert not found, "\n".join(f"{module}:{f}" for f in found)


# -- files are reached by one way

CHILDREN = "nasm.isolation"
"""Opens what restricts a child process, and the pipes to it."""

DOOR = "nasm.base.host_files"
OF_THE_SYSTEM = re.findall(
    r"\w+",
    """open fdopen read write fsync fdatasync truncate ftruncate stat lstat fstat scandir listdir
    walk replace rename renames remove unlink mkdir makedirs rmdir removedirs link symlink chmod
    fchmod chown utime mkfifo mknod sendfile copy_file_range""",
)
"""Functions of ``os`` that reach files."""

OF_PATHS = re.findall(
    r"\w+",
    """read_text read_bytes write_text write_bytes mkdir unlink rmdir touch symlink_to hardlink_to
    iterdir glob rglob tofile""",
)
"""Methods that reach files, of paths and of arrays; nothing else has methods of these names."""

OF_ARRAYS = ("save", "savez", "savez_compressed", "savetxt", "fromfile", "memmap")
"""Functions of NumPy that open files by themselves."""

REACHING = frozenset(("open", "FileIO", *OF_THE_SYSTEM, *OF_PATHS, *OF_ARRAYS))
JUDGED = re.compile(rf"\b(?:{'|'.join(sorted(REACHING))}|\w*import\w*)\(")
"""What a module contains that has calls to judge."""


def around_the_door(text: str) -> list[str]:
    """Calls by which a module reaches files itself, and imports of what does."""
    found = []
    for node in nodes(text):
        if isinstance(node, ast.Import | ast.ImportFrom):
            owner = getattr(node, "module", "")
            names = [alias.name for alias in node.names]
            found += [n for n in (owner, *names) if n in ("shutil", "tempfile", "mmap")]
            found += [f"os.{n}" for n in names if owner == "os" and n in OF_THE_SYSTEM]
        elif isinstance(node, ast.Call):
            said = ast.unparse(node.func)
            owner, _, name = said.rpartition(".")
            reached = (
                said in ("open", "io.open", "io.FileIO", "FileIO")
                or (owner == "os" and name in OF_THE_SYSTEM)
                or (owner in ("np", "numpy") and name in OF_ARRAYS)
                or (name in OF_PATHS and owner not in ("", "host_files"))
            )
            found += [f"{node.lineno}: {said}"] * reached
    return found


def test_files_are_reached_by_one_way() -> None:
    texts = {
        m: p.read_text(encoding="utf-8")
        for m, p in MODULES.items()
        if m != DOOR and not m.startswith(CHILDREN)
    }
    assert {m: found for m, text in texts.items() if (found := around_the_door(text))} == {}


# -- the checkers themselves


@each(
    "text",
    [
        "open('x')",
        "with open('x', 'rb') as f: pass",
        "import io\nio.open('x')",
        "os.open('x', 0)",
        "from os import replace",
        "os.replace(a, b)",
        "os.fsync(number)",
        "Path('x').write_text('y')",
        "path.mkdir()",
        "array.tofile(f)",
        "np.save('x', a)",
        "import shutil",
        "from tempfile import mkstemp",
    ],
)
def test_a_way_around_the_door_is_found(text: str) -> None:
    assert len(around_the_door(text)) == 1


def test_what_reaches_no_file_is_no_way_around() -> None:
    text = "host_files.opened('x')\nhost_files.read_text('x')\nos.path.exists('x')\ns.replace(a, b)"
    assert around_the_door(text + "\narchive.open('x')\nnp.load(stream)\nos.environ") == []


@each(
    ("module", "text"),
    [
        ("nasm.sim.clock", "from nasm.debugger.session import Session"),
        ("nasm.sim.clock", "import nasm.machine.bind"),
        ("nasm.sim.clock", "from nasm import Session"),
        ("nasm.sim.clock", "from nasm.order.clocks import Clock"),
        ("nasm.views.view", "def f():\n    from nasm.sim import memory"),
        ("nasm.language.text.parse", "if TYPE_CHECKING:\n    from nasm.machine import Machine"),
        ("nasm.language.assemble", "from ..machine import Machine"),
        ("nasm.language.text.parse", "import importlib\nimportlib.import_module('nasm.apps.cli')"),
        ("nasm.program.builder", "from nasm.targets import TARGETS"),
        ("nasm.program.builder", "from nasm.language.text import tree"),
        ("nasm.debugger.session", "from nasm.targets.neuron import alu"),
        ("nasm.show.tables", "from nasm.apps.repl import text"),
        ("nasm.base.source", "from nasm import dtypes"),
        ("nasm.views.view", "import lark"),
        ("nasm.debugger.session", "from rich.table import Table"),
        ("nasm.machine.bind", "import ml_dtypes"),
        ("nasm.sim.clock", "import pandas"),
    ],
)
def test_an_import_that_points_up_or_strays_is_found(module: str, text: str) -> None:
    assert len(upward(text, module)) == 1


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("nasm.sim.clock", "from nasm.sim.memory import Store\nfrom . import trace"),
        ("nasm.sim.clock", "from nasm import base\nimport heapq\nimport numpy as np"),
        (
            "nasm.debugger.session",
            "from nasm.targets import TARGETS\nfrom ..machine import Machine",
        ),
        ("nasm.language.assemble", "from ..base.source import Source\nfrom lark import Token"),
        ("nasm.apps.repl.app", "from nasm.show import tables"),
        ("nasm.apps.cli", "from nasm.apps.repl.app import App\nimport rich"),
    ],
)
def test_an_import_that_points_down_is_not(module: str, text: str) -> None:
    assert upward(text, module) == []


@pytest.mark.parametrize(
    ("module", "text"),
    [
        ("nasm.language.text.parse", "from nasm.language.expanding.scope import Scope"),
        (
            "nasm.language.expanding.expand",
            "if TYPE_CHECKING:\n    from nasm.language.expectations import judge",
        ),
        ("nasm.language.expectations.judge", "from nasm.language.assemble import assemble"),
        ("nasm.language.expanding.expand", "from nasm.language.new import thing"),
        ("nasm.language.new", ""),
    ],
)
def test_an_import_that_points_up_within_a_folder_is_found(module: str, text: str) -> None:
    assert upward(text, module) == []
    assert len(inward(text, module)) == 1


def test_an_import_that_points_down_within_a_folder_is_not() -> None:
    text = "from nasm.language.text import tree\nfrom nasm.program import check\nimport lark"
    assert inward(text, "nasm.language.expanding.expand") == []
    assert inward("from nasm.language import assemble", "nasm.debugger.session") == []


@pytest.mark.parametrize(
    ("texts", "circle"),
    [
        ({"p.a": "from p.b import B", "p.b": "import p.c", "p.c": ""}, set()),
        ({"p.a": "from p.b import B", "p.b": "from p import a"}, {"a", "b"}),
        ({"p.a": "from . import b", "p.b": "def f():\n    from .a import A"}, {"a", "b"}),
        (
            {
                "p.a": "from p.b import B",
                "p.b": "if TYPE_CHECKING:\n    from p.c import C",
                "p.c": "from p.a import A",
                "p.d": "from p.a import A",
            },
            {"a", "b", "c"},
        ),
        (
            {"p.a.x": "from p.b import y", "p.b": "", "p.b.y": "import p.a.z", "p.a.z": ""},
            {"a", "b"},
        ),
    ],
)
def test_a_circle_is_found(texts: dict[str, str], circle: set[str]) -> None:
    assert in_circles(acquaintances({"p": "", **texts})["p"]) == circle


def test_relative_imports_of_a_package_start_at_itself() -> None:
    text = "from .trace import Trace\nfrom ..debugger.session import Session"
    names = [name for _, name in imports(text, "nasm.sim", package=True)]
    assert names == ["nasm.sim.trace.Trace", "nasm.debugger.session.Session"]


def test_words_of_neuron_are_found_in_code_and_not_in_prose() -> None:
    text = '''
"""The psum of a NeuronCore."""
def psumBank(nki_name):   # hbm
    """DmaCopy."""
    return f"{nki_name} of a TensorCopy in sbuf", "vector", "a vector", tensor
'''
    assert sorted(f.split()[1] for f in foreign(text)) == sorted(
        ["psum", "nki", "nki", "TensorCopy", "sbuf", "vector"]
    )
