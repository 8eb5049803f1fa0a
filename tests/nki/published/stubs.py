"""What each release of AWS's SDK documents of NKI: the stubs at the tags of a checkout."""

from __future__ import annotations

import ast
import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

OLD, TODAY = "neuronxcc.nki", "nki"
"""The packages of the two dialects."""

FOLDERS = {OLD: "general/nki/api/nki", TODAY: "nki/api/nki"}
"""Where the stubs of each are, in the releases that have it."""

LAST_OLD = (2, 26)
"""The last release whose stubs are those of NKI 0.1."""

Parameters = frozenset[str] | None
"""The parameters of a function; None of what takes any, or is no function."""


@dataclass
class Release:
    """A release: its SDK and NKI versions, and what its stubs have, by module and name."""

    sdk: str
    package: str
    nki: str = ""
    names: dict[str, dict[str, Parameters]] = field(default_factory=dict)

    def has(self, module: str, name: str) -> bool:
        """Whether a module has a name; one without a stub is taken to have all."""
        return module not in self.names or name in self.names[module]

    def takes(self, module: str, name: str, keyword: str) -> bool:
        """Whether a function takes a keyword."""
        parameters = self.names.get(module, {}).get(name)
        return parameters is None or keyword in parameters


def git(checkout: Path, *words: str) -> str:
    """What git prints; nothing where it fails."""
    done = subprocess.run(
        ["git", "-C", str(checkout), *words], capture_output=True, text=True, check=False
    )
    return done.stdout if done.returncode == 0 else ""


def releases(checkout: Path) -> list[Release]:
    """The releases of a checkout of aws-neuron-sdk that have stubs: the last patch of each."""
    found: dict[tuple[int, int], Release] = {}
    for tag in git(checkout, "tag", "--sort=version:refname").split():
        numbers = re.fullmatch(r"v(\d+)\.(\d+)\.\d+", tag)
        if numbers is None:
            continue
        version = int(numbers[1]), int(numbers[2])
        package = OLD if version <= LAST_OLD else TODAY
        release = Release(f"{version[0]}.{version[1]}", package)
        for path in git(checkout, "ls-tree", "-r", "--name-only", tag, FOLDERS[package]).split():
            module = _module(path, package)
            if module:
                release.names[module] = dict(_names(git(checkout, "show", f"{tag}:{path}")))
        if release.names:
            release.nki = _nki(git(checkout, "show", f"{tag}:release-notes/components/nki.rst"))
            found[version] = release
    return list(found.values())


def _module(path: str, package: str) -> str:
    inner = path.removeprefix(FOLDERS[package]).strip("/")
    if not inner.endswith(".py"):
        return ""
    return ".".join(
        [package, *inner.removesuffix(".py").removesuffix("__init__").split("/")]
    ).rstrip(".")


def _nki(notes: str) -> str:
    """The version of NKI that the newest release notes are about."""
    title = re.search(r"^Neuron Kernel Interface.*?(\d+\.\d+)\.\d+", notes, re.MULTILINE)
    return title[1] if title else ""


def _names(text: str) -> Iterator[tuple[str, Parameters]]:
    """The names that a stub defines."""
    for node in ast.parse(text).body:
        match node:
            case ast.FunctionDef(name=name, args=args):
                every = [*args.posonlyargs, *args.args, *args.kwonlyargs]
                yield name, None if args.kwarg else frozenset(arg.arg for arg in every)
            case ast.ClassDef(name=name):
                yield name, None
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name, None
            case ast.Assign(targets=targets):
                yield from ((t.id, None) for t in targets if isinstance(t, ast.Name))
            case ast.ImportFrom(names=names) | ast.Import(names=names):
                yield from ((alias.asname or alias.name, None) for alias in names)
