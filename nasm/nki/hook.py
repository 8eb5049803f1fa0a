"""The modules that kernels import, in place for as long as they are wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any


@contextmanager
def installed() -> Iterator[None]:
    """Let ``import nki`` find these modules; afterwards it finds what it found before."""
    ours = modules()
    before = {name: sys.modules.get(name) for name in ours}
    sys.modules.update(ours)
    try:
        yield
    finally:
        for name, module in before.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def modules() -> dict[str, ModuleType]:
    """The modules by name."""
    from nasm.nki import isa, language, names
    from nasm.nki.kernel import jit

    def module(name: str, source: Any, **more: Any) -> ModuleType:
        made = ModuleType(name)
        made.__dict__.update({k: v for k, v in vars(source).items() if not k.startswith("__")})
        made.__dict__.update(more)
        return made

    constants = module("nki.isa.constants", names)
    found = {
        "nki.isa": module("nki.isa", isa, constants=constants),
        "nki.isa.constants": constants,
        "nki.language": module("nki.language", language),
        "nki.typing": module("nki.typing", language),
        "nki.dtype": module("nki.dtype", names, **names.DTYPES),
    }
    top = ModuleType("nki")
    top.__path__ = []
    top.__dict__.update(
        jit=jit, **{n.split(".")[1]: m for n, m in found.items() if n.count(".") == 1}
    )
    return {"nki": top, **found}
