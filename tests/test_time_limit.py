"""A test that never ends fails, and says where it was; and which tests a run has."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOOP = """
import time
from hypothesis import given, strategies as st

def spin():
    while True:
        pass

def test_loops():
    spin()

@given(st.integers())
def test_loops_in_an_example(number):
    spin()

def test_waits():
    time.sleep(9)

def test_may_wait_longer_than_it_may_run():
    time.sleep(0.6)

def test_goes_on():
    pass
"""
SERIES = """
import pytest
from tests.parts import examples, part

@pytest.mark.parametrize("seed", part(range(10), 3))
def test_seed(seed):
    pass

@pytest.mark.thorough
def test_long():
    pass

def test_examples():
    assert examples(100, 7) in (7, 6, 100)
"""


def pytested(tmp_path: Path, text: str, *arguments: str) -> str:
    path = tmp_path / "test_given.py"
    path.write_text(text)
    fixed = ("-p", "tests.conftest", "-p", "no:cacheprovider", "-p", "no:xdist")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *fixed, *arguments, "-c", "pyproject.toml", str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    return done.stdout + done.stderr


@pytest.mark.thorough
def test_a_test_that_loops_or_waits_for_ever_fails_with_its_traceback(tmp_path: Path) -> None:
    out = pytested(tmp_path, LOOP, "-q", "--timeout=0.3")
    assert "3 failed, 2 passed" in out, out
    assert out.count("TimedOut: the test ran for 0.3 s of processor time") >= 2
    assert out.count("in spin") >= 2
    assert "TimedOut: the test was still waiting after 1.5 s" in out


def test_the_suite_has_a_limit(pytestconfig: pytest.Config) -> None:
    assert 0 < float(pytestconfig.getini("timeout")) <= 120


@pytest.mark.thorough
def test_another_seed_runs_another_part_of_a_series_and_all_of_it_runs_on_request(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = set[str]()
    for seed in ("20", "21", "22", "23"):
        monkeypatch.setenv("NASM_TEST_SEED", seed)
        out = pytested(tmp_path, SERIES, "-v")
        assert f"NASM_TEST_SEED={seed}" in out
        assert "1 deselected" in out, out
        ran = {line.split("::")[1].split()[0] for line in out.splitlines() if "test_seed[" in line}
        assert 2 <= len(ran) <= 3
        assert not ran & seen
        seen |= ran
    assert len(seen) == 10
    out = pytested(tmp_path, SERIES, "-q", "--all")
    assert "12 passed" in out, out
