"""Expectations: judges what a program says must hold after its run.

Both sides are expressions over the tensors as they are then, in float64, and broadcast as NumPy's
arrays do. What holds is decided element by element:

* ``~``: ``|left - right| <= atol + rtol * |right|``; equal infinities are close, and NaN is close
  to NaN, so that a golden file with NaN can be met.
* ``==``: the right side is first rounded to the dtype of the left, if the left is a tensor or a
  view of one. NaN equals NaN and -0 equals 0. ``!=`` holds where ``==`` does not.
* ``< <= > >=``: as IEEE compares. So do all comparisons inside ( ), without rounding.
* no operator: a comparison in ( ), or several joined by ``and``, ``or``, ``not``.

It must hold everywhere, or with ``at_least=f`` for that fraction of the elements. An index that is
an integer drops its axis, of tensors on chip too. ``softmax`` and ``cumsum`` go along the last axis
and the other reductions over all elements, unless ``axis=`` says otherwise.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from nasm.base import array_files
from nasm.base.array_files import SPELLING, ArrayFile
from nasm.base.dtypes import (
    Array,
    DType,
    DTypeError,
    check_npy,
    convert_float64,
    from_npy,
    to_float64,
)
from nasm.base.files import ANY, Allowed
from nasm.base.problems import Failure, Problem, Refused, did_you_mean
from nasm.base.source import Span
from nasm.language.expanding.evaluate import evaluate
from nasm.language.expanding.scope import Scope
from nasm.language.expectations import python_calls
from nasm.language.expectations.checker import Checker, is_condition
from nasm.language.expectations.elements import Elements, Joined, Plain, Stored, numbers
from nasm.language.expectations.records import ExpectationRecord
from nasm.language.expectations.values import Evaluator, Measures
from nasm.language.expectations.verdict import compare, one_line, verdict
from nasm.language.text import tree
from nasm.program.program import Expectation
from nasm.views.value_text import value_text

__all__ = ["CODES", "Measures", "check_static", "golden", "judge"]

CODES: dict[str, tuple[str, str]] = {
    "E0221": (
        "shapes do not match in an expectation",
        "The values on both sides of an operator, or of the expectation itself, are matched axis "
        "by axis from the last one backwards; two axes match if they have the same size or one of "
        "them has size 1 (NumPy's broadcasting). `A @ B` needs the last axis of A to be as long "
        "as the last but one of B. A reduction such as `mean(X, axis=1)` drops its axis; "
        "`mean(X, axis=1).reshape(128, 1)` puts it back. An `axis=` counts from 0, or from the "
        "last axis with -1.",
    ),
    "E0222": (
        "an unknown function, method or option in an expectation",
        "Expectations know the functions exp, log, sqrt, tanh, erf, sin, cos, abs, relu, gelu, "
        "sigmoid, softmax, sum, mean, max, min, argmax, where, cumsum, conv2d, max_pool and "
        "avg_pool, some with `axis=`; the measures cycles, busy, util and stalls of an engine, "
        ""
        "time_us() and mfu(); the methods .T, .reshape(…) and .permute(…); "
        "and the options rtol= and atol= of `~` and at_least= of "
        "every operator; and a function of a Python file next to the program is written "
        "`golden.py:name(x)`. Anything else, and a wrong number of arguments, is refused.",
    ),
    python_calls.CODE: (
        "a Python function that an expectation cannot call",
        "`.expect y ~ golden.py:layernorm(x)` calls a function of a Python file in the folder of "
        "the text, with tensors as float64 arrays and constants as they are, and compares with "
        "the numbers that it returns. It may do anything that Python may, so it is called only "
        "where Python may be run: by `run`, `profile` and `repl` without `--no-python` and "
        "`--no-files`, and with `python=True` of nasm.run and nasm.Session. Elsewhere, and if the "
        "file or the function is missing, raises, or returns no numbers, the expectation is "
        "refused. An object file does not carry it.",
    ),
    "E0223": (
        "an expectation that compares nothing",
        "An expectation is `left ~ right` (close), `left == right`, or one of `!= < <= > >=`. "
        "Without an operator it must be a comparison in brackets, or several joined by `and`, "
        "`or` and `not`: `.expect (C > 0) and (C < 1)`. A value alone promises nothing.",
    ),
}

_OPTIONS = ("rtol", "atol", "at_least")
_LARGEST = sys.float_info.max


def check_static(
    expectation: Expectation,
    tensor_names: Collection[str],
    engine_names: Collection[str] | None = None,
    cores: int | None = None,
    files: Allowed = ANY,
) -> list[Problem]:
    """All that is wrong with an expectation and can be said without a run.

    ``engine_names`` are the engines and their aliases, ``cores`` how many cores the program uses;
    without them, these are not checked. Golden files may be ``files`` alone; none is read.
    """
    statement, scope = opened(expectation)
    names = set(tensor_names)
    checker = Checker(scope, names.__contains__, names, engine_names, cores, python=True)
    return _check(statement, checker, files)


def check_python(expectation: Expectation, files: Allowed) -> None:
    """Refuse an expectation that calls Python where none may be run; raises Failure."""
    statement, scope = opened(expectation)
    for function in python_calls.functions(statement):
        try:
            python_calls.permitted(function.name, files)
        except Refused as refused:
            raise Failure(refused.at(scope.span(function))) from None


def judge(expectation: Expectation, measures: Measures) -> ExpectationRecord:
    """Whether an expectation holds after a run; raises Failure if it cannot be judged."""
    statement, scope = opened(expectation)
    evaluator = Evaluator(scope, measures)
    checker = Checker(scope, lambda n: evaluator.tensor(n) is not None, python=True)
    problems = _check(statement, checker, measures.files)
    if problems:
        raise Failure(problems)
    options = {o.name: float(evaluate(o.value, scope)) for o in statement.options}
    with np.errstate(all="ignore"):
        left = evaluator.value(statement.left)
        right = _right(statement, left, evaluator)
        try:
            compared = compare(statement.op, left, right, options)
        except Refused as refused:
            raise Failure(refused.at(expectation.span)) from None
    held, summary, measured, bound = verdict(statement, compared, options, scope.source.text)
    text = one_line(expectation.span.text.removeprefix(".expect").strip())
    worst = () if held else compared.failing
    return ExpectationRecord(text, expectation.span, held, summary, measured, bound, worst)


def opened(expectation: Expectation) -> tuple[tree.Expect, Scope]:
    """An expectation as it was parsed, and what its names mean."""
    assert isinstance(expectation.tree, tuple)
    statement, values = expectation.tree
    assert isinstance(statement, tree.Expect)
    span = expectation.span
    return statement, Scope(span.source, values, chain=span.chain)


# ---------------------------------------------------------------- before a run


def _check(statement: tree.Expect, checker: Checker, files: Allowed) -> list[Problem]:
    checker.check(statement.left)
    if statement.right is None:
        if not is_condition(statement.left) and not checker.problems:
            checker.report(
                statement.left,
                "E0223",
                "this expectation compares nothing",
                "write ~, == or another comparison, and what is wanted",
            )
    elif (path := _path(statement.right, checker.scope)) is None:
        checker.check(statement.right)
    else:
        try:
            file = _file(path, checker.scope)
            files.check(file.folder, file.name)
        except Refused as refused:
            checker.problems.append(refused.at(checker.scope.span(statement.right)))
    seen: set[str] = set()
    for option in statement.options:
        _check_option(statement, option, option.name in seen, checker)
        seen.add(option.name)
    return checker.problems


def golden_file(expectation: Expectation) -> tuple[ArrayFile, Span] | None:
    """The golden file that an expectation compares with, and where it is named; None if none."""
    statement, scope = opened(expectation)
    path = None if statement.right is None else _path(statement.right, scope)
    if statement.right is None or path is None:
        return None
    return _file(path, scope), scope.span(statement.right)


def _check_option(
    statement: tree.Expect, option: tree.NamedArgument, again: bool, checker: Checker
) -> None:
    name = option.name
    if name not in _OPTIONS:
        hint = did_you_mean(name, _OPTIONS) or "the options are rtol=, atol= and at_least="
        checker.report(option, "E0222", f".expect has no option '{name}'", hint)
        return
    if again:
        checker.report(option, "E0222", f"{name}= is given twice")
    elif name != "at_least" and statement.op != "~":
        operator = f"'{statement.op}'" if statement.op else "a bare comparison"
        checker.report(
            option,
            "E0222",
            f"{name}= belongs to '~', not to {operator}",
            "write ~ for close, at_least= for a fraction of the elements",
        )
    value = checker.constant(option.value)
    if value is None:
        return
    most = 1.0 if name == "at_least" else _LARGEST
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
        wanted = "a fraction from 0 to 1" if name == "at_least" else "a finite number of at least 0"
        checker.report(option.value, "E0222", f"{name}= is {wanted}, found {value_text(value)}")


def _path(node: tree.ExpressionNode, scope: Scope) -> str | None:
    """The file that a right side is, if it is one: a string, or a constant that is one."""
    if isinstance(node, tree.StringLiteral):
        return node.value
    if isinstance(node, tree.Name):
        found = scope.values.get(node.name)
        return found if isinstance(found, str) else None
    return None


# ---------------------------------------------------------------- the right side


def _right(statement: tree.Expect, left: Elements, evaluator: Evaluator) -> Elements:
    """The expected values, rounded to the left's dtype if the operator does that."""
    node, scope = statement.right, evaluator.scope
    if node is None:
        return Plain(np.asarray(True))
    path = _path(node, scope)
    try:
        if path is None:
            right = evaluator.value(node)
        else:
            right = golden(_file(path, scope), left, evaluator.measures.files)
    except Refused as refused:
        raise Failure(refused.at(scope.span(node))) from None
    dtype = left.dtype
    if statement.op not in ("==", "!=") or dtype is None:
        return right

    def rounded(values: Array) -> Array:
        try:
            return _rounded(numbers(values), dtype)
        except Refused as refused:
            raise Failure(refused.at(scope.span(node))) from None

    return Joined(rounded, [right], right.shape)


def _rounded(values: Array, dtype: DType) -> Array:
    try:
        rounded = to_float64(convert_float64(values, dtype), dtype)
    except DTypeError as problem:
        raise Refused("E0210", f"the right side cannot be rounded: {problem}") from None
    # the cast of NaN to an integer is 0, but no integer is what "== nan" asks for
    return np.where(np.isnan(values), np.nan, rounded) if dtype.is_int else rounded


def _file(path: str, scope: Scope) -> ArrayFile:
    """The file that a right side names, relative to the folder of the program."""
    file = ArrayFile.written(path, scope.source.name)
    if file is None:
        raise Refused("E0801", f'"{path}" is not an array file', SPELLING)
    return file


def fits(file: ArrayFile, left: Elements) -> Callable[[tuple[int, ...], np.dtype[Any]], None]:
    """What refuses the shape and the dtype of a golden file if they are not those of the left."""

    def judged(shape: tuple[int, ...], found: np.dtype[Any]) -> None:
        if shape != left.shape:
            wanted = list(left.shape)
            raise Refused("E0801", f"{file.name} has the shape {list(shape)}, wanted {wanted}")
        other = _other(found, left.dtype)
        if other and found.kind not in "biuf":
            raise Refused("E0801", f"{file.name} holds no numbers{other}")

    return judged


def golden(file: ArrayFile, left: Elements, files: Allowed) -> Elements:
    """The array of a golden file: of the left's dtype, or any numbers; raises Refused."""
    array = array_files.read_array(file, fits(file, left), files)
    if left.dtype is None or _other(array.dtype, left.dtype):
        return Plain(array)
    return Stored(from_npy(array, left.dtype), left.dtype)


def _other(found: np.dtype[Any], dtype: DType | None) -> str:
    """What a golden file holds if not elements of a dtype; empty if it does."""
    if dtype is None:
        return f", but {found}"
    try:
        check_npy(found, dtype)
    except DTypeError as problem:
        return f": {problem}"
    return ""
