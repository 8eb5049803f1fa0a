"""What the library's tests import that is not public, or drives other computers."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType

import numpy as np

from nasm.nki import neuron_dtypes

MISSING_PACKAGES = (
    "allpairspy",
    "aws_embedded_metrics",
    "boto3",
    "botocore",
    "fabric2",
    "invoke",
    "paramiko",
    "plotext",
    "pytest_html",
    "neuronxcc.starfish",
)
"""Packages of which nothing is used here but that they can be imported."""


class StandIns(MetaPathFinder, Loader):
    """Finds modules that are not there, and makes some that have whatever is asked for."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """A module of ours, if it is one of those."""
        if fullname in MISSING_PACKAGES or fullname.startswith((*_INSIDE, "test.utils.")):
            return ModuleSpec(fullname, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """An empty one."""
        return ModuleType(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """Fill it."""
        if module.__name__ == "neuronxcc.starfish.support.dtype":
            module.__dict__.update(neuron_dtypes.MEMBERS)
        else:
            module.__dict__["__getattr__"] = _anything


_INSIDE = tuple(f"{name}." for name in MISSING_PACKAGES)


def install() -> None:
    """Let them be found where nothing else is, and packed dtypes by NumPy, under their names."""
    for name in neuron_dtypes.PACKED:
        np.sctypeDict.setdefault(name, neuron_dtypes.as_numpy(name))  # type: ignore[arg-type]
    if not any(isinstance(finder, StandIns) for finder in sys.meta_path):
        sys.meta_path.append(StandIns())


def _anything(name: str) -> type:
    """A class of any name: some are caught as exceptions."""
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (Exception,), {})
