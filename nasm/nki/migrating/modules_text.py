"""Imports of NKI 0.1 as those of today, and the names of its modules in a file."""

from __future__ import annotations

import ast
import re

OLD = "neuronxcc"
MODULES = {"language": "nl", "isa": "nisa", "compiler": "ncc", "typing": "nt"}
DROPPED = ("par_dim", "arange", "mgrid", "spmd_dim", "nc")
"""Names of nki.language that are gone."""


def modules_of(tree: ast.AST) -> dict[str, str]:
    """What a file calls the modules of NKI 0.1."""
    found: dict[str, str] = {}
    for node in ast.walk(tree):
        for path, name in _imports(node):
            if path == f"{OLD}.nki":
                found.setdefault("nki", name)
            elif path.startswith(f"{OLD}.nki."):
                word = MODULES.get(path.rpartition(".")[2])
                if word is not None:
                    found.setdefault(word, name)
    return found


def _imports(node: ast.AST) -> list[tuple[str, str]]:
    """The modules that a statement imports, and their names; those it has to be reached by."""
    if isinstance(node, ast.Import):
        return [(a.name, a.asname or a.name) for a in node.names]
    if isinstance(node, ast.ImportFrom) and not node.level:
        return [(f"{node.module}.{a.name}", a.asname or a.name) for a in node.names]
    return []


def imported(node: ast.Import | ast.ImportFrom, text: str, modules: dict[str, str]) -> list[str]:
    """An import as today's dialect writes it."""
    if not any(path.startswith(f"{OLD}.") for path, _ in _imports(node)):
        return [text]
    made: list[str] = []
    for alias in node.names:
        if isinstance(node, ast.Import):
            if not alias.name.startswith(f"{OLD}."):
                made.append(f"import {alias.name}" + _as(alias.asname))
                continue
            if alias.name.endswith(".compiler"):
                continue
            path = alias.name.removeprefix(f"{OLD}.")
            made.append(f"import {path}" + ("" if alias.asname == path else _as(alias.asname)))
            continue
        path = f"{node.module}".removeprefix(OLD).lstrip(".")
        if alias.name in (*DROPPED, "compiler"):
            continue
        if not path:
            made.append(f"import {alias.name}" + _as(alias.asname))
        elif alias.name in ("baremetal", "trace", "simulate_kernel"):
            made.append(f"import {path}")
        else:
            made.append(f"from {path} import {alias.name}" + _as(alias.asname))
    return list(dict.fromkeys(made))


ADDED = {"nl": "language", "nisa": "isa"}


def with_imports(text: str, modules: dict[str, str], before: dict[str, str]) -> str:
    """A text with the imports that it had no need of before."""
    lines = text.splitlines(keepends=True)
    for word, path in ADDED.items():
        name = modules[word]
        if word in before or not re.search(rf"\b{re.escape(name)}\.\w", text):
            continue
        at = next((n for n, line in enumerate(lines) if IMPORTS.match(line)), None)
        if at is not None:
            lines.insert(at + 1, f"import nki.{path} as {name}\n")
    return "".join(lines)


IMPORTS = re.compile(r"(import nki\b|from nki\b)")


def _as(name: str | None) -> str:
    return f" as {name}" if name else ""


def replacing(text: str, parts: list[tuple[int, int, str]]) -> str:
    """A text with some of its parts replaced; what is inserted at a place comes before."""
    made, at = "", 0
    for begin, end, new in sorted(parts, key=lambda part: (part[0], part[1])):
        if begin < at:
            continue
        made += text[at:begin] + new
        at = end
    return made + text[at:]
