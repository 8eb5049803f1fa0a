"""What is said of public files of NKI 0.1, on files that are made up."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.nki.published import benchmarked, dialect
from tests.tables import each

KERNEL = """
import numpy as np
import neuronxcc.nki as nki
import neuronxcc.nki.language as nl

@nki.jit
def kernel(x):
    out = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    nl.store(out, nl.load(x) * 2)
    return out
"""
CALLED = "\nx = np.ones((8, 8), np.float32)\n"
SCRIPT = f"{KERNEL}{CALLED}if __name__ == '__main__':\n    "
REFERENCE = """
import numpy as np
def get_inputs(): return [np.ones((8, 4), np.float32)]
def forward(x): return x * FACTOR
def transform_to_nki_inputs(inputs): return [inputs[0].reshape(4, 8)]
def transform_nki_outputs(made, wanted): return [np.reshape(made, wanted.shape)]
"""

FILES = {
    "a kernel": (KERNEL, "imported", ""),
    "a script": (f"{SCRIPT}assert (kernel(x) == 2).all()", "right", ""),
    "a script that prints": (f"{SCRIPT}print('close?', (kernel(x) == 3).all())", "other", "False"),
    "a script that raises": (f"{SCRIPT}assert (kernel(x) == 3).all()", "other", "AssertionError"),
    "a script that ends": (f"{SCRIPT}raise SystemExit(3)", "other", "exit code 3"),
    "a refused one": (f"{SCRIPT}kernel(np.ones((999, 8)))", "refused", "E0"),
    "a chip's": (f"import libneuronxla\n{KERNEL}", "needs", "libneuronxla"),
    "another package's": (f"import no_such_package\n{KERNEL}", "other", "needs no_such_package"),
    "a test": (f"{KERNEL}{CALLED}def test_it(): assert 0\ntest_it()", "other", "AssertionError"),
    "an exercise": (f"{KERNEL}\nx = # yours", "other", "SyntaxError"),
}


@each("name", sorted(FILES))
def test_what_became_of_a_file(tmp_path: Path, name: str) -> None:
    text, outcome, why = FILES[name]
    path = tmp_path / "file.py"
    path.write_text(text, encoding="utf-8")
    assert list(dialect.files(tmp_path)) == [path]
    found = dialect.one(path, tmp_path, None)
    assert found["outcome"] == outcome
    assert why in found.get("why", "")


@pytest.mark.parametrize(("factor", "outcome"), [("2", "right"), ("2.0001", "other")])
def test_a_kernel_is_compared_with_the_reference_of_its_operator(
    tmp_path: Path, factor: str, outcome: str
) -> None:
    folder, path = tmp_path / "reference", tmp_path / "twice_M8_N4_0.py"
    folder.mkdir()
    path.write_text(KERNEL, encoding="utf-8")
    made = REFERENCE.replace("FACTOR", factor)
    (folder / "twice_M8_N4_numpy_1.py").write_text(made, encoding="utf-8")
    assert dialect.one(path, tmp_path, folder)["outcome"] == outcome


def test_references_are_found_by_the_name_of_the_operator(tmp_path: Path) -> None:
    for name in ("bmm_B16_M4096_numpy_1.py", "bmm_softmax_B16_numpy_2.py"):
        (tmp_path / name).touch()
    softmax, plain = (
        tmp_path / f"bmm_{name}" for name in ("softmax_B16_numpy_2.py", "B16_M4096_numpy_1.py")
    )
    assert benchmarked.reference_of(Path("bmm_softmax_B16_0.py"), tmp_path) == softmax
    assert benchmarked.reference_of(Path("bmm_B16_M4096_0.py"), tmp_path) == plain
    assert benchmarked.reference_of(Path("workspaces/bmm/runs/v1.py"), tmp_path) == plain
    assert benchmarked.reference_of(Path("other_M1.py"), tmp_path) is None
