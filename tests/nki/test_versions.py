"""The page of versions: what a file uses, which releases have it, and whether it is imported."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.nki.published import stubs
from tests.nki.published.stubs import Release
from tests.nki.published.tried import imports
from tests.nki.published.uses import Use, uses
from tests.nki.published.versions import fitting, missing, read

KERNEL = """\
import nki
import nki.isa as nisa
from nki import language as nl
from nki.language import load as get
import numpy.nki as other

@nki.jit(mode="x")
def kernel(x):
    tile = get(x)
    nisa.fancy(dst=tile, data=tile, more=1)
    other.isa.nothing()
    return nl.tile_size.pmax

def helper(x):
    return nl.add(x, x)
"""


def release(sdk: str, package: str = "nki", **isa: frozenset[str] | None) -> Release:
    everything = {"jit": None}
    language = dict.fromkeys(("load", "tile_size", "add"), None)
    names = {package: everything, f"{package}.isa": dict(isa), f"{package}.language": language}
    return Release(sdk, package, "0", names)


def test_uses_are_names_of_modules_however_they_are_imported() -> None:
    found = uses(KERNEL)
    assert found is not None
    assert set(found.names) == {
        Use("nki", "jit", 7, ("mode",)),
        Use("nki.language", "load", 9),
        Use("nki.isa", "fancy", 10, ("dst", "data", "more")),
        Use("nki.language", "tile_size", 12),
        Use("nki.language", "add", 15),
    }
    assert found.kernels == ["kernel"]
    assert found.packages == {"nki"}
    assert uses("import nkix\nfrom other.nki import isa\n") is None


def test_a_release_fits_that_has_every_name_and_every_keyword() -> None:
    found = uses(KERNEL)
    assert found is not None
    parameters = frozenset({"dst", "data"})
    releases = [
        release("2.26", "neuronxcc.nki", fancy=None),
        release("2.27"),
        release("2.28", fancy=parameters | {"more"}),
        release("2.29", fancy=None),
        release("2.30", fancy=parameters),
        release("2.31", fancy=None),
    ]
    fit = fitting(found, releases)
    assert (fit.text, fit.lacks, fit.newest) == ("2.28 to 2.29, 2.31", "`nisa.fancy(more=)`", True)
    assert missing(found, releases[1]) == Use("nki.isa", "fancy", 10)
    assert fitting(found, releases[:2]).text == "none"


def test_releases_are_the_tags_of_a_checkout(tmp_path: Path) -> None:
    def git(*words: str) -> None:
        name = ("-c", "user.name=n", "-c", "user.email=e")
        subprocess.run(["git", "-C", str(tmp_path), *name, *words], check=True, capture_output=True)

    def tagged(tag: str, folder: str, text: str) -> None:
        path = tmp_path / folder / "isa" / "__init__.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        notes = tmp_path / "release-notes" / "components" / "nki.rst"
        notes.parent.mkdir(parents=True, exist_ok=True)
        notes.write_text(f"Neuron Kernel Interface (NKI) [0.{tag[3:5]}.0] (x)\n")
        git("add", ".")
        git("commit", "-qm", tag)
        git("tag", tag)

    git("init", "-q")
    tagged("v2.26.0", "general/nki/api/nki", "def old(x, *, mask=None): ...\n")
    tagged("v2.30.0", "nki/api/nki", "def one(dst): ...\n")
    tagged("v2.30.1", "nki/api/nki", "def one(dst, src): ...\nmany: int = ...\ndef any(**k): ...\n")
    old, today = stubs.releases(tmp_path)
    assert (old.sdk, old.package, today.sdk, today.package) == ("2.26", stubs.OLD, "2.30", "nki")
    assert today.nki == "0.30"
    assert old.takes(f"{stubs.OLD}.isa", "old", "mask")
    assert today.names["nki.isa"] == {"one": frozenset({"dst", "src"}), "many": None, "any": None}
    assert today.takes("nki.isa", "any", "x")
    assert not today.takes("nki.isa", "one", "x")


@pytest.mark.thorough
def test_what_stops_an_import_is_named_and_the_rest_is_imported(tmp_path: Path) -> None:
    texts = {
        "right.py": "import nki\nimport beside\n",
        "beside.py": "",
        "ends.py": "import os\nos._exit(3)\n",
        "needs.py": "import nothing_of_this_name\n",
        "raises.py": "raise ValueError('so')\n",
    }
    paths = [tmp_path / name for name in texts]
    for path, text in zip(paths, texts.values(), strict=True):
        path.write_text(text)
    found = {path.name: why for path, why in imports(tmp_path, paths).items()}
    assert found == {
        "right.py": "",
        "beside.py": "",
        "ends.py": "its import ends the process",
        "needs.py": "needs nothing_of_this_name",
        "raises.py": "ValueError: so",
    }


def test_a_file_that_is_no_python_is_named_with_its_line(tmp_path: Path) -> None:
    path = tmp_path / "wrong.py"
    path.write_text("import nki\n  x\n")
    assert read(path) == "no Python: line 2"
    path.write_text("import nki.language as nl\nx = nl.float32\n")
    assert read(path) is None
