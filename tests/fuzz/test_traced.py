"""That a fuzzer of kernels finds what is wrong: with waits, values, and what nobody wrote."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from nasm.nki import kernel as kernels
from nasm.nki.accumulating import AccumulatedBytes
from nasm.nki.tracing import Call
from nasm.sync import synchronize
from nasm.sync.emit import CoreOutput
from tests.fuzz import traced
from tests.fuzz.finding import Finding, watched
from tests.fuzz.traced import Kernels, texts

pytestmark = pytest.mark.thorough  # of a fuzzer

UNWRITTEN = """# {"arrays": [["float32", [8, 8]]]}
import nki.isa as nisa, nki.language as nl, nki
@nki.jit
def kernel(x):
    y = nl.ndarray(x.shape, x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile[:, 0:4], src=x[:, 0:4])
    nisa.dma_copy(dst=y, src=tile)
    return y
"""


def found(text: str, fuzzer: Kernels | None = None) -> Finding | None:
    return watched((fuzzer or Kernels()).check, text.encode(), seconds=60)


@pytest.mark.parametrize("name", texts())
def test_each_kernel_is_as_its_calls_mean(name: str) -> None:
    fuzzer = Kernels()
    assert found(texts()[name], fuzzer) is None
    assert fuzzer.counts == {"refused": 0, "run": 1, "compared": 1, "contested": 0}


def test_a_wait_that_is_left_out_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Forgetful(CoreOutput):
        def append(self, queue: int, instruction: int, place: Any, wait: Any, update: Any) -> None:
            kept = None if self.name(queue) == "vector" else wait
            super().append(queue, instruction, place, kept, update)

    monkeypatch.setattr(synchronize, "CoreOutput", Forgetful)
    finding = found(texts()["softmax"])
    assert finding is not None
    assert (finding.kind, finding.what) == ("order", "a race of one core")


def test_another_value_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    lowering = kernels.Lowering

    class Wrong(lowering):  # type: ignore[misc, valid-type]
        def _made(self, engine: str, row: Any, operands: dict[str, Any]) -> int:
            if operands.get("op0") == "add":
                operands = {**operands, "op0": "subtract"}
            made: int = super()._made(engine, row, operands)
            return made

    monkeypatch.setattr(kernels, "Lowering", Wrong)
    before = traced.Lowering
    monkeypatch.setattr(traced, "Lowering", Wrong)
    assert before is lowering
    finding = found(texts()["cores"])
    assert finding is not None
    assert (finding.kind, finding.what) == ("hash", "another value than the calls mean")


def test_a_matmul_that_adds_where_it_should_not_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = AccumulatedBytes.parts

    def always(begun: AccumulatedBytes, dst: Any) -> Any:
        return [(low, high, low > 0 or adds) for low, high, adds in whole(begun, dst)]

    monkeypatch.setattr(AccumulatedBytes, "parts", always)
    finding = found(texts()["pieces"])
    assert finding is not None
    assert finding.kind == "hash"


def test_silence_about_what_nothing_wrote_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found(UNWRITTEN) is None
    monkeypatch.setattr(traced, "UNWRITTEN", "E0000")
    finding = found(UNWRITTEN)
    assert finding is not None
    assert (finding.kind, finding.what) == ("hash", "a read of the unwritten is not said")


def test_cores_that_do_not_wait_for_each_other_are_reported_apart() -> None:
    text = texts()["cores"]
    barrier = "    nisa.core_barrier(data=middle, cores=(0, 1))\n"
    assert barrier in text
    fuzzer = Kernels()
    assert found(text.replace(barrier, ""), fuzzer) is None  # a race, and said to be one
    assert fuzzer.counts["contested"] == 1


def test_what_is_recorded_is_what_the_kernel_called() -> None:
    with traced.recording() as recorded:
        traced.trace(UNWRITTEN)
    names = [call.row.name for call in recorded.calls[0] if isinstance(call, Call)]
    assert names == ["DmaCopy", "DmaCopy"]
    assert not np.any(list(recorded.placed.values()))
