"""The same memory on every host: all programs, with the kernels of other processors."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from functools import cache
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

Where NumPy itself does not work as one of them, that one is left out.
"""

PRODUCTS = """
import warnings
import numpy as np
warnings.simplefilter("ignore")
draw = np.random.default_rng(0)
for m, k, n in ((256, 512, 64), (128, 128, 512), (17, 33, 5), (1, 7, 3), (128, 64, 1)):
    a, b = draw.integers(-8, 9, (m, k)), draw.integers(-8, 9, (k, n))
    for kind in np.float32, np.float64:
        x, y = a.astype(kind), b.astype(kind)
        for x, y in ((x, y), (np.asfortranarray(x), np.asfortranarray(y))):
            assert (x @ y == a @ b).all(), f"a product of {kind.__name__} is wrong"
"""
"""Products of whole numbers by NumPy alone, each by another way as well."""

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


@cache
def fault(host: str) -> str:
    """What keeps NumPy by itself from working as a host; empty if nothing does."""
    command = [sys.executable, "-W", "ignore", "-c", PRODUCTS]
    environment = {**os.environ, **HOSTS[host]}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode < 0:
        return f"NumPy as {host} ends with {signal.Signals(-done.returncode).name}"
    said = done.stderr.strip().rpartition("\n")[2]
    return f"NumPy as {host} fails: {said}" if done.returncode else ""


@pytest.mark.turns(2)
@pytest.mark.parametrize("host", HOSTS)
def test_numpy_itself_works_as_each_host(host: str) -> None:
    reason = fault(host)
    if host == "as it is":
        assert reason == ""
    elif reason:
        pytest.skip(reason)


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
        if not fault(name)
    }
    said = {name: run.communicate()[0] for name, run in runs.items()}
    assert {name: run.returncode for name, run in runs.items()} == dict.fromkeys(runs, 0)
    told = {name: json.loads(text) for name, text in said.items()}
    first, _ = told["as it is"]
    assert len(first) == len(programs)
    for name, (hashes, _) in told.items():
        assert hashes == first, name
    if len({plain for _, plain in told.values()}) == 1:
        pytest.skip("here NumPy computes alike, whatever it is told")
