"""The library's own tests on the simulated machine: what becomes of a checkout made for this."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nasm.nki.library_tests import plugin, test_process

COMMON = '''
from enum import Enum
from types import SimpleNamespace

class Platforms(Enum):
    TRN1 = "trn1"
    TRN2 = "trn2"
    TRN3 = "trn3"

    def get_compile_target(self):
        return self.value

class TraceMode(Enum):
    CompileAndInfer = "compile_and_infer"
    CompileOnly = "compile_only"
    Simulator = "simulation"

class ByRank:
    """Inputs or a reference that a function makes for each rank."""
    def __init__(self, made):
        self.for_rank = made

def asked(function, given, golden, ranks=1):
    """What a test asks of its manager."""
    return SimpleNamespace(
        kernel_func=function,
        kernel_input=given,
        compiler_input=SimpleNamespace(platform_target=Platforms("trn2"), logical_nc_config=1),
        validation_args=SimpleNamespace(
            golden_output=golden, absolute_accuracy=0.0, relative_accuracy=1e-3
        ),
        inference_args=SimpleNamespace(collective_ranks=ranks) if ranks > 1 else None,
    )
'''
RANGES = """
RANGE_TEST_CONFIG_ATTR_KEY = "sizes_beside_it"

class RangeTestHarness:
    def __init__(self, config):
        self.config = config

    def get_unique_test_cases(self):
        return [f"n-{size}" for size in self.config], list(self.config)
"""
TESTS = """
import random
import nki
import nki.collectives as ncc
import nki.isa as nisa
import nki.language as nl
import numpy as np
import pytest
from test.utils.common_dataclasses import ByRank, Platforms, TraceMode, asked

DRAWN = random.random()
pytestmark = pytest.mark.fast

@nki.jit
def doubled(x, count=1):
    assert x.shape[0] <= 128, "too many rows"
    tile = nl.ndarray(x.shape, x.dtype, nl.sbuf)
    nisa.dma_copy(tile, x)
    for _ in range(count):
        nisa.tensor_tensor(tile, tile, tile, nl.add)
    out = nl.ndarray(x.shape, x.dtype, nl.shared_hbm)
    nisa.dma_copy(out, tile)
    return out

def ones(rows):
    return np.ones((rows, 4), np.float32)

def test_right(test_manager):
    test_manager.execute(asked(doubled, {"x": ones(3)}, {"y": 2 * ones(3)}))

@nki.jit
def doubled_in_place(x):
    nisa.dma_copy(x, doubled(x))
    return x

class Later:  # a reference that is made when somebody asks for it
    def __init__(self, made):
        self.made, self.output_ndarray = made, ["y"]

    @property
    def golden(self):
        return self.made()

def test_in_place(test_manager):
    given = ones(3)
    golden = Later(lambda: {"y": 2 * given})
    test_manager.execute(asked(doubled_in_place, {"x.must_alias_input": given}, golden))

def test_wrong(test_manager):
    test_manager.execute(asked(doubled, {"x": ones(3)}, {"y": 3 * ones(3)}))

def test_must_fail(test_manager):
    with pytest.raises(Exception, match="too many rows"):
        test_manager.execute(asked(doubled, {"x": ones(129)}, None))

def test_slow(test_manager):
    try:
        test_manager.execute(asked(doubled, {"x": ones(3), "count": 10**9}, None))
    except Exception:
        pass

@nki.jit
def summed(x, groups, many=()):
    src, dst, out = (nl.ndarray(x.shape, x.dtype, nl.shared_hbm) for _ in range(3))
    nisa.dma_copy(src, x)
    ncc.all_reduce([src], [dst], groups, nl.add)
    nisa.dma_copy(out, dst)
    return out

def of_rank(rank_id):
    return {"x": (rank_id + 1) * ones(3), "groups": ncc.ReplicaGroup([[0, 1]]), "many": (3, [4])}

def test_ranks(test_manager):
    golden = ByRank(lambda rank_id: {"y": 3 * ones(3)})
    test_manager.execute(asked(summed, ByRank(of_rank), golden, 2))

def test_one_rank_is_wrong(test_manager):
    golden = ByRank(lambda rank_id: {"y": (3 + rank_id) * ones(3)})
    test_manager.execute(asked(summed, ByRank(of_rank), golden, 2))

def test_ranks_alike(test_manager):
    given = {"x": ones(3), "groups": [[0, 1]]}
    test_manager.execute(asked(summed, given, {"y": 2 * ones(3)}, 2))

@nki.jit
def summed_in_place(x, groups):
    nisa.dma_copy(x, summed(x, groups))
    return x

def test_ranks_in_place(test_manager):
    given = ones(3)
    golden = Later(lambda: {"y": 2 * given})
    test_manager.execute(asked(summed_in_place, {"x": given, "groups": [[0, 1]]}, golden, 2))

def test_ranks_that_differ(test_manager):
    given = ByRank(lambda rank_id: {"x": ones(3), "groups": [[0, 1]], "many": rank_id})
    test_manager.execute(asked(summed, given, {"y": 2 * ones(3)}, 2))

def sized(function):
    function.sizes_beside_it = (2, 5)
    return function

@sized
def test_range(test_manager, range_test_options):
    rows = range_test_options
    test_manager.execute(asked(doubled, {"x": ones(rows)}, {"y": 2 * ones(rows)}))

@pytest.mark.platforms(exclude=[Platforms.TRN1, Platforms.TRN2])
def test_platform(platform_target):
    assert platform_target is Platforms.TRN3

def test_any_platform(platform_target):
    assert platform_target is Platforms.TRN2

def test_drawn(test_manager):
    random.seed(0)
    assert random.random() == DRAWN


def test_mode(test_manager, trace_mode):
    assert test_manager.trace_mode is trace_mode is TraceMode.Simulator
    test_manager.trace_mode = TraceMode.CompileOnly
    test_manager.execute(asked(doubled, {"x": ones(3)}, {"y": 2 * ones(3)}))

@pytest.mark.xfail(strict=False, reason="not yet")
def test_marked_and_right(test_manager):
    test_manager.execute(asked(doubled, {"x": ones(3)}, {"y": 2 * ones(3)}))

@pytest.mark.xfail(strict=False, reason="not yet")
def test_marked_and_wrong(test_manager):
    test_manager.execute(asked(doubled, {"x": ones(3)}, {"y": 3 * ones(3)}))

def test_called_and_wrong(test_manager):
    pytest.xfail("never")
    test_manager.execute(asked(doubled, {"x": ones(3)}, {"y": 3 * ones(3)}))

def test_skipped(test_manager):
    pytest.skip("too large")

def test_numbers(test_manager):
    first = np.random.rand(3, 4).astype(np.float32)
    np.random.seed(0)
    test_manager.execute(asked(doubled, {"x": first}, {"y": 2 * np.random.rand(3, 4)}))
"""

LONG = """
import pytest

@pytest.mark.coverage_parametrize(size=[1, 2], coverage="pairs")
def test_long(size):
    pass
"""
DRAWING = """
def generate_parametrized_test_case(**asked):
    raise AssertionError("these were drawn")
"""


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What became of each case of the checkout."""
    root = tmp_path_factory.mktemp("checkout")
    files = {
        "test/utils/common_dataclasses.py": COMMON,
        "test/utils/ranged_test_harness.py": RANGES,
        "test/utils/coverage_parametrized_tests.py": DRAWING,
        "test/integration/test_long.py": LONG,
        "test/integration/test_small.py": TESTS,
        "test/integration/test_imports.py": "import test.utils.broken_kernel\n",
        "test/utils/broken_kernel.py": "x = 1\n\n    y = 2\n",
    }
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).parent.joinpath("__init__.py").touch()
        (root / name).write_text(text)
    (root / "test" / "__init__.py").touch()
    command = [sys.executable, "-m", "nasm.nki.library_tests", str(root)]
    found = root / "found.json"
    made = subprocess.run(
        [*command, "--limit", "2", "--json", str(found)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
        check=False,
    )
    assert found.exists(), made.stdout + made.stderr
    return {case["name"].partition("::")[2]: case for case in json.loads(found.read_text())}


@pytest.mark.parametrize(
    ("name", "outcome"),
    [
        ("test_right", "right"),
        ("test_in_place", "right"),
        ("test_wrong", "wrong"),
        ("test_must_fail", "raises"),
        ("test_slow", "slow"),
        ("test_range[n-2]", "right"),
        ("test_range[n-5]", "right"),
        ("test_numbers", "right"),
        ("test_mode", "right"),
        ("test_marked_and_right", "right"),
        ("test_marked_and_wrong", "wrong"),
        ("test_called_and_wrong", "wrong"),
        ("test_skipped", "skipped"),
        ("test_ranks", "right"),
        ("test_one_rank_is_wrong", "wrong"),
        ("test_ranks_alike", "right"),
        ("test_ranks_in_place", "right"),
        ("test_ranks_that_differ", "gap"),
    ],
)
def test_what_becomes_of_a_case(cases: dict[str, Any], name: str, outcome: str) -> None:
    assert cases[name]["outcome"] == outcome


def test_a_case_that_may_fail_is_marked(cases: dict[str, Any]) -> None:
    marked = {name: case["xfail"] for name, case in cases.items() if case["xfail"]}
    assert marked == {
        "test_marked_and_right": "not yet",
        "test_marked_and_wrong": "not yet",
        "test_called_and_wrong": "never",
    }


def test_a_file_that_is_no_python_is_named_with_its_line(cases: dict[str, Any]) -> None:
    assert cases[""]["why"] == "broken_kernel.py:3: IndentationError: unexpected indent"


def test_values_that_differ_between_ranks_are_named(cases: dict[str, Any]) -> None:
    assert cases["test_ranks_that_differ"]["why"] == (
        "Gap: many differs between ranks, and is no array"
    )


def test_a_wrong_value_is_reported_with_its_place(cases: dict[str, Any]) -> None:
    assert cases["test_wrong"]["why"] == (
        "y: 12 of 12 elements, the first at [0, 0]: 2, wanted 3, with a tolerance of 0.003"
    )


def test_a_case_over_its_time_says_what_it_was_at(cases: dict[str, Any]) -> None:
    assert cases["test_slow"]["why"] == "while tracing"


def test_cases_that_modules_draw_are_the_same_each_time(cases: dict[str, Any]) -> None:
    assert cases["test_drawn"]["outcome"] == "no kernel"  # and did not fail before


def test_a_test_runs_on_a_platform_that_it_does_not_exclude(cases: dict[str, Any]) -> None:
    assert cases["test_platform"]["outcome"] == "no kernel"  # and did not fail before
    assert cases["test_any_platform"]["outcome"] == "no kernel"


def test_no_cases_are_drawn_that_would_not_be_run(cases: dict[str, Any]) -> None:
    assert not any("these were drawn" in case["why"] for case in cases.values())


def test_an_import_that_fails_says_what_to_install() -> None:
    said = "ModuleNotFoundError: No module named 'attr'"
    assert plugin._with_package(said) == f"{said} (pip install attrs)"
    other = "ModuleNotFoundError: No module named 'test.utils'"
    assert plugin._with_package(other) == other


def test_an_empty_argument_does_not_name_every_test(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "test" / "integration").mkdir(parents=True)
    with pytest.raises(SystemExit):
        test_process.main([str(tmp_path), ""])
    assert "an argument is empty" in capsys.readouterr().err
