"""A test that never ends fails, and says where it was."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LOOP = """
from hypothesis import given, strategies as st

def spin():
    while True:
        pass

{decorator}
def test_loops({argument}):
    spin()

def test_goes_on():
    pass
"""


@pytest.mark.parametrize(("decorator", "argument"), [("", ""), ("@given(st.integers())", "number")])
def test_a_test_that_loops_for_ever_fails_with_its_traceback(
    decorator: str, argument: str, tmp_path: Path
) -> None:
    path = tmp_path / "test_loops.py"
    path.write_text(LOOP.format(decorator=decorator, argument=argument))
    arguments = ("-q", "-p", "tests.conftest", "-p", "no:cacheprovider", "--timeout=0.5")
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *arguments, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert "1 failed, 1 passed" in done.stdout, done.stdout + done.stderr
    assert "TimedOut: the test was still running after 0.5 s" in done.stdout
    assert "in spin" in done.stdout


def test_the_suite_has_a_limit(pytestconfig: pytest.Config) -> None:
    assert 0 < float(pytestconfig.getini("timeout")) <= 120
