"""Packages that drive a chip, as far as kernels are called through them: here the CPU is the chip.

They are found only where none of these names is installed, and say on standard error what they are.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from nasm.nki import neuron_dtypes
from nasm.nki.jit import jit, simulate

DTYPES = "neuron_dtypes"
"""The one of these packages that drives nothing."""


class ChipLoader(Loader):
    """Makes the modules; ``named`` are the packages that have been announced."""

    def __init__(self) -> None:
        self.named: set[str] = set()

    def spec(self, fullname: str) -> ModuleSpec | None:
        """How a module is made; None if there is none of this name."""
        if fullname not in MODULES:
            return None
        return ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """A plain one."""
        return None

    def exec_module(self, module: ModuleType) -> None:
        """Fill it, and say once what its package is."""
        name = module.__name__
        package = name.partition(".")[0]
        if package not in self.named and package != DTYPES:
            self.named.add(package)
            sys.stderr.write(
                f"{package} is not installed: its device is the CPU, and kernels run simulated\n"
            )
        vars(module).update(MODULES[name])
        module.__getattr__ = _absent(name)  # type: ignore[method-assign]

    def forget(self) -> None:
        """Take the modules out of those that are imported."""
        for name in MODULES:
            if getattr(getattr(sys.modules.get(name), "__spec__", None), "loader", None) is self:
                del sys.modules[name]


def _absent(module: str) -> Callable[[str], Any]:
    def missing(name: str) -> Any:
        there = ", ".join(MODULES[module]) or "modules only"
        said = f"of {module} there is only what kernels are called through: {there}"
        raise AttributeError(f"no {module}.{name}: {said}")

    return missing


def _torch() -> Any:
    """PyTorch, which the caller has imported."""
    if "torch" not in sys.modules:
        raise ImportError("there is no PyTorch that this could belong to: import torch first")
    return sys.modules["torch"]


# ---------------------------------------------------------------- torch_xla


def xla_device(n: int | None = None, devkind: str | None = None) -> Any:
    """The device that tensors are moved to: the CPU."""
    return _torch().device("cpu")


def device(index: int | None = None) -> Any:
    """The same, as it is called now."""
    return xla_device(index)


def mark_step(*_: Any, **__: Any) -> None:
    """Nothing waits: every call has ended when it returns."""


# ---------------------------------------------------------------- torch_neuronx


def nki_op(
    name: str, function: Callable[..., Any] | None = None, *, mutates_args: Iterable[str] | str
) -> Any:
    """Register a function that calls kernels as an operator of PyTorch, as PyTorch itself does."""
    library = _torch().library
    changed = mutates_args if isinstance(mutates_args, str) else tuple(mutates_args)
    made = library.custom_op(name, mutates_args=changed)
    return made if function is None else made(function)


MODULES: dict[str, dict[str, Any]] = {
    DTYPES: neuron_dtypes.MEMBERS,
    "torch_xla": {"device": device, "sync": mark_step},
    "torch_xla.core": {},
    "torch_xla.core.xla_model": {
        "xla_device": xla_device,
        "mark_step": mark_step,
        "wait_device_ops": mark_step,
    },
    "torch_neuronx": {"nki_jit": jit, "nki_op": nki_op, "wrap_nki": simulate},
}
"""What there is, by module."""
