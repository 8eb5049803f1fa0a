"""What a file of Python uses of NKI: names of its modules, and keywords of their functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

PACKAGES = ("neuronxcc.nki", "nki")

WRAPPERS = ("jit", "baremetal", "benchmark", "profile", "trace", "simulate", "nki_jit")
"""What makes a kernel of a function."""


@dataclass(frozen=True)
class Use:
    """A name of a module, at a line, with the keywords that it is called with."""

    module: str
    name: str
    line: int
    keywords: tuple[str, ...] = ()


@dataclass
class Uses:
    """What a file uses; ``kernels`` are functions with a wrapper, or that call NKI."""

    packages: set[str] = field(default_factory=set)
    names: list[Use] = field(default_factory=list)
    kernels: list[str] = field(default_factory=list)
    checks_itself: bool = False


def uses(text: str) -> Uses | None:
    """What a file uses; None of one that does not use NKI. Raises SyntaxError."""
    tree = ast.parse(text)
    found, modules, direct = Uses(), {}, {}
    for node in ast.walk(tree):
        for package, name, module in _imports(node):
            found.packages.add(package)
            if module.rpartition(".")[2] == name or isinstance(node, ast.Import):
                modules[name] = module
            direct[name] = module
    if not found.packages:
        return None
    calls = {id(node.func): node for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        dotted = _dotted(node)
        if dotted is None or not isinstance(node, ast.Attribute | ast.Name):
            continue
        place = _resolved(dotted, direct)
        if place is not None:
            call = calls.get(id(node))
            words = tuple(k.arg for k in call.keywords if k.arg) if call else ()
            found.names.append(Use(*place, node.lineno, words))
    found.kernels = list(_kernels(tree, direct))
    found.checks_itself = any(map(_is_main, tree.body))
    return found


def _imports(node: ast.AST) -> Iterator[tuple[str, str, str]]:
    """What an import brings of NKI: the package, the name here, and what it is."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            package = _package(alias.name)
            if package:
                name = alias.asname or alias.name.partition(".")[0]
                yield package, name, alias.name if alias.asname else name
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        for alias in node.names:
            whole = f"{node.module}.{alias.name}"
            package = _package(whole)
            if package:
                yield package, alias.asname or alias.name, whole


def _package(name: str) -> str:
    return next((p for p in PACKAGES if name == p or name.startswith(f"{p}.")), "")


def _dotted(node: ast.AST) -> str | None:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        inner = _dotted(node.value)
        return None if inner is None else f"{inner}.{node.attr}"
    return None


MODULES = (
    "isa.constants", "isa", "language", "collectives", "compiler.sbuf", "compiler.psum", "compiler",
    "typing", "dtype", "simulator", "kernels",
)  # fmt: skip


def _resolved(dotted: str, direct: dict[str, str]) -> tuple[str, str] | None:
    """The module of NKI and the name in it that a dotted name is."""
    first, _, rest = dotted.partition(".")
    if first not in direct:
        return None
    whole = f"{direct[first]}.{rest}" if rest else direct[first]
    package = _package(whole)
    inner = whole.removeprefix(package).strip(".")
    for module in MODULES:
        if inner.startswith(f"{module}."):
            name = inner.removeprefix(f"{module}.")
            return None if "." in name else (f"{package}.{module}", name)
    return (package, inner) if inner and "." not in inner and inner not in MODULES else None


def _kernels(tree: ast.Module, direct: dict[str, str]) -> Iterator[str]:
    for node in ast.walk(tree):
        if not isinstance(node, ast.FunctionDef):
            continue
        wrapped = any(
            ast.unparse(d).partition("(")[0].rpartition(".")[2] in WRAPPERS
            for d in node.decorator_list
        )
        if wrapped or any(_calls_isa(inner, direct) for inner in ast.walk(node)):
            yield node.name


def _calls_isa(node: ast.AST, direct: dict[str, str]) -> bool:
    if not isinstance(node, ast.Call):
        return False
    dotted = _dotted(node.func)
    place = None if dotted is None else _resolved(dotted, direct)
    return place is not None and (
        place[0].endswith(".isa") or place[1] in ("load", "store", "ndarray", "matmul")
    )


def _is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__main__" in ast.unparse(node.test)
