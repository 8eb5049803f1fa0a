"""Public kernels of NKI: where each stands in a checkout, what it is called with, what it gives.

None of them is in this repository. Their checkouts are given by path; what is here are inputs, and
references of our own or the place of the published one.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

Inputs = tuple[tuple[Any, ...], dict[str, Any]]


@dataclass(frozen=True)
class Asked:
    """A call of a kernel, ready to be made, on so many cores of a target.

    ``judge`` says of what it returns how far it is off, in parts of what is allowed.
    """

    kernel: Any
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    target: str
    lnc: int
    judge: Callable[[Any], float] | None


@dataclass(frozen=True)
class Case:
    """One call of a public kernel.

    ``file`` is its path in the checkout called ``root``; ``inputs`` makes its arguments from a
    generator and the kernel's module, ``reference`` what it should return, from the same arguments.
    An output is right where it differs by at most ``atol`` plus ``rtol`` of the reference's largest
    magnitude, as the library's own tests have it. ``published`` is its time in microseconds where
    one is published. A ``long`` one is run when asked for.
    """

    stage: int
    name: str
    root: str
    file: str
    kernel: str
    inputs: Callable[[np.random.Generator, ModuleType], Inputs]
    reference: Callable[..., Any] | None = None
    target: str = "trn2"
    lnc: int = 1
    rtol: float = 1e-5
    atol: float = 1e-5
    published: float | None = None
    source: str = ""
    long: bool = False
    values: bool = True
    beside: tuple[str, ...] = field(default=())

    def ask(self, roots: Mapping[str, Path]) -> Asked:
        """The call, with a module of the checkout."""
        module = load(self, roots)
        with on_path((roots[self.root] / self.file).parent):
            args, kwargs = self.inputs(np.random.default_rng(1), module)
        reference = self.reference
        wanted = reference and reference(*args, **kwargs)
        judge = reference and (lambda found: error(found, wanted, self.rtol, self.atol))
        kernel = getattr(module, self.kernel)
        return Asked(kernel, args, kwargs, self.target, self.lnc, judge)


def load(case: Case, roots: Mapping[str, Path]) -> ModuleType:
    """The module of a kernel, imported from its checkout; its own folder is on the path."""
    path = roots[case.root] / case.file
    name = f"published_{case.root}_{path.stem}"
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    with on_path(path.parent, *(roots[case.root] / extra for extra in case.beside)):
        spec.loader.exec_module(module)
    return module


@contextmanager
def on_path(*folders: Path) -> Iterator[None]:
    """Have folders on Python's path."""
    before = sys.path.copy()
    sys.path[:0] = map(str, folders)
    try:
        yield
    finally:
        sys.path[:] = before


def error(found: Any, wanted: Any, rtol: float, atol: float) -> float:
    """The worst difference, in parts of what is allowed: up to 1 is right."""
    outputs = found if isinstance(found, list | tuple) else [found]
    references = wanted if isinstance(wanted, list | tuple) else [wanted]
    if isinstance(wanted, dict):
        references = list(wanted.values())
    assert len(outputs) == len(references), (len(outputs), len(references))
    worst = 0.0
    for output, reference in zip(outputs, references, strict=True):
        have = np.asarray(output, np.float64)
        want = np.asarray(reference, np.float64)
        assert have.shape == want.shape, (have.shape, want.shape)
        if not have.size:
            continue
        if not np.array_equal(np.isfinite(have), np.isfinite(want)):
            return float("inf")
        finite = np.isfinite(want)
        most = atol + rtol * np.abs(want[finite]).max(initial=0)
        away = np.abs(have[finite] - want[finite]).max(initial=0)
        worst = max(worst, float(away / most) if most else float(away and np.inf))
    return worst
