"""Kernels of NKIBench, and others for its operators: against its references, at their full size.

A reference has ``get_inputs``, ``forward`` in NumPy, and what turns arguments and results into
those of a kernel. As in the benchmark's own harness a kernel is right if the norm of its
difference is below a part of the reference's norm.
"""

from __future__ import annotations

import re
import runpy
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np

import nasm.nki

CLOSE = {"mamba": 3e-5}
USUALLY = 2e-5
"""Part of the norm: of AccelOpt's harness; for mamba that of kda-for-trainium."""


def operator(stem: str) -> str:
    """The operator in the name of a reference or of a kernel: ``bmm`` of ``bmm_B16_M4096_…``."""
    return re.split(r"_[A-Z]+\d", stem)[0]


def reference_of(path: Path, folder: Path) -> Path | None:
    """The reference of the operator that a file, or the folder of its workspace, is called by."""
    known = {operator(one.stem): one for one in sorted(folder.glob("*_numpy_*.py"))}
    names = [operator(path.stem), *(part.name for part in path.parents)]
    return next((known[name] for name in names if name in known), None)


def judged(path: Path, reference: Path) -> dict[str, Any]:
    """How far the results of a file's kernel are from a reference."""
    given = runpy.run_path(str(path))
    kernel = given.get("kernel") or given.get("optimized_kernel")
    if kernel is None:
        return {"outcome": "imported"}
    np.random.seed(0)
    numpy = runpy.run_path(str(reference))
    inputs = numpy["get_inputs"]()
    arguments = numpy["transform_to_nki_inputs"]([copy(one) for one in inputs])
    made = nasm.nki.run(kernel, *arguments, target="trn1")
    wanted = numpy["forward"](*inputs)
    outputs = numpy["transform_nki_outputs"](made.outputs, wanted)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    limit = CLOSE.get(operator(reference.stem), USUALLY)
    worst = max(map(_away, outputs, wanted))
    row = {"away": worst, "microseconds": made.report.microseconds}
    if not worst < limit:
        return row | {
            "outcome": "other",
            "why": f"{worst:.1e} of the norm away, {limit:.0e} allowed",
        }
    return row | {"outcome": "right"}


def _away(found: Any, wanted: Any) -> float:
    difference = np.asarray(found, np.float64) - np.asarray(wanted, np.float64)
    return float(np.linalg.norm(difference) / np.linalg.norm(wanted))
