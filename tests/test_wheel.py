"""The wheel works where nothing of the checkout is: its command, its module and its grammar."""

from __future__ import annotations

import email
import email.message
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, metadata
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from nasm.show.run_page.document import SCRIPTS

pytestmark = pytest.mark.thorough

ROOT = Path(__file__).parents[1]

PROGRAM = """\
.target trn1
@sync
    RegisterMove %r0, 2
    RegisterAlu  %r0, %r0, 3, op=multiply
"""


@dataclass(frozen=True)
class Installed:
    """An environment of its own that holds the wheel, and an empty folder to stand in."""

    wheel: Path
    bin: Path
    folder: Path

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment, with the checkout out of reach."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")}
        return subprocess.run(
            [self.bin / command[0], *command[1:]],
            cwd=self.folder,
            env=clean,
            capture_output=True,
            text=True,
            check=False,
        )


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Installed:
    """Build an sdist and from it a wheel, and install that beside this run's dependencies.

    They are lent by a .pth file, which adds a folder but does not follow the .pth files in it: an
    editable install of the checkout stays invisible. So nothing is downloaded.
    """
    base = tmp_path_factory.mktemp("wheel")
    _succeed(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(base), str(ROOT))
    (wheel,) = base.glob("*.whl")
    home = base / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    _succeed(
        sys.executable,
        "-m",
        "pip",
        "--python",
        str(python),
        "install",
        "--quiet",
        "--no-index",
        "--no-deps",
        str(wheel),
    )
    (packages,) = home.glob("lib/python*/site-packages")
    lent = {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
    (packages / "dependencies.pth").write_text("\n".join(sorted(lent)), encoding="utf-8")
    folder = base / "empty"
    folder.mkdir()
    return Installed(wheel, python.parent, folder)


def _succeed(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_wheel_carries_package_grammar_types_and_licence(installed: Installed) -> None:
    names = zipfile.ZipFile(installed.wheel).namelist()
    assert {"nasm/grammar/nasm.lark", "nasm/py.typed", "nasm/debugger/session.py"} <= set(names)
    page = ("page.css", "timeline.html", *SCRIPTS)
    assert {f"nasm/show/run_page/{name}" for name in page} <= set(names)
    assert any(n.endswith("/licenses/LICENSE") for n in names)
    shared = {n.partition("/data/")[2] for n in names if ".data/data/" in n}
    assert shared == {
        "share/bash-completion/completions/neuron-nasm",
        "share/fish/vendor_completions.d/neuron-nasm.fish",
        "share/man/man1/neuron-nasm.1",
        "share/zsh/site-functions/_neuron-nasm",
    }
    assert "nasm/shells/neuron-nasm.bash" in names
    tops = {n.split("/")[0].split("-")[0] for n in names}
    assert tops == {"nasm", "neuron_nasm"}


def test_the_wheel_says_what_it_depends_on_and_under_which_licences(installed: Installed) -> None:
    archive = zipfile.ZipFile(installed.wheel)
    (name,) = (n for n in archive.namelist() if ".dist-info/sboms/" in n)
    bill = json.loads(archive.read(name))
    assert (bill["bomFormat"], bill["specVersion"]) == ("CycloneDX", "1.6")
    own = bill["metadata"]["component"]
    assert (own["name"], own["licenses"]) == ("neuron-nasm", [{"license": {"id": "MIT"}}])
    assert own["version"] in installed.wheel.name
    parts = {part["name"]: part for part in bill["components"]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = [each for some in project["optional-dependencies"].values() for each in some]
    said = {part["properties"][0]["value"]: part["scope"] for part in bill["components"]}
    required = [each.replace("_", "-") for each in project["dependencies"]]
    assert said == dict.fromkeys(required, "required") | dict.fromkeys(optional, "optional")
    assert bill["dependencies"][0]["dependsOn"] == [part["purl"] for part in parts.values()]
    for dependency, part in parts.items():
        with suppress(PackageNotFoundError):
            of = metadata(dependency)
            text = " ".join(
                [of["License-Expression"] or "", of["License"] or "", *of.get_all("Classifier", [])]
            )
            assert part["licenses"][0]["license"]["id"].split("-")[0] in text, dependency


def of_index(wheel: Path) -> tuple[email.message.Message, str, str, list[str]]:
    """The metadata of a wheel, its text, that without programs, and the links of that."""
    archive = zipfile.ZipFile(wheel)
    (name,) = (n for n in archive.namelist() if n.endswith("/METADATA"))
    shown = email.message_from_bytes(archive.read(name))
    payload = shown.get_payload(decode=True)
    assert isinstance(payload, bytes)
    text = payload.decode("utf-8")
    assert shown["Description-Content-Type"] == "text/markdown"
    prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return shown, text, prose, re.findall(r"\]\(([^)\s]+)\)", prose)


def test_with_an_address_every_link_of_the_index_is_absolute(tmp_path: Path) -> None:
    """The one setting is made in a copy of the checkout, and a wheel built of that."""
    names = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.split("\0")  # fmt: skip
    copy = tmp_path / "copy"
    for name in filter(None, names):
        if (ROOT / name).is_file() and not name.startswith("tests/"):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, copy / name)
    project = (copy / "pyproject.toml").read_text(encoding="utf-8")
    assert project.count('\nurl = ""') == 1
    address = "https://host.example/owner/nasm"
    set_ = project.replace('\nurl = ""', f'\nurl = "{address}/"')
    (copy / "pyproject.toml").write_text(set_, encoding="utf-8")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation"]
    _succeed(*build, "--outdir", str(tmp_path), str(copy))
    (wheel,) = tmp_path.glob("*.whl")
    shown, text, _, links = of_index(wheel)
    urls = dict(each.split(", ") for each in shown.get_all("Project-URL", []))
    assert urls["Source"] == address
    assert urls["Changelog"] == f"{address}/blob/HEAD/docs/changelog.md"
    assert f"({address}/raw/HEAD/docs/pictures/guide_core.svg)" in text
    assert f"({address}/blob/HEAD/docs/timing.md#what-is-not-modelled-yet)" in text
    assert [each for each in links if not each.startswith("https://")] == []
    for each in (*links, *urls.values()):
        if each.startswith(f"{address}/"):
            path = each.removeprefix(f"{address}/").split("/", 2)[2].partition("#")[0]
            assert (ROOT / path).exists(), each
    assert "source distribution" not in text


@pytest.mark.parametrize("url", ["http://host/x", "host/x", "https://", "https://h/x?y", 1])
def test_an_address_that_is_none_is_refused(url: object) -> None:
    spec = spec_from_file_location("package_index", ROOT / "docs" / "package_index.py")
    assert spec is not None
    assert spec.loader is not None
    made = module_from_spec(spec)
    spec.loader.exec_module(made)
    with pytest.raises(ValueError, match="url of the metadata hook"):
        made.checked(url)


def test_what_a_package_index_shows_has_no_link_that_leads_nowhere(installed: Installed) -> None:
    shown, text, prose, links = of_index(installed.wheel)
    assert shown.get_all("Project-URL") is None
    assert shown.get_all("Dynamic") is None
    headings = re.findall(r"^#+ (.*)$", prose, re.MULTILINE)
    anchors = {"#" + h.lower().replace(",", "").replace(" ", "-") for h in headings}
    assert [x for x in links if not x.startswith("https://") and x not in anchors] == []
    assert "| guide (`docs/guide/index.md`) |" in text
    files = re.findall(r"\(`([\w./]+)`\)", prose)
    assert len(files) >= 10
    assert [f for f in files if not (ROOT / f).exists()] == []
    assert text.rstrip().endswith("are in the source distribution.")
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert re.findall(r"^```.*?^```$", readme, re.DOTALL | re.MULTILINE) == re.findall(
        r"^```.*?^```$", text, re.DOTALL | re.MULTILINE
    )


def test_the_installed_package_is_not_the_checkout(installed: Installed) -> None:
    done = installed.run("python", "-c", "import nasm; print(nasm.__file__)")
    assert Path(done.stdout.strip()).is_relative_to(installed.bin.parent), done.stderr


def test_the_installed_package_assembles_and_runs(installed: Installed) -> None:
    code = (
        "import nasm\n"
        f"done = nasm.run({PROGRAM!r})\n"
        "print(done.ok, done.session.registers('sync'))\n"
    )
    done = installed.run("python", "-c", code)
    assert done.stdout == "True {0: 6}\n", done.stderr


def test_the_installed_package_has_the_library(installed: Installed) -> None:
    text = (
        '.target trn2\n.include "lib/softmax.nasm"\n.sbuf t f32[4, 8]\n'
        "@vector Memset t, 1.0  post set\nsoftmax(t, t, set, done)\n.expect t == 0.125\n"
    )
    code = f"import nasm\nprint(nasm.run({text!r}, files=False).ok)\n"
    done = installed.run("python", "-c", code)
    assert done.stdout == "True\n", done.stderr


@pytest.mark.skipif(find_spec("nasm.apps.cli") is None, reason="nasm/apps/cli.py is not there")
@pytest.mark.parametrize("command", [("neuron-nasm",), ("python", "-m", "nasm")])
def test_the_command_answers_and_runs_a_program(
    installed: Installed, command: tuple[str, ...]
) -> None:
    told = installed.run(*command, "--help")
    assert told.returncode == 0, told.stderr
    assert "neuron-nasm" in told.stdout
    (installed.folder / "six.nasm").write_text(PROGRAM, encoding="utf-8")
    done = installed.run(*command, "run", "six.nasm")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "sync" in done.stdout


KERNEL = """\
.target trn2
.hbm   X  f32[512, 256]  input = iota
.hbm   Y  f32[512, 256]  output
.sbuf  x[2]  f32[128, 256]

.for r in 0..4
@sync    DmaCopy       x[r % 2], X[r*128 : +128]
@vector  TensorScalar  x[r % 2], x[r % 2], op=multiply, operand=3
@scalar  DmaCopy       Y[r*128 : +128], x[r % 2]
.end

.expect  Y == 3 * X
"""
"""A first kernel, written in order."""

FIRST = ("add", "tiles", "sync", "race", "matmul")


def test_a_new_user_writes_a_kernel_and_passes_five_exercises(installed: Installed) -> None:
    """From the wheel alone: a kernel, its races, its waits and its profile; then the course."""
    (installed.folder / "mine.nasm").write_text(KERNEL, encoding="utf-8")

    def nasm(*words: str) -> subprocess.CompletedProcess[str]:
        return installed.run("neuron-nasm", *words)

    bare = nasm("run", "mine.nasm")
    assert bare.returncode == 1, bare.stdout + bare.stderr
    assert "E0502" in bare.stdout + bare.stderr
    assert nasm("sync", "mine.nasm", "--write").returncode == 0
    done = nasm("run", "mine.nasm", "--strict")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "PASS" in done.stdout
    assert nasm("profile", "mine.nasm").returncode == 0
    for number, name in enumerate(FIRST):
        begun = nasm("learn", "--once")
        assert begun.returncode == 1, begun.stdout + begun.stderr
        assert f"exercise {number + 1} of " in begun.stdout
        (file,) = (installed.folder / "nasm-course").glob(f"{name}.*")
        assert nasm("learn", name, "--solution").returncode == 2
        solutions = sorted((ROOT / "programs" / "exercises" / name / "solutions").iterdir())
        file.write_bytes(solutions[0].read_bytes())
        passed = nasm("learn", name, "--once")
        assert passed.returncode == 0, passed.stdout + passed.stderr
    exercises = json.loads(nasm("learn", "--list", "--json").stdout)["exercises"]
    assert [each["exercise"] for each in exercises if each["passed"]] == list(FIRST)
