"""Targets of installed packages are found by their entry points."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import nasm
from nasm.base.problems import Error, Failure, Problem
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.objects.loading import ObjectFile, load
from nasm.language.objects.writing import written
from nasm.targets import GROUP, TARGETS, Targets
from tests.toy import target as toy

ROOT = Path(__file__).parents[1]
TOY = "toy = tests.toy.target:TARGET"
PROGRAM = """\
.target toy
.bank x f32[2, 2] = [[1, 2], [3, 4]]
.bank y f32[2, 2]
@alpha Add y, x, x
.expect y == [[2, 4], [6, 8]]
"""


def install(folder: Path, *entries: str, called: str = "nasm-toy") -> None:
    """What an installer writes of a package that has targets."""
    info = folder / f"{called.replace('-', '_')}-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {called}\nVersion: 1.0\n")
    lines = "\n".join(entries)
    (info / "entry_points.txt").write_text(f"[{GROUP}]\n{lines}\n")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def targets() -> Targets:
    """Those of a process that has just started."""
    return Targets(TARGETS.built_in)


def refusal(name: str, known: Targets) -> Problem:
    with pytest.raises(Failure) as caught:
        assemble(Source("x.nasm", f".target {name}\n"), known)
    (problem,) = caught.value.problems
    assert problem.code == "E0214"
    assert problem.span is not None
    assert problem.message.startswith(f"the target '{name}' cannot be used: ")
    return problem


def test_an_installed_target_assembles_and_runs_programs(folder: Path) -> None:
    install(folder, TOY)
    known = targets()
    assert [*known] == [*TARGETS.built_in, "toy"]
    assert known["toy"]() is toy.TARGET
    session = nasm.Session(assemble(Source("toy.nasm", PROGRAM), known))
    assert session.run().ok


def test_names_are_listed_without_importing_any_target(folder: Path) -> None:
    install(folder, "broken = no.such.module:TARGET")
    known = targets()
    assert len(known) == len([*known])
    assert "broken" in known


def test_a_built_in_name_reads_no_metadata(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.metadata.distributions", None)
    known = targets()
    assert known["trn2"]().generation("trn2") is not None
    assert "wormhole" in known


@pytest.mark.parametrize(
    ("module", "error"),
    [
        ("raise OSError('no\\nroom')", r"OSError: no\nroom"),
        ("import no_such_module", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("x =", "SyntaxError"),
        ("", "AttributeError"),
    ],
)
def test_a_target_that_fails_to_import_is_refused(folder: Path, module: str, error: str) -> None:
    name = f"failing_{abs(hash(module))}"
    (folder / f"{name}.py").write_text(module)
    install(folder, f"ours = {name}:TARGET")
    problem = refusal("ours", targets())
    assert problem.message.endswith(f"importing {name}:TARGET of nasm-toy failed")
    assert problem.hint.startswith(error)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        ("ours = tests.toy.target:GENERATION", "is not the TARGET of its module"),
        ("ours = tests.toy.bare:TARGET", "has no generation of this name"),
    ],
)
def test_what_is_no_target_of_that_name_is_refused(folder: Path, entry: str, why: str) -> None:
    install(folder, entry)
    assert refusal("ours", targets()).message.endswith(f"of nasm-toy {why}")


def test_a_built_in_name_is_refused_to_a_package(folder: Path) -> None:
    install(folder, TOY, "trn2 = tests.toy.target:TARGET")
    known = targets()
    assert known["trn2"] is TARGETS.built_in["trn2"]
    assert [*known].count("trn2") == 1
    said = "its package nasm-toy also defines 'trn2', a target of nasm itself"
    assert refusal("toy", known).message.endswith(said)


def test_a_name_of_two_packages_is_refused(folder: Path) -> None:
    install(folder, TOY)
    install(folder, "toy = tests.toy.bare:TARGET", called="nasm-play")
    assert refusal("toy", targets()).message.endswith("in several packages: nasm-play and nasm-toy")


def test_a_broken_package_leaves_the_other_targets_alone(folder: Path) -> None:
    install(folder, "broken = no.such.module:TARGET")
    known = targets()
    assert known.usable("broken") is None
    assert known.usable("nothing") is None
    assert known.loaded() == TARGETS.loaded()
    with pytest.raises(Error, match="no target 'brokem'") as caught:
        assemble(Source("x.nasm", ".target brokem\n"), known)
    assert "broken" in caught.value.problems[0].hint


def test_an_object_of_a_target_that_fails_is_not_called_damaged(folder: Path) -> None:
    data = written(assemble(Source("toy.nasm", PROGRAM), toy.TARGETS))
    install(folder, "toy = no.such.module:TARGET")
    with pytest.raises(Failure) as caught:
        load(ObjectFile("toy.nobj", data), targets())
    (problem,) = caught.value.problems
    said = "cannot use toy.nobj: the target 'toy' cannot be used: "
    assert (problem.code, problem.message[: len(said)]) == ("E0214", said)


def test_damaged_metadata_of_another_package_is_ignored(folder: Path) -> None:
    install(folder, "no value", called="damaged")
    install(folder, TOY)
    assert [*targets()] == [*TARGETS.built_in, "toy"]


def test_the_first_of_two_copies_of_a_package_is_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(folder, TOY)
    (folder / "first").mkdir()
    install(folder / "first", "bare = tests.toy.bare:TARGET")
    monkeypatch.syspath_prepend(folder / "first")
    assert [*targets()] == [*TARGETS.built_in, "bare"]


@pytest.mark.turns(2)
def test_the_command_runs_a_program_of_an_installed_target(folder: Path) -> None:
    install(folder, TOY, "broken = no.such.module:TARGET")
    (folder / "toy.nasm").write_text(PROGRAM)
    path = os.pathsep.join((str(folder), str(ROOT)))

    def command(*words: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "nasm", *words],
            env=os.environ | {"PYTHONPATH": path},
            capture_output=True,
            cwd=folder,
            text=True,
        )

    done = command("run", "toy.nasm")
    assert done.returncode == 0, done.stderr
    done = command("isa", "--target", "broken")
    assert done.returncode == 2
    assert "the target 'broken' cannot be used" in done.stderr
