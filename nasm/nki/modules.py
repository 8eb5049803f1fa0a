"""The modules that kernels import, by name."""

from __future__ import annotations

from enum import Enum
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, NoReturn

from nasm.nki import collectives, isa, language, names, typing_module
from nasm.nki.errors import NOT_NKI, refuse
from nasm.nki.hook import OLD
from nasm.nki.jit import jit, simulate
from nasm.nki.neuronxcc import modules as dialect
from nasm.nki.simulator import simulate_kernel

VERSION = "0.7.0"
"""The version that kernels see: that of SDK 2.33."""

RETIRED = ("baremetal", "benchmark", "profile", "simulate_kernel", "trace")
"""What ``nki`` had before 0.3, to run kernels on a chip."""


def _module(name: str, source: dict[str, Any]) -> ModuleType:
    made = ModuleType(name)
    inner = name.count(".")
    made.__spec__ = ModuleSpec(name, None, is_package=not inner)
    made.__package__ = name if not inner else name.rpartition(".")[0]
    made.__dict__.update(source)
    return made


def _public(source: ModuleType) -> dict[str, Any]:
    """What there is for others in a module of ours."""
    kept = ("__doc__", "__all__", "__getattr__", "__dir__")
    found = vars(source)
    return {
        name: value
        for name, value in found.items()
        if name in kept or not (name.startswith("_") or name.isupper() or _foreign(value))
    }


def _foreign(value: Any) -> bool:
    """Whether a module of ours has it from elsewhere, for itself."""
    if isinstance(value, ModuleType):
        return True
    home = getattr(value, "__module__", None) or type(value).__module__
    return home not in ("nki.isa", "builtins") and not home.startswith("nasm.nki.")


def made() -> dict[str, ModuleType]:
    """The modules of NKI, new ones."""
    enums = {n: v for n, v in vars(names).items() if isinstance(v, type) and issubclass(v, Enum)}
    constants = _module("nki.isa.constants", enums)
    found = {
        "nki.isa": _module("nki.isa", {**_public(isa), "constants": constants}),
        "nki.isa.constants": constants,
        "nki.language": _module("nki.language", _public(language)),
        "nki.typing": _module("nki.typing", _public(typing_module)),
        "nki.dtype": _module("nki.dtype", {"dtype": names.DType, **names.DTYPES}),
        "nki.collectives": _module("nki.collectives", _public(collectives)),
        "nki.compiler": _module("nki.compiler", {"__getattr__": _compiler}),
        "nki.simulator": _module("nki.simulator", {"simulate_kernel": simulate_kernel}),
    }
    found["nki.isa"].__path__ = []
    top = _module(
        "nki",
        {
            "__path__": [],
            "__version__": VERSION,
            "jit": jit,
            "simulate": simulate,
            "__getattr__": _retired,
        },
    )
    for name, module in found.items():
        if name.count(".") == 1:
            setattr(top, name.rpartition(".")[2], module)
    return {"nki": top, **found, **_older()}


def _older() -> dict[str, ModuleType]:
    """NKI 0.1, whose calls return tiles."""
    inner = {
        "isa": dialect.isa_names(),
        "language": dialect.language_names(),
        "compiler": dialect.compiler_names(),
        "nccl": dialect.nccl_names(),
        "typing": dialect.typing_names(),
    }
    made = {name: _module(f"{OLD}.{name}", source) for name, source in inner.items()}
    constants = _module(f"{OLD}.isa.constants", inner["isa"])
    vars(made["isa"])["constants"] = constants
    collectives = _module(f"{OLD}.nccl.collectives", inner["nccl"])
    vars(made["nccl"])["collectives"] = collectives
    for name in ("isa", "nccl"):
        made[name].__path__ = []
    top = _module(OLD, {"__path__": [], **dialect.top_names(), **made})
    return {
        OLD: top,
        f"{OLD}.isa.constants": constants,
        f"{OLD}.nccl.collectives": collectives,
        **{f"{OLD}.{name}": module for name, module in made.items()},
    }


def _compiler(name: str) -> NoReturn:
    _dunder("nki.compiler", name)
    refuse(
        f"nki.compiler.{name}: AWS's compiler has no part in this",
        "kernels are placed and synchronised here; an address by hand is nl.ndarray(address=…)",
        NOT_NKI,
    )


def _retired(name: str) -> NoReturn:
    if name in RETIRED:
        refuse(
            f"nki.{name} was there before NKI 0.3 and ran kernels on a chip",
            "call the kernel, or nki.simulate(kernel): both run it simulated here",
            NOT_NKI,
        )
    raise AttributeError(f"module 'nki' has no attribute {name!r}")


def _dunder(module: str, name: str) -> None:
    """What Python asks a module itself is no use of it."""
    if name.startswith("__"):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
