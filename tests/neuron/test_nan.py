"""maximum and minimum with NaN: as NumPy has them by default, or ignoring it."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import nasm
from nasm.isa.instruction import Operand, Row
from nasm.isa.kinds import Choice, Either, Kind
from nasm.targets.neuron import alu
from nasm.targets.neuron.isa import ISA
from nasm.targets.neuron.nan import NUMBERS, Ignoring, Operators
from tests.tables import each

NAN = np.nan
X = np.array([[1, NAN, NAN, -3, np.inf, 2, 7, 8], [NAN] * 8, [4, 3, 2, 1, 0, -1, -2, -3]])
Y = np.array([[2, 5, NAN, NAN, NAN, 2, 6, 9], [NAN] * 8, [1, 2, 3, NAN, 5, 6, 7, 8]])


def greatest(values: Iterator[float], ignore: bool) -> float:
    """The largest of some numbers, one by one; NaN where NaN counts and is met."""
    found = next(values)
    for value in values:
        if value != value:
            found = found if ignore else value
        elif found != found:
            found = value if ignore else found
        elif value > found:
            found = value
    return found


def outputs(lines: str, chosen: str, columns: int = 8) -> np.ndarray:
    text = (
        ".target trn2\n.hbm X f32[3, 8] input\n.hbm Y f32[3, 8] input\n"
        f".hbm Z f32[3, {columns}] output\n"
        f".sbuf x f32[3, 8]\n.sbuf y f32[3, 8]\n.sbuf z f32[3, {columns}]\n.sem a, b\n"
        "@sync DmaCopy x, X  $a += 16\n@sync DmaCopy y, Y  $a += 16\n"
        f"@vector EventSemaphore $a >= 32\n@vector {lines}  $b++\n"
        "@sync DmaCopy Z, z  $b >= 1  $a += 16\n@sync EventSemaphore $a >= 48\n"
    )
    given = {"X": X.astype(np.float32), "Y": Y.astype(np.float32)}
    done = nasm.run(text, given, options={"nan.maximum": chosen})
    assert done.ok, done.report.problems
    return done.outputs["Z"]


BOTH = pytest.mark.parametrize("chosen", ["propagate", "ignore"])


@BOTH
@pytest.mark.parametrize("op", ["maximum", "minimum"])
def test_between_two_tiles(op: str, chosen: str) -> None:
    sign = 1 if op == "maximum" else -1
    found = outputs(f"TensorTensor z, x, y, op={op}", chosen)
    wanted = [
        [
            sign * greatest(iter((sign * a, sign * b)), chosen == "ignore")
            for a, b in zip(xs, ys, strict=True)
        ]
        for xs, ys in zip(X.tolist(), Y.tolist(), strict=True)
    ]
    np.testing.assert_array_equal(found, wanted)


@BOTH
def test_with_a_number(chosen: str) -> None:
    found = outputs("TensorScalar z, x, op0=maximum, operand0=2.0", chosen)
    kept = np.where(np.isnan(X), 2.0 if chosen == "ignore" else NAN, np.maximum(X, 2))
    np.testing.assert_array_equal(found, kept)


@BOTH
def test_over_a_row(chosen: str) -> None:
    found = outputs("TensorReduce z, x, op=maximum, axis=1", chosen, 1)
    np.testing.assert_array_equal(
        found[:, 0], [greatest(iter(row), chosen == "ignore") for row in X.tolist()]
    )


@BOTH
def test_along_a_scan(chosen: str) -> None:
    found = outputs("TensorTensorScan z, x, y, 0.0, op0=maximum, op1=minimum", chosen)
    assert np.isnan(found[0, 2:]).all() == (chosen == "propagate")
    assert np.isnan(found[1]).all() == (chosen == "propagate")
    if chosen == "ignore":  # max(0, 1) = 1, min(1, 2) = 1, then NaN of x leaves 1, min(1, 5) …
        assert found[0].tolist() == [1, 1, 1, 1, np.inf, 2, 6, 8]
        assert found[1].tolist() == [0] * 8


@BOTH
def test_the_eight_largest(chosen: str) -> None:
    found = outputs("Max8 z, x", chosen)
    first = [8, 7, 2, 1, -3]
    wanted = [np.inf, *first, NAN, NAN] if chosen == "ignore" else [NAN, NAN, np.inf, *first]
    np.testing.assert_array_equal(found, [wanted, [NAN] * 8, sorted(X[2], reverse=True)])


def test_exact_integers_have_no_nan() -> None:
    text = (
        ".target trn2\n.sbuf x i32[1, 2]\n.sbuf z i32[1, 2]\n.sem s\n@gpsimd Memset x, 5\n"
        "@gpsimd TensorTensor z, x, x, op=maximum\n.expect z == [[5, 5]]\n"
    )
    assert nasm.run(text, options={"nan.maximum": "ignore"}).ok


def test_the_word_stays_the_same() -> None:
    word = Ignoring("maximum")
    assert (word, hash(word)) == ("maximum", hash("maximum"))
    assert alu.OPERATORS[word].identity == -np.inf
    assert set(NUMBERS) <= set(alu.ARITH)


def kinds(operand: Operand) -> tuple[Kind, ...]:
    return operand.kind.kinds if isinstance(operand.kind, Either) else (operand.kind,)


@each("row", list(ISA), ids=lambda row: row.name)
def test_every_operand_that_takes_maximum_knows_the_option(row: Row) -> None:
    for operand in row.operands:
        for kind in kinds(operand):
            if isinstance(kind, Choice) and set(kind.options) & set(NUMBERS):
                assert isinstance(kind, Operators) or row.name == "RegisterAlu"
