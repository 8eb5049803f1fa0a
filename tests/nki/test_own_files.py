"""Kernels that are watched: what they import from their folder is noted, and imported anew."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from nasm.base import files
from nasm.nki.kernel import Traced
from nasm.nki.loading import load

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl
{imports}

@nki.jit
def filled(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    {name} = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.memset(dst={name}, value={value})
    nisa.dma_copy(dst=y, src={name})
    return y
"""


@pytest.fixture(autouse=True)
def _imports(tmp_path: Path) -> Iterator[None]:
    """What is imported meanwhile, and the folder that it is found in, are forgotten."""
    modules, places = set(sys.modules), list(sys.path)
    yield
    sys.path[:] = places
    for name in set(sys.modules) - modules:
        if str(tmp_path) in str(getattr(sys.modules[name], "__file__", "")):
            del sys.modules[name]


def written(path: Path, *, name: str = "tile", value: object = 1.0, imports: str = "") -> Path:
    path.write_text(KERNEL.format(name=name, value=value, imports=imports), encoding="utf-8")
    return path


def traced(path: Path) -> tuple[Traced, set[str]]:
    """The kernel as a program, and the files that were noted, from its folder on."""
    with files.noting() as found:
        made = load(f"{path}:filled", {"x": np.zeros((128, 8), np.float32)}, {})
    return made, {str(Path(name).relative_to(path.parent)) for name in found}


def test_a_tensor_has_the_name_that_its_line_has_now(tmp_path: Path) -> None:
    made, _ = traced(written(tmp_path / "renamed.py", name="tile"))
    assert "tile" in made.program.tensors
    made, _ = traced(written(tmp_path / "renamed.py", name="wide"))
    assert "wide" in made.program.tensors


def test_what_nothing_notes_is_imported_once(tmp_path: Path) -> None:
    path, x = written(tmp_path / "once.py", name="tile"), np.zeros((128, 8), np.float32)
    first = load(f"{path}:filled", {"x": x}, {})
    written(path, name="wide")
    again = load(f"{path}:filled", {"x": x}, {})
    assert set(first.program.tensors) == set(again.program.tensors)


def test_a_package_is_noted_with_its_parents_and_modules_imported_on_the_way(
    tmp_path: Path,
) -> None:
    inner = tmp_path / "outer" / "inner"
    inner.mkdir(parents=True)
    (tmp_path / "outer" / "__init__.py").write_text("", encoding="utf-8")
    (inner / "__init__.py").write_text("", encoding="utf-8")
    (tmp_path / "outer" / "beside.py").write_text("LEFT = 1\n", encoding="utf-8")
    path = written(inner / "kernels.py", imports="from outer import beside\n")
    with files.noting() as found:
        load(f"{path}:filled", {"x": np.zeros((128, 8), np.float32)}, {})
    names = ("outer/__init__.py", "outer/inner/__init__.py", "outer/inner/kernels.py")
    assert set(found) == {str(tmp_path / name) for name in (*names, "outer/beside.py")}


def test_libraries_and_what_python_has_built_in_are_not_noted(tmp_path: Path) -> None:
    (tmp_path / "time.py").write_text("raise ImportError\n", encoding="utf-8")
    path = written(tmp_path / "uses.py", imports="import time\nimport numpy, json, ml_dtypes\n")
    assert traced(path)[1] == {"uses.py"}


def test_a_module_that_is_not_there_yet_is_noted(tmp_path: Path) -> None:
    guarded = "try:\n    import later\nexcept ImportError:\n    pass\n"
    assert traced(written(tmp_path / "waits.py", imports=guarded))[1] == {"waits.py", "later.py"}
