"""What `make demo` runs: a trained network reads handwritten digits."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

DEMO = Path(__file__).parents[2] / "programs" / "demo.py"


@pytest.mark.turns(4)
def test_the_demo_reads_nearly_all_digits() -> None:
    done = subprocess.run(
        [sys.executable, str(DEMO)], capture_output=True, text=True, check=False, timeout=100
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "896" in done.stdout


@pytest.mark.turns(4)
def test_the_demo_runs_on_other_cores_and_refuses_those_that_there_are_not() -> None:
    for target, code in (("trn2", 0), ("trn9", 2)):
        done = subprocess.run(
            [sys.executable, str(DEMO), "--target", target],
            capture_output=True, text=True, check=False, timeout=100,
        )  # fmt: skip
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
