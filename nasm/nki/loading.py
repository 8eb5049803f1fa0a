"""Kernels by name: ``kernel.py:name``, imported, called with what is given by name."""

from __future__ import annotations

import ast
import importlib
import importlib.util
import inspect
import linecache
import os
import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any

import numpy as np

from nasm.base import files
from nasm.base.problems import Failure, Problem, did_you_mean, listed, quoted
from nasm.isa.timing import TimingGiven
from nasm.nki import watched_imports
from nasm.nki.engines import USUAL
from nasm.nki.exceptions import NOT_RUN, permitted, telling
from nasm.nki.frameworks import Array
from nasm.nki.jit import Kernel, name_of
from nasm.nki.kernel import Traced, trace
from nasm.nki.kernel_argument import SUFFIX, split
from nasm.nki.kernel_run import installed
from nasm.nki.source_tree import tree


def load(
    text: str,
    arrays: Mapping[str, Array],
    words: Mapping[str, str],
    *,
    lnc: int | None = None,
    ranks: int | None = None,
    target: str | None = None,
    dma: str = USUAL,
    hoist: bool | None = None,
    overlap: int | None = None,
    options: Mapping[str, object] | None = None,
    timing: TimingGiven | None = None,
    others: Callable[[str], Array | None] = lambda name: None,
    python: bool = True,
) -> Traced:
    """Trace a kernel that a text names, with arrays and other arguments; raises Failure.

    ``others`` has arrays for parameters that neither ``arrays`` nor ``words`` give.

    ``words`` are arguments as they are written in Python: a literal, or a name that the kernel's
    file, or NKI, has. What the kernel raises becomes a Failure, too. Unless ``python`` is true
    nothing is imported, and that is a Failure.
    """
    named = split(text)
    assert named is not None
    permitted(text, python)
    if not named[1]:
        raise Failure(_unnamed(named[0]))
    with installed(), telling(), watched_imports.noted(place(named[0])[0]):
        module = imported(named[0])
        kernel = kernel_named(module, *named)
        given = {**arrays, **{name: _value(module, name, word) for name, word in words.items()}}
        for name in parameters(kernel):
            array = others(name) if name not in given else None
            if array is not None:
                given[name] = array
        _fits(kernel, given)
        return trace(
            kernel,
            lnc=lnc,
            ranks=ranks,
            target=target,
            dma=dma,
            hoist=hoist,
            overlap=overlap,
            options=options,
            timing=timing,
            kernel_args=given,
        )


def module(path: str) -> ModuleType:
    """A file of kernels as a module: what it imports of NKI is found here. Raises Failure."""
    with installed():
        return imported(path)


def imported(path: str) -> ModuleType:
    """A file as a module, in the package that it is in; raises Failure if there is none."""
    full = os.path.abspath(path)
    files.note(full)
    if not os.path.isfile(full):
        raise Failure(Problem(NOT_RUN, f"no file {quoted(path)}"))
    folder, dotted = place(full)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    known = sys.modules.get(dotted)
    if known is not None and os.path.abspath(getattr(known, "__file__", None) or "") == full:
        return known
    if "." in dotted:
        return importlib.import_module(dotted)
    loader = watched_imports.loader(dotted, full)
    spec = importlib.util.spec_from_file_location(dotted, full, loader=loader)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    before = sys.modules.get(dotted)
    sys.modules[dotted] = made
    try:
        spec.loader.exec_module(made)
    except BaseException:
        if before is None:
            sys.modules.pop(dotted, None)
        else:
            sys.modules[dotted] = before
        raise
    return made


def place(path: str) -> tuple[str, str]:
    """The folder from which a file is imported, outside of all packages, and its name there."""
    folder, name = os.path.split(os.path.abspath(path).removesuffix(SUFFIX))
    parts = [name]
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder, name = os.path.split(folder)
        parts.insert(0, name)
    return folder, ".".join(parts)


def kernel_named(module: ModuleType, path: str, name: str) -> Callable[..., Any]:
    """A kernel of a module by name; raises Failure, with those that it has."""
    there = kernels(module)
    made = getattr(module, name, None)
    if isinstance(made, Kernel) or inspect.isfunction(made):
        return made
    if made is not None:
        message = f"{quoted(name)} of {quoted(path)} is {type(made).__name__}, and no kernel"
    else:
        message = f"{quoted(path)} has no kernel '{quoted(name)}'"
    hint = did_you_mean(name, there) or _choice(path, there)
    raise Failure(Problem(NOT_RUN, message, None, hint))


def _choice(path: str, there: list[str]) -> str:
    """Which kernels of a file can be named."""
    if not there:
        return "it has none: nki.jit makes a kernel of a function"
    return f"write {listed((f'{path}:{kernel}' for kernel in there), 'or')}"


def _unnamed(path: str) -> Problem:
    """A file of kernels of which none is named: it is read, and not run, to list them."""
    if not os.path.isfile(path):
        return Problem(NOT_RUN, f"no file {quoted(path)}")
    there = [
        each.name
        for each in tree(linecache.getlines(os.path.abspath(path))).body
        if isinstance(each, ast.FunctionDef) and any(map(_makes_kernel, each.decorator_list))
    ]
    message = f"{quoted(path)} is a file of kernels; wanted one of them"
    return Problem(NOT_RUN, message, None, _choice(path, there))


def _makes_kernel(decorator: ast.expr) -> bool:
    """Whether a decorator is ``nki.jit``, called or not."""
    written = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(written).rpartition(".")[2] == "jit"


def parameters(kernel: Callable[..., Any]) -> list[str]:
    """The names of the parameters of a kernel."""
    function = kernel.function if isinstance(kernel, Kernel) else kernel
    return list(inspect.signature(function).parameters)


def kernels(module: ModuleType) -> list[str]:
    """The names of the kernels that a module makes itself, in its order."""
    return [
        name
        for name, value in vars(module).items()
        if isinstance(value, Kernel) and value.function.__module__ == module.__name__
    ]


def _value(module: ModuleType, name: str, word: str) -> Any:
    """An argument as it is written in Python; a word that is nothing else is a string."""
    try:
        return ast.literal_eval(word)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    first, *rest = word.split(".")
    if not all(part.isidentifier() for part in (first, *rest)):
        if rest or not first or any(c in word for c in "()[]{}"):
            message = f"argument {name}: '{quoted(word)}' is no Python literal and no name"
            raise Failure(
                Problem(NOT_RUN, message, None, "such as 2, 0.5, True, (1, 2), nl.float32")
            )
        return word
    places = {**{n: sys.modules[f"nki.{m}"] for n, m in _SHORT.items()}, "np": np, **vars(module)}
    if first not in places:
        if not rest:
            return word
        message = f"argument {name}: the kernel's file has no '{quoted(first)}'"
        raise Failure(Problem(NOT_RUN, message, None, did_you_mean(first, places)))
    value = places[first]
    for part in rest:
        if not hasattr(value, part):
            message = f"argument {name}: {quoted(first)} has no '{quoted(part)}'"
            raise Failure(Problem(NOT_RUN, message, None, did_you_mean(part, dir(value))))
        value, first = getattr(value, part), f"{first}.{part}"
    return value


_SHORT = {"nl": "language", "nisa": "isa"}
"""What kernels usually call the modules of NKI."""


def _fits(kernel: Callable[..., Any], given: Mapping[str, Any]) -> None:
    """Refuse arguments that the kernel does not take, and the lack of one; raises Failure."""
    signature = inspect.signature(kernel)
    shown = f"{name_of(kernel)}{signature}"
    takes = signature.parameters
    any_name = any(p.kind is p.VAR_KEYWORD for p in takes.values())
    for name in given:
        if name not in takes and not any_name:
            hint = did_you_mean(name, takes) or shown
            raise Failure(Problem(NOT_RUN, f"{name_of(kernel)} takes no '{name}'", None, hint))
    missing = [
        name
        for name, parameter in takes.items()
        if parameter.default is parameter.empty
        and parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
        and name not in given
    ]
    if missing:
        message = f"{name_of(kernel)} wants {listed(missing, 'and')}"
        hint = (
            f"{shown}: give arrays with --in NAME=FILE or --in NAME=normal[128,512]:bf16, "
            "all else with --arg NAME=VALUE"
        )
        raise Failure(Problem(NOT_RUN, message, None, hint))
