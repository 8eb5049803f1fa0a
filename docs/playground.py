"""Writes the page that runs nasm in a browser: a folder of files for any web server.

    python docs/playground.py --pyodide FOLDER-OR-ADDRESS [--to dist/playground]

Pyodide is Python for browsers. Give the folder to which its full distribution was unpacked, which
is copied, or the address of one that a server has. What it has of the packages that nasm needs is
taken from it, NumPy and ml_dtypes among them; the others are downloaded as wheels, and the wheel of
nasm is built from this checkout.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from importlib.metadata import requires, version
from pathlib import Path
from urllib.request import urlopen

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from nasm.apps.play.assets import BACKEND, FOLDER, NAMES  # noqa: E402

UNUSED = ("prompt-toolkit",)
"""Packages of the terminal alone."""

LOCAL = ("local.js", "worker.js")


def normal(name: str) -> str:
    """The name of a package as lock files have it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def needed(package: str = "neuron-nasm") -> dict[str, str]:
    """The packages that one needs, and all that these need: their versions here, by name."""
    found: dict[str, str] = {}
    for line in requires(package) or ():
        wanted, _, marker = line.partition(";")
        name = normal(re.split(r"[^\w.-]", wanted.strip(), maxsplit=1)[0])
        if "extra" not in marker and name not in UNUSED:
            found |= {name: version(name), **needed(name)}
    return found


def distributed(pyodide: str) -> set[str]:
    """The packages that a distribution of Pyodide has."""
    lock = f"{pyodide}pyodide-lock.json"
    with urlopen(lock) if "://" in lock else open(lock, "rb") as stream:
        return set(json.load(stream)["packages"])


def wheels(folder: Path, packages: dict[str, str]) -> list[str]:
    """Build the wheel of nasm, and download packages: pure Python, for any machine."""
    folder.mkdir(parents=True)
    build = ["-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    download = ["-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:"]
    download += ["--platform", "any", "--dest", str(folder)]
    download += [f"{name}=={version}" for name, version in sorted(packages.items())]
    for call in (build, download):
        subprocess.run([sys.executable, *call], check=True, stdout=subprocess.DEVNULL)
    return sorted(path.name for path in folder.glob("*.whl"))


def write(to: Path, pyodide: str) -> None:
    """Write the page; whatever the folder held is gone."""
    with tempfile.TemporaryDirectory(dir=to.parent) as scratch:
        made = Path(scratch) / "page"
        made.mkdir()
        for name in (*NAMES, LOCAL[1]):
            shutil.copy(FOLDER / name, made / name)
        shutil.copy(FOLDER / LOCAL[0], made / BACKEND)
        packages, there = needed(), distributed(pyodide)
        others = {name: at for name, at in packages.items() if name not in there}
        if Path(pyodide).is_dir():
            shutil.copytree(pyodide, made / "pyodide")
            pyodide = "pyodide/"
        names = [f"wheels/{name}" for name in wheels(made / "wheels", others)]
        theirs = sorted(packages.keys() & there)
        config = {"pyodide": pyodide, "packages": theirs, "wheels": names}
        (made / "config.json").write_text(json.dumps(config, indent=2) + "\n")
        shutil.rmtree(to, ignore_errors=True)
        shutil.move(made, to)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pyodide", required=True, metavar="FOLDER-OR-ADDRESS")
    parser.add_argument("--to", type=Path, default=ROOT / "dist" / "playground")
    given = parser.parse_args()
    if not Path(given.pyodide).is_dir() and not given.pyodide.startswith(("http://", "https://")):
        parser.error(f"{given.pyodide} is neither a folder nor an address")
    given.to.parent.mkdir(parents=True, exist_ok=True)
    write(given.to, given.pyodide if given.pyodide.endswith("/") else f"{given.pyodide}/")
    size = sum(path.stat().st_size for path in given.to.rglob("*") if path.is_file())
    print(f"wrote {given.to}: {size / 1e6:.1f} MB; serve it with any web server")


if __name__ == "__main__":
    main()
