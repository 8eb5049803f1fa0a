"""The modules that kernels import, in place for as long as they are wanted."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from threading import RLock
from types import ModuleType
from typing import Any, NoReturn

from nasm.base.problems import Failure, Problem
from nasm.nki.chip_packages import DTYPES, ChipLoader
from nasm.nki.errors import NOT_NKI, here

OLD = "neuronxcc.nki"
"""The package of NKI 0.1."""

OURS = ("nki", OLD)
"""The packages that are ours inside the hook, whatever is installed."""

OFF = 100
"""A level of logging above all others: importing AWS's compiler adds it, and scripts use it."""

CHIPS = ("torch_neuronx", "torch_xla", "libneuronxla", "jax_neuronx", "torch_neuron", DTYPES)
"""Packages that drive a chip, and the dtypes that come with them."""


class NotHere(Failure, ImportError):
    """A module that does not exist here; looking it up reports that."""


@contextmanager
def entered(make: Callable[[], dict[str, ModuleType]]) -> Iterator[None]:
    """Let modules be found that are made, until the last who has entered has left."""
    _HOOK.enter(make)
    try:
        yield
    finally:
        _HOOK.leave()


class _Hook:
    """How often it is entered, and what was there before."""

    def __init__(self) -> None:
        self.lock, self.depth, self.level = RLock(), 0, False
        self.before: dict[str, ModuleType] = {}
        self.parent: ModuleType | None = None
        self.attribute: Any = None
        self.ours: dict[str, ModuleType] = {}

    def enter(self, make: Callable[[], dict[str, ModuleType]]) -> None:
        with self.lock:
            if not self.depth:
                self.ours = make()
                self.before = _taken_out()
                sys.modules.update(self.ours)
                self._parent(OLD)
                self.level = not hasattr(logging, "OFF")
                if self.level:
                    vars(logging)["OFF"] = OFF
                sys.meta_path.insert(0, _ABSENT)
                sys.meta_path.append(_CHIPS)
            self.depth += 1

    def leave(self) -> None:
        with self.lock:
            self.depth -= 1
            if not self.depth:
                for finder in (_ABSENT, _CHIPS):
                    if finder in sys.meta_path:
                        sys.meta_path.remove(finder)
                _taken_out()
                CHIP_LOADER.forget()
                if self.level:
                    vars(logging).pop("OFF", None)
                sys.modules.update(self.before)
                self._parent_back()
                self.before, self.ours = {}, {}

    def _parent(self, old: str) -> None:
        """Let the package that NKI 0.1 is in have ours; make one if there is none."""
        name, _, inner = old.partition(".")
        self.parent = sys.modules.get(name)
        if self.parent is None:
            installed = find_spec(name)
            found = ModuleType(name)
            found.__path__ = list((installed and installed.submodule_search_locations) or ())
            found.__spec__ = ModuleSpec(name, None, is_package=True)
            sys.modules[name] = found
        else:
            found, self.attribute = self.parent, vars(self.parent).get(inner)
        setattr(found, inner, self.ours[old])

    def _parent_back(self) -> None:
        if self.parent is None:
            sys.modules.pop("neuronxcc", None)
        elif self.attribute is None:
            vars(self.parent).pop("nki", None)
        else:
            self.parent.nki = self.attribute  # type: ignore[attr-defined]
        self.parent = self.attribute = None


def _taken_out() -> dict[str, ModuleType]:
    """Take the modules of these names out of those that are imported."""
    within = tuple(f"{own}." for own in OURS)
    names = [name for name in sys.modules if name in OURS or name.startswith(within)]
    return {name: sys.modules.pop(name) for name in names}


class _MissingModules(MetaPathFinder):
    """Says of modules that are none of ours, in packages that are ours, what they are."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.startswith("neuronxcc.nki."):
            _missing(
                f"no module {fullname}: of NKI 0.1 there is what its reference documents",
                "neuronxcc.nki.language, .isa, .typing and .compiler; kernels that AWS's compiler "
                "brought along are its own",
                fullname,
            )
        return None


class _Chips(MetaPathFinder):
    """Finds what kernels are called through of packages that drive a chip, if they are not there.

    Of the rest it says what they are.
    """

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname.partition(".")[0] in CHIPS:
            spec = CHIP_LOADER.spec(fullname)
            if spec is not None:
                return spec
            _missing(
                f"no module {fullname}: it drives a chip, and there is none here",
                "the kernel itself can be called with arrays, of NumPy or of PyTorch on the CPU: "
                "neuron-nasm nki FILE.py:KERNEL --in …, or from another script",
                fullname,
            )
        return None


def _missing(message: str, hint: str, name: str) -> NoReturn:
    problem = Problem(NOT_NKI, message, here(), hint)
    found = NotHere(problem)
    found.name = name
    raise found


CHIP_LOADER = ChipLoader()
_HOOK, _ABSENT, _CHIPS = _Hook(), _MissingModules(), _Chips()
