"""Files of commands, recordings, aliases and the start-up file."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.apps.repl import main, prompt, screen, startup_file
from nasm.apps.repl.shell import DEEPEST, Shell
from tests.repl.conftest import Tried

ROOT = Path(__file__).parents[2]
MATMUL = str(ROOT / "programs" / "matmul.nasm")
Capture = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


# -- source


def test_the_commands_of_a_file_are_done(toy: Tried, folder: Path) -> None:
    (folder / "some.txt").write_text("; first\np $loaded\n\np x[0:1,\n 0:1]\r\nset width 50\n")
    said = toy.does("source some.txt")
    assert said.startswith("$loaded = 0\nx  float32[1, 1]")
    assert toy.shell.settings.width == 50


def test_the_first_that_fails_ends_it_and_is_named_with_its_line(toy: Tried, folder: Path) -> None:
    (folder / "some.txt").write_text("p $done\n\nstpe 1 ; x\np $done\nstep\n")
    assert toy.does("source some.txt") == (
        "$done = 0\nerror[E0821]: no command 'stpe'\n  hint: did you mean 'step'?\n"
        "some.txt:3: 'stpe 1' failed; 2 commands after it not done\n"
    )
    assert toy.shell.code == 1


def test_files_may_call_each_other_but_not_for_ever(toy: Tried, folder: Path) -> None:
    (folder / "outer").write_text("source inner\np $done\n")
    (folder / "inner").write_text("p $loaded\n")
    assert toy.does("source outer") == "$loaded = 0\n$done = 0\n"
    (folder / "inner").write_text("source outer\n")
    lines = toy.does("source outer").splitlines()
    assert lines[0] == f"error[E0822]: files of commands call each other more than {DEEPEST} deep"
    # Of the 16 files that were begun every second one is 'outer', which has a command left.
    assert len(lines) == 1 + DEEPEST
    assert lines[-1] == "outer:1: 'source inner' failed; 1 command after it not done"
    assert toy.does("p $done") == "$done = 0\n"


@pytest.mark.parametrize("line", ["source", "source none.txt", "source .", "source a\0b"])
def test_what_is_no_file_of_commands_is_refused(toy: Tried, line: str) -> None:
    assert toy.does(line).startswith("error[E08")
    assert toy.shell.code == 1


# -- record


def test_what_is_recorded_can_be_done_again(toy: Tried, folder: Path) -> None:
    said = toy.does("p $done", "record some.txt")
    assert said == "recording in some.txt; 'record off' ends it\n"
    toy.shell.take("record some.txt")  # there already: refused, and not written either
    toy.shell.take_all("p x[0:1,\n0:1]\nstep 2\nstpe\n")
    toy.shell.again()
    toy.shell.take("record off")
    toy.shell.take("p $loaded")
    assert (folder / "some.txt").read_text() == (
        "; record some.txt  (failed)\np x[0:1,\n0:1]\nstep 2\n; stpe  (failed)\nstep 2\n"
    )
    toy.does("restart", "source some.txt")
    assert toy.shell.session.machine.scheduler.retired == 4


def test_nothing_is_overwritten_in_silence(toy: Tried, folder: Path) -> None:
    (folder / "some.txt").write_text("p $done\n")
    assert toy.does("record some.txt") == (
        "error[E0822]: some.txt is there already\n"
        "  hint: another name, or add to it: record >> some.txt\n"
    )
    toy.does("record >>some.txt")
    toy.shell.take("step")
    assert toy.does("record") == "recording in some.txt\n"
    assert toy.does("record off") == "recorded in some.txt\n"
    assert (folder / "some.txt").read_text() == "p $done\nstep\n"
    assert toy.does("record") == toy.does("record off") == "nothing is recorded\n"


@pytest.mark.parametrize("line", ["record no/such/folder", "record >>", "record .", "record a\0b"])
def test_what_cannot_be_written_is_refused(toy: Tried, line: str) -> None:
    assert toy.does(line).startswith("error[E0822]")


def test_a_full_disk_ends_the_recording(toy: Tried) -> None:
    toy.does("record >> /dev/full")
    toy.shell.take("p $done")
    assert toy.out.getvalue().endswith(
        "error[E0822]: cannot write /dev/full: No space left on device\n"
    )
    assert toy.does("record") == "nothing is recorded\n"
    assert toy.shell.code == 1  # a session without anybody there says so by its exit code


# -- alias


def test_an_alias_is_for_a_command_with_its_arguments(toy: Tried) -> None:
    assert toy.does("alias l0 = p $loaded", "l0") == "$loaded = 0\n"
    toy.does("alias a-ll = p", "alias deep = a-ll x[0:1, 0:1]")
    assert toy.does("a-ll $done") == "$done = 0\n"
    assert toy.does("deep /x").startswith("x  float32[1, 1]")
    assert toy.does("alias").splitlines() == [
        "alias  means",
        "a-ll   p",
        "deep   a-ll x[0:1, 0:1]",
        "l0     p $loaded",
    ]
    assert toy.does("unalias l0", "l0").startswith("error[E0821]: no command 'l0'")
    assert "beta pc 0  Move x, X" in toy.does("alias t = step", "t")
    assert toy.shell.last == "t"  # an empty line does it again


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("alias step = run", "'step' is a command of its own"),
        ("alias s = run", "'s' is a command of its own"),
        ("alias x", "an alias is a name and a command"),
        ("alias x =", "an alias is a name and a command"),
        ("alias $x = run", "'$x' is no name"),
        ("alias xx = stpe", "no command 'stpe'"),
        ("unalias x", "no alias 'x'"),
    ],
)
def test_what_is_no_alias_is_refused(toy: Tried, line: str, said: str) -> None:
    assert said in toy.does(line)
    assert toy.shell.aliases == {}


def test_an_alias_may_are_for_several_commands(toy: Tried) -> None:
    assert toy.does("alias two = p $loaded; p $done", "two") == "$loaded = 0\n$done = 0\n"
    assert toy.does("alias both = two ; p", "both $loaded").count("$loaded = 0") == 2
    assert toy.does("alias").splitlines()[1:] == ["both   two; p", "two    p $loaded; p $done"]
    assert "no command 'stpe'" in toy.does("alias bad = step; stpe")
    assert toy.does("alias stops = p $nothing; p $done", "stops").count("$done") == 0


def test_aliases_that_lead_to_each_other_are_refused(toy: Tried) -> None:
    toy.does("alias xx = step", "alias yy = xx", "alias xx = yy 3")
    assert "error[E0822]: the alias 'xx' leads to itself" in toy.does("xx")


# -- the start-up file, and how it is begun


def test_the_start_up_file_lies_in_the_users_configuration_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert startup_file() is None
    place = folder / "config" / "neuron-nasm" / "init"
    place.parent.mkdir(parents=True)
    place.write_text("set width 50\n")
    assert startup_file() == str(place)
    monkeypatch.setenv("XDG_CONFIG_HOME", "relative")  # is to be ignored
    monkeypatch.setenv("HOME", str(folder))
    assert startup_file() is None
    (folder / ".config" / "neuron-nasm").mkdir(parents=True)
    (folder / ".config" / "neuron-nasm" / "init").touch()
    assert startup_file() == str(folder / ".config" / "neuron-nasm" / "init")


def test_it_is_not_for_what_nothing_attends_unless_it_is_asked_for(
    folder: Path, capsys: Capture
) -> None:
    place = folder / "config" / "neuron-nasm" / "init"
    place.parent.mkdir(parents=True)
    place.write_text("alias l = p $loaded\nalias x0 = p $loaded\n")
    assert main(MATMUL, commands=["x0"]) == 1
    assert "no command 'x0'" in capsys.readouterr().out
    (folder / "mine").write_text("alias x0 = p $loaded\n")
    assert main(MATMUL, commands=["x0"], init="mine") == 0
    assert capsys.readouterr().out == "$loaded = 0\n"
    assert main(MATMUL, commands=["x0"], init="none") == 2


@pytest.fixture
def attended(monkeypatch: pytest.MonkeyPatch) -> list[Shell]:
    """As if somebody typed, who leaves at once; the shells that were attended."""
    found: list[Shell] = []
    monkeypatch.setattr(screen, "typed_into", lambda: True)
    monkeypatch.setattr(prompt, "interact", found.append)
    return found


def test_who_attends_begins_with_it(folder: Path, capsys: Capture, attended: list[Shell]) -> None:
    place = folder / "config" / "neuron-nasm" / "init"
    place.parent.mkdir(parents=True)
    place.write_text("set width 50\nstpe\nset width 60\n")
    assert main(MATMUL) == 0
    assert attended.pop().settings.width == 50
    said = "".join(capsys.readouterr().out.split())  # folded: a width was set
    assert f"{place}:2:'stpe'failed;1commandafteritnotdone" in said
    assert main(MATMUL, no_init=True) == 0
    assert attended.pop().settings.width is None


def test_what_stays_ends_at_the_prompt(
    folder: Path, capsys: Capture, attended: list[Shell]
) -> None:
    (folder / "some.txt").write_text("step 2\n")
    assert main(MATMUL, script="some.txt", commands=["stpe", "p $loaded"]) == 1
    assert not attended
    capsys.readouterr()
    assert main(MATMUL, script="some.txt", commands=["stpe", "p $copied"], stay=True) == 0
    assert attended.pop().session.machine.scheduler.retired == 2
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("NeuronCore-v2 (Trn1)")
    assert lines[-2:] == ["$copied = 0", "'help' lists the commands, Tab completes, Ctrl-D leaves"]
    assert main(MATMUL, commands=["quit"], stay=True) == 0
    assert not attended


def test_a_transcript_shows_each_command_before_what_it_prints(capsys: Capture) -> None:
    assert (
        main(MATMUL, commands=["p $loaded\np $stored", "; a note", "", "p $copied"], echo=True) == 0
    )
    assert capsys.readouterr().out == (
        "(nasm) p $loaded\n$loaded = 0\n(nasm) p $stored\n$stored = 0\n"
        "(nasm) ; a note\n(nasm) p $copied\n$copied = 0\n"
    )
    assert main(MATMUL, commands=["set echo on", "p $loaded"]) == 0
    assert capsys.readouterr().out == "(nasm) p $loaded\n$loaded = 0\n"
