"""Expectations and initialisers in pieces: nothing shows of where a piece ends."""

from __future__ import annotations

import tracemalloc
from math import prod

import numpy as np
import pytest

import nasm
from nasm.base import pieces
from nasm.base.dtypes import DTYPES, convert_float64
from nasm.base.pieces import extent, windows
from nasm.base.problems import Failure
from nasm.language.expectations.records import ExpectationRecord
from tests.parts import part
from tests.tables import each

SIDES = """\
A
-A * 2.5
A.T + B
A[3]
A[:, 10:90]
A[1:60:3, ::-1] * 2
A[:, 5:7].T
A.reshape(96, 64) - B
(A + 1).reshape(32, 2, 96)[:, 1].T
G.permute(2, 0, 1)
G[1, :, 4]
A + C
A * C[0, 0] + R
R + C
G + R.reshape(8, 12)[0:1]
exp(A)
tanh(A.T)
erf(A)
gelu(A)
sigmoid(A)
log(A)
A ** 2 // 0.3 % 0.7
N
softmax(A)
softmax(A.T)
softmax(A, axis=0)
softmax(G)
cumsum(A)
cumsum(A, axis=0)
cumsum(A[:, 10:90])
sum(A)
sum(A.T)
sum(A * 3 - R)
sum(A / C)
sum(A[0:61] / 3)
mean(A[1:58] / 3)
sum(A.T / 3)
sum(A.T / 3 + 1)
sum(A[:, 10:90] / 3)
sum(A / 3, axis=0)
sum(A / 3, axis=1)
sum(A.T / 3, axis=-1)
sum(G / 3, axis=-1)
sum(G / 3)
sum(R / C)
mean(exp(G), axis=2)
sum(A[:, 10:90])
sum(A.T + 1)
sum(A + B.T)
sum(A, axis=0)
sum(A, axis=1)
sum(A.T, axis=-1)
sum(A * 2, axis=-1)
sum(G, axis=1)
sum(G, axis=-1)
sum(N)
sum(A > 0)
mean(A)
mean(A * A)
mean(A, axis=1)
mean(G, axis=-1)
max(A)
min(A.T * C.T)
max(N)
max(A, axis=1)
min(G, axis=0)
max(A, B.T, 0)
argmax(A)
argmax(A.T)
argmax(N)
argmax(A, axis=-1)
where(A > 0, A, R)
where(A > 0, A > 1, not B.T > 1)
[A, A + 1]
A @ B
A.T @ A
A @ R
R @ A.T
"""
FORMS = (
    "{0} == 1e300",
    "{0} ~ 0 rtol=0 atol=1e30",
    "{0} ~ 0.3 rtol=0.5",
    "{0} ~ {0}",
    "{0} != 0.25",
    "{0} < 0.1",
    "(({0} > 0.5) and ({0} < 0.6)) at_least=0.3",
)


def inputs() -> dict[str, np.ndarray]:
    random = np.random.default_rng(5)
    given = {
        "A": random.standard_normal((64, 96)),
        "B": random.standard_normal((96, 64)),
        "C": random.standard_normal((64, 1)),
        "R": random.standard_normal(96),
        "G": random.standard_normal((4, 8, 12)),
        "N": random.standard_normal((64, 96)),
    }
    given["N"][40, 7] = given["N"][41, 3] = np.nan
    return {name: array.astype(np.float32) for name, array in given.items()}


def judged(*expectations: str) -> list[ExpectationRecord]:
    given = inputs()
    lines = [f".hbm {n} f32[{', '.join(map(str, a.shape))}] input" for n, a in given.items()]
    text = "\n".join([".target trn2", *lines, "@sync Nop", *(f".expect {e}" for e in expectations)])
    session = nasm.Session(text + "\n", given)
    session.run(hashes=False)
    return list(session.expectations())


@pytest.mark.parametrize("piece", [130, 1_000])
@pytest.mark.parametrize("side", part(SIDES.splitlines(), 6))
def test_an_expectation_in_pieces_says_what_it_says_of_the_whole(
    side: str, piece: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [form.format(side) for form in FORMS] if ">" not in side else [f"({side}) == 0.5"]
    whole = judged(*texts)
    monkeypatch.setattr(pieces, "PIECE", piece)
    assert [repr_of(e) for e in judged(*texts)] == [repr_of(e) for e in whole]


@pytest.mark.thorough
@pytest.mark.parametrize("side", ["A{} * 2", "A.T{}", "R{} * C", "N{}"])
def test_a_row_of_operators_in_pieces_says_what_it_says_of_the_whole(
    side: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = side.format(" + 0.1 - R * 0.01" * 600 if "A.T" not in side else " + 0.1" * 1_200)
    texts = [f"{text} == 0.5", f"sum({text}) == 0.5", f"mean({text}, axis=0) == 0.5"]
    whole = judged(*texts)
    monkeypatch.setattr(pieces, "PIECE", 1_000)
    assert [repr_of(e) for e in judged(*texts)] == [repr_of(e) for e in whole]


def repr_of(record: ExpectationRecord) -> str:
    """Everything of a record, NaN included."""
    return f"{record.held} {record.summary} {record.measured} {record.bound} {record.worst}"


@pytest.mark.parametrize("value", ["0.3", "A.T"])
def test_the_worst_places_are_found_wherever_they_are(
    value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    array, wanted = inputs()["A"], 0.3
    monkeypatch.setattr(pieces, "PIECE", 200)
    (record,) = judged("A ~ 0.3 rtol=0.01")
    errors = np.abs(array.astype(np.float64) - wanted)
    order = np.argsort(-errors, axis=None, kind="stable")[:5]
    places = [tuple(int(i) for i in np.unravel_index(p, array.shape)) for p in order]
    assert [m.index for m in record.worst] == places
    failed = int(np.count_nonzero(errors > 1e-8 + 0.01 * wanted))
    assert f"beyond it in {failed:,} of 6,144 elements" in record.summary


@each("shape", [(), (1,), (7,), (300,), (3, 5), (1, 300), (2, 3, 40), (50, 1, 3)])
@each("most", [1, 4, 50, 10_000])
def test_windows_are_small_and_follow_one_another(shape: tuple[int, ...], most: int) -> None:
    array = np.arange(prod(shape)).reshape(shape)
    parts = [array[window] for window in windows(shape, most)]
    assert all(0 < part.size <= most for part in parts)
    assert [n for part in parts for n in part.ravel().tolist()] == list(range(array.size))
    assert [part.shape for part in parts] == [extent(w) for w in windows(shape, most)]


@pytest.mark.parametrize("dtype", ["f32", "bf16", "u8", "i32", "f16"])
@pytest.mark.parametrize("init", ["iota", "random(seed=3)", "normal(seed=3)", "zeros"])
def test_an_initialiser_in_pieces_has_the_values_of_the_whole(
    init: str, dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "PIECE", 7)
    session = nasm.Session(f".target trn2\n.hbm X {dtype}[3, 5, 10] input = {init}\n@sync Nop\n")
    kind, generator = init.partition("(")[0], np.random.default_rng(3)
    wanted = {
        "iota": lambda: np.arange(150.0),
        "zeros": lambda: np.zeros(150),
        "random": lambda: generator.random(150),
        "normal": lambda: generator.standard_normal(150),
    }[kind]()
    stored = session.program.tensors["X"].dtype
    assert stored is DTYPES[stored.name]
    whole = convert_float64(wanted, stored).reshape(3, 5, 10)
    assert session.read("X").tobytes() == whole.tobytes()
    assert session.known("X").all()


def peak(text: str) -> tuple[int, nasm.RunReport]:
    """The most memory that loading and judging take at a time."""
    program = nasm.assemble(text)
    tracemalloc.start()
    try:
        report = nasm.Session(program).run()
        return tracemalloc.get_traced_memory()[1], report
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    "expectation",
    part(
        [
            "a == 0",
            "a * 2 + 1 ~ exp(a)",
            "sum(a) == 0",
            "mean(a + 1) == 1",
            "max(a) == argmax(a)",
            "max(sum(a, axis=1)) == 0",
            "gelu(a[:, 0:4096]) == 0",
        ],
        2,
    ),
)
def test_a_large_tensor_is_judged_with_little_more_memory(expectation: str) -> None:
    size = 2**23
    text = f".target trn2\n.hbm a u8[1024, 8192] input = zeros\n@sync Nop\n.expect {expectation}\n"
    most, report = peak(text)
    assert report.ok, str(report)
    # The tensor and its mask, and some pieces of 1 MiB in float64; it used to be 80 times the size.
    assert most < 2 * size + 24 * 8 * pieces.PIECE


@pytest.mark.parametrize("init", ["iota", "random(seed=1)", "normal(seed=1)", "zeros"])
def test_a_large_tensor_is_initialised_with_little_more_memory(init: str) -> None:
    size = 4 * 2**22
    most, _ = peak(f".target trn2\n.hbm a f32[2048, 2048] input = {init}\n@sync Nop\n")
    assert most < 2 * size + 8 * 8 * pieces.PIECE


@pytest.mark.parametrize(
    ("expectation", "said"),
    [
        ("a.reshape(262144, 1) @ a.reshape(1, 262144) == 0", "make 68,719,476,736 elements in '@'"),
        ("b.T @ b == 0", "take 1,099,511,627,776 multiplications in '@'"),
        ("b @ a == 0", r"do not match in '@'"),
    ],
)
def test_a_product_has_a_bound(expectation: str, said: str) -> None:
    text = (
        ".target trn2\n.hbm a u8[512, 512] input = zeros\n.hbm b u8[4096, 16384] input = zeros\n"
        f"@sync Nop\n.expect {expectation}\n"
    )
    session = nasm.Session(text)
    session.run(hashes=False)
    with pytest.raises(Failure, match="E0221") as failure:
        session.expectations()
    assert said in str(failure.value)
