"""That a fuzzer of kernels of NKI 0.1 compares them, and finds what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from nasm.nki.neuronxcc import regions, sums
from tests.fuzz.finding import Finding, watched
from tests.fuzz.old_kernels import OldKernels, texts

pytestmark = pytest.mark.thorough  # of a fuzzer


def found(text: str, fuzzer: OldKernels | None = None) -> Finding | None:
    return watched((fuzzer or OldKernels()).check, text.encode(), seconds=60)


@pytest.mark.parametrize("name", texts())
def test_each_kernel_is_as_it_means(name: str) -> None:
    fuzzer = OldKernels()
    assert found(texts()[name], fuzzer) is None
    assert fuzzer.counts == {"refused": 0, "run": 1, "compared": 1, "unmodelled": 0}


def test_a_mask_that_cuts_what_is_repeated_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def narrow(bound: Any, tensor: Any) -> Any:
        return type(bound)(bound.const, tensor.shape, bound.steps)

    monkeypatch.setattr(regions, "_repeated", narrow)
    finding = found(texts()["masks"])
    assert finding is not None


def test_a_product_that_overwrites_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "_adds", lambda state, dst: False)
    finding = found(texts()["blocks"])
    assert finding is not None
    assert finding.what == "another value than is meant"


def test_an_index_that_leaves_its_tensor_is_refused() -> None:
    fuzzer = OldKernels()
    text = texts()["masks"].replace("arange(12)", "arange(13)").replace("f < 10", "f < 13")
    assert found(text, fuzzer) is None
    assert fuzzer.counts["refused"] == 1
