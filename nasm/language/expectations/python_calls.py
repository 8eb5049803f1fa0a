"""Functions of Python that expectations call: ``golden.py:layernorm(x)``; all raise Refused.

The file is next to the text. It is read only where Python may be run, as any other file of the
program, and run again for each call. It may do anything that Python may.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, redirect_stdout
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from nasm.base import host_files
from nasm.base.dtypes import Array
from nasm.base.files import Allowed
from nasm.base.problems import Refused, did_you_mean, listed, quoted
from nasm.language.expanding.evaluate import free_names
from nasm.language.expanding.functions import has_tiles
from nasm.language.expanding.scope import CONSTANTS, Scope
from nasm.language.expectations.constants import CONSTANT_FUNCTIONS
from nasm.language.text import tree
from nasm.language.text.walk import children
from nasm.views.view import View

CODE = "E0229"
FORBIDDEN = (
    "neuron-nasm run, profile and repl call it, unless --no-python or --no-files is given; "
    "in Python: python=True of nasm.run and nasm.Session"
)
_SUFFIX = ".py:"


def is_python(name: str) -> bool:
    """Whether a function is one of a Python file."""
    return _SUFFIX in name


def functions(statement: tree.Expect) -> Iterator[tree.Name]:
    """The functions of Python files that an expectation names."""
    waiting: list[object] = [statement.left, statement.right]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tree.FunctionCall) and is_python(node.function.name):
            yield node.function
        if isinstance(node, tree.ExpressionNode):
            waiting += children(node)


def arguments(node: tree.FunctionCall) -> list[tuple[str, tree.ExpressionNode]]:
    """Its arguments, each with its name if it has one."""
    return [
        (a.name, a.value) if isinstance(a, tree.NamedArgument) else ("", a) for a in node.arguments
    ]


def is_constant(node: tree.ExpressionNode, scope: Scope) -> bool:
    """Whether an argument is a constant, which the function is given as it is."""
    values = scope.values
    return all(
        name in CONSTANTS
        or (name in values and not isinstance(values[name], View) and not has_tiles(values[name]))
        for name in free_names(node) - {*CONSTANT_FUNCTIONS}
    )


def permitted(name: str, files: Allowed) -> None:
    """Refuse a function where no Python may be run."""
    if not files.python or files.folder == "":
        raise Refused(CODE, f"{name} is Python, and Python may not be run here", FORBIDDEN)


def called(
    name: str, source: str, files: Allowed, plain: Sequence[Any], named: Mapping[str, Any]
) -> Array:
    """What ``file.py:function`` next to a text of this name returns, in float64 or as bool."""
    permitted(name, files)
    path, _, function = name.rpartition(":")
    folder = os.path.dirname(source)
    full = os.path.abspath(os.path.join(folder, path))
    code = _compiled(path, folder, full, files)
    with _as_python_finds_it(full) as module:
        try:
            exec(code, module.__dict__)
        except (Exception, SystemExit) as error:
            raise _raised(path, full, error) from error
        found = _function(module, path, function)
        try:
            made = np.asarray(found(*plain, **named))
        except (Exception, SystemExit) as error:
            raise _raised(name, full, error) from error
    return _numbers(name, made)


def _compiled(path: str, folder: str, full: str, files: Allowed) -> CodeType:
    try:
        with files.opened(folder, path) as stream:
            text = stream.read()
    except FileNotFoundError:
        raise Refused(
            CODE, f"no file {path} next to the program", _close(path, folder, files)
        ) from None
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise Refused(CODE, f"{path} cannot be read: {reason}") from None
    try:
        return compile(text, full, "exec")
    except SyntaxError as error:
        message = f"{path}, line {error.lineno}: {error.msg}"
    except ValueError as error:
        message = f"{path}: {error}"
    raise Refused(CODE, message)


def _close(path: str, folder: str, files: Allowed) -> str:
    """What may be meant, if the names in the folder may be shown."""
    if not files.lists(folder):
        return ""
    try:
        there = [entry.name for entry in host_files.entries(folder or os.curdir)]
    except OSError:
        return ""
    return did_you_mean(path, [name for name in there if name.endswith(".py")])


@contextmanager
def _as_python_finds_it(full: str) -> Iterator[ModuleType]:
    """An empty module, its folder among those to import from; what it prints goes to stderr."""
    made = ModuleType(os.path.basename(full).removesuffix(".py"))
    made.__file__ = full
    places, before = list(sys.path), sys.modules.get(made.__name__)
    sys.path.insert(0, os.path.dirname(full))
    sys.modules[made.__name__] = made  # dataclasses look their module up
    try:
        with redirect_stdout(sys.stderr):
            yield made
    finally:
        sys.path[:] = places
        if before is None:
            sys.modules.pop(made.__name__, None)
        else:
            sys.modules[made.__name__] = before


def _function(module: ModuleType, path: str, name: str) -> Any:
    found = vars(module).get(name)
    if callable(found):
        return found
    there = [n for n, value in vars(module).items() if isinstance(value, FunctionType)]
    hint = did_you_mean(name, there) or (f"it has {listed(there, 'and')}" if there else "")
    raise Refused(CODE, f"{path} has no function '{name}'", hint)


def _raised(what: str, full: str, error: BaseException) -> Refused:
    """What foreign code raised, with the line of its file."""
    step, line = error.__traceback__, 0
    while step is not None:
        if step.tb_frame.f_code.co_filename == full:
            line = step.tb_lineno
        step = step.tb_next
    try:
        said = str(error)
    except Exception:  # an exception of the file's own has a __str__ of the file's
        said = ""
    kind = type(error).__name__
    text = quoted(f"{kind}: {said}" if said else kind)
    return Refused(CODE, f"{what} raised {text}", f"line {line} of the file" if line else "")


def _numbers(name: str, made: Array) -> Array:
    """As float64 elements, or as truths; refuses what holds neither."""
    if made.dtype == np.bool_:
        return made.copy()
    numeric = made.dtype.kind in "iuf" or made.dtype.type.__module__ == "ml_dtypes"
    if not numeric:
        hint = "wanted an array of numbers, or a number"
        raise Refused(CODE, f"{name} returns {made.dtype}, no array of numbers", hint)
    return np.array(made, np.float64)
