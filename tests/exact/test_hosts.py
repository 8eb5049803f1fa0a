"""The same memory on every host: all programs, with the kernels of other processors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

NO_VECTORS = "AVX2 FMA3 AVX512F AVX512_SKX AVX512_ICL X86_V3 X86_V4"
HOSTS = {
    "as it is": {},
    "Haswell": {"OPENBLAS_CORETYPE": "Haswell", "OPENBLAS_NUM_THREADS": "1"},
    "SkylakeX": {"OPENBLAS_CORETYPE": "SkylakeX"},
    "Prescott": {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": NO_VECTORS},
}
"""What NumPy and its library of matrix products are told to believe of the processor.

One that lacks instructions which it is said to have ends such a run: that is left out.
"""

HASHES = """
import hashlib, json, sys, warnings
import numpy as np
warnings.simplefilter("ignore")  # NumPy warns of features that it or the processor does not have
import nasm
found = {}
for path in sys.argv[1:]:
    report = nasm.run(path).report
    assert report.ok, (path, report.problems)
    found[path] = report.memory_hash, report.trace_hash
a, b = np.random.default_rng(0).standard_normal((2, 128, 128)).astype(np.float32)
plain = hashlib.sha256((a @ b).tobytes() + np.exp(a).tobytes()).hexdigest()
print(json.dumps([found, plain]))
"""


@pytest.mark.thorough
def test_no_hash_shows_the_processor_or_its_libraries() -> None:
    programs = sorted(str(path) for path in (ROOT / "programs").glob("*.nasm"))
    runs = {
        name: subprocess.Popen(
            [sys.executable, "-W", "ignore", "-c", HASHES, *programs],
            cwd=ROOT,
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            text=True,
        )
        for name, settings in HOSTS.items()
    }
    said = {name: run.communicate()[0] for name, run in runs.items()}
    lacking = {name for name, run in runs.items() if run.returncode == -signal.SIGILL}
    assert "as it is" not in lacking
    assert all(run.returncode == 0 for name, run in runs.items() if name not in lacking)
    told = {name: json.loads(text) for name, text in said.items() if name not in lacking}
    first, _ = told["as it is"]
    assert len(first) == len(programs)
    for name, (hashes, _) in told.items():
        assert hashes == first, name
    if len({plain for _, plain in told.values()}) == 1:
        pytest.skip("here NumPy computes alike, whatever it is told")
