"""The prompt without a terminal: keys in through a pipe, nothing drawn."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import struct
import sys
import termios
from contextlib import suppress
from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from nasm.apps.repl import prompt
from nasm.apps.repl.command import Command
from nasm.apps.repl.prompt import coloured
from nasm.apps.repl.screen import ReplScreen
from nasm.apps.repl.suggest import CompletionNames
from tests.repl.conftest import Tried


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    return tmp_path


def typed(tried: Tried, keys: str) -> str:
    """What is printed while somebody types; the keys must leave."""
    with create_pipe_input() as keyboard:
        keyboard.send_text(keys)
        prompt.interact(tried.shell, keyboard, DummyOutput())
    return tried.out.getvalue()


def test_commands_are_done_until_the_user_leaves(toy: Tried) -> None:
    assert typed(toy, "p $loaded\nquit\nstep\n") == "$loaded = 0\n"
    assert toy.shell.session.now == 0


def test_the_end_of_input_leaves(toy: Tried) -> None:
    assert typed(toy, "p $done\n\x04") == "$done = 0\n"


def pasted(text: str) -> str:
    """What a terminal sends for a text that is pasted."""
    return f"\x1b[200~{text}\x1b[201~"


def test_lines_that_are_pasted_are_commands_one_after_the_other(toy: Tried) -> None:
    typed(toy, pasted("s\ns\nwhere") + "\n\x04")
    said = toy.out.getvalue()
    assert [line for line in said.splitlines() if line.startswith("(nasm) ")] == [
        "(nasm) s",
        "(nasm) s",
        "(nasm) where",
    ]
    assert "error" not in said
    assert toy.shell.session.machine.scheduler.retired == 2


def test_a_paste_that_ends_its_last_line_needs_no_enter(toy: Tried) -> None:
    typed(toy, pasted("s\ns\n") + "\x04")
    assert toy.shell.session.machine.scheduler.retired == 2
    assert typed(toy, pasted("p x[0:1,\n0:1]\r\n") + "\x04").count("x  float32[1, 1]") == 1
    assert typed(toy, pasted("p x[0:2,\n") + "0:1]\n\x04").count("x  float32[2, 1]") == 1
    toy.does("restart")
    typed(toy, pasted("s") + "\x03\x04")  # without an end it waits, and is dropped here
    assert toy.shell.session.machine.scheduler.retired == 0


def test_of_what_is_pasted_nothing_is_done_after_a_failure(toy: Tried) -> None:
    said = typed(toy, pasted("s\nstpe\ns\nwhere\n") + "\x04")
    assert said.endswith("not done: s, where\n")
    assert toy.shell.session.machine.scheduler.retired == 1


def test_a_line_that_is_not_finished_goes_on_on_the_next(toy: Tried) -> None:
    wanted = toy.does("p x[0:2, :]")
    assert typed(toy, "p x[0:2,\n:]\n\x04") == wanted * 2
    assert typed(toy, "p x[0:2, \\\n:]\n\x04") == wanted * 3
    assert typed(toy, "p x[0:2\n\n\x04").count("error") == 1  # an empty line ends it


def test_ctrl_c_at_the_prompt_drops_the_line(toy: Tried) -> None:
    assert typed(toy, "run\x03p $done\n\x04") == "$done = 0\n"


def test_enter_repeats_a_step_and_nothing_else(toy: Tried) -> None:
    typed(toy, "step\n\n\n\x04")
    assert toy.shell.session.machine.scheduler.retired == 3
    assert typed(toy, "p $done\n\n\n\x04").count("$done = 0") == 1
    assert toy.shell.session.machine.scheduler.retired == 3


def test_tab_completes(toy: Tried) -> None:
    # One candidate is inserted at once.
    assert "x  float32[4, 2]" not in typed(toy, "expl\t E0510\n\x04")
    assert "E0510  a deadlock\n" in toy.out.getvalue()


def test_the_history_is_kept_and_found_again(toy: Tried, home: Path) -> None:
    typed(toy, "p $done\n\x04")
    assert "+p $done" in (home / "neuron-nasm" / "history").read_text()
    # Up, Enter: the line of the session before.
    assert typed(toy, "\x1b[A\n\x04").count("$done = 0") == 2


def test_a_history_that_cannot_be_written_stays_in_memory(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (home / "file").touch()
    monkeypatch.setenv("XDG_DATA_HOME", str(home / "file"))
    assert isinstance(prompt.history(), InMemoryHistory)


def test_a_full_disk_costs_the_entry_and_not_the_session(home: Path) -> None:
    kept = prompt.KeptHistory(str(home / "no" / "such" / "folder"))
    kept.append_string("step")
    assert kept.get_strings() == ["step"]


def test_the_history_lies_in_the_users_data_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/somebody")
    monkeypatch.delenv("XDG_DATA_HOME")
    wanted = Path("/home/somebody/.local/share/neuron-nasm/history")
    assert prompt.history_path() == wanted
    monkeypatch.setenv("XDG_DATA_HOME", "here")  # a relative one is to be ignored
    assert prompt.history_path() == wanted


def test_completions_carry_their_meaning(toy: Tried) -> None:
    completer = prompt.NameCompleter(lambda: toy.shell.names, pytest.fail)
    found = list(completer.get_completions(Document("step @a"), CompleteEvent()))
    assert [(c.text, c.start_position, c.display_meta_text) for c in found] == [
        ("@alpha", -2, "the fast one")
    ]


def test_a_defect_in_completion_is_reported_and_typing_goes_on(toy: Tried) -> None:
    toy.shell.names = CompletionNames(files=None, commands=(None,))  # type: ignore[arg-type]
    said = typed(toy, "st\tep\n\x04")
    assert "defect in nasm: AttributeError" in said
    assert "beta pc 0  Move x, X" in said


def test_a_defect_in_the_toolbar_is_reported_too(
    toy: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> str:
        raise ZeroDivisionError("toolbar")

    monkeypatch.setattr(prompt, "toolbar", broken)
    said = typed(toy, "step\n\x04")
    assert "defect in nasm: ZeroDivisionError: toolbar" in said
    assert "beta pc 0  Move x, X" in said


class Drawn(io.StringIO):
    """A terminal."""

    def isatty(self) -> bool:
        return True


def test_where_there_is_no_bar_the_prompt_says_the_time(
    toy: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    toy.shell.screen = ReplScreen(Drawn())
    monkeypatch.setenv("TERM", "xterm")
    assert prompt.prompt(toy.shell) == "(nasm) "
    toy.shell.settings.plain = True
    assert prompt.prompt(toy.shell) == "0.000 µs, cycle 0 not started (nasm) "
    toy.shell.screen = ReplScreen(Drawn())
    monkeypatch.setenv("TERM", "dumb")
    toy.shell.execute("step 2")
    assert prompt.prompt(toy.shell) == "0.004 µs, cycle 2 (nasm) "
    toy.shell.adopt(None)
    assert prompt.prompt(toy.shell) == "(nasm) "


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("step 3 @alpha", {"step": "command", "3": "number", "@alpha": "engine"}),
        ("st", {}),
        ("ste", {"ste": "command"}),
        ("p/x x[0:4]", {"p": "command", "0": "number", "4": "number"}),
        (
            "@beta  Move x, X  $loaded += 2 ; so",
            {"@beta": "engine", "Move": "instruction", "$loaded": "semaphore", "2": "number"}
            | {"; so": "comment"},
        ),
        ("  .bank x f32[4]", {".bank": "directive", "4": "number"}),
        ("load a.nasm", {"load": "command"}),
        ("# step", {"# step": "comment"}),
        ('set a "b 3" %r0', {"set": "command", '"b 3"': "string", "%r0": "register"}),
    ],
)
def test_words_have_the_colours_of_what_they_are(
    toy: Tried, line: str, kinds: dict[str, str]
) -> None:
    commands = [c for c in toy.shell.names.commands if c.name in ("step", "print", "load", "set")]
    commands.append(Command("stop", (), "stop", (), False, lambda shell, rest: None, "Stop."))
    pieces = coloured(line, commands, toy.shell.names.words["mnemonic"])
    assert "".join(piece[1] for piece in pieces) == line
    assert {p[1]: p[0].removeprefix("class:") for p in pieces if p[0]} == kinds


@pytest.mark.parametrize(
    ("width", "bar"),
    [
        (120, " toy.nasm  0.004 µs, cycle 2  running  alpha 1/4  beta 1/3  next alpha: Count %r0"),
        (80, " toy.nasm  0.004 µs, cycle 2  running  next alpha: Count %r0"),
        (40, " toy.nasm  0.004 µs, cycle 2  running  …"),
    ],
)
def test_the_toolbar_says_where_the_run_is(toy: Tried, width: int, bar: str) -> None:
    toy.shell.settings.width = width
    toy.does("step 2")
    assert prompt.toolbar(toy.shell, toy.shell.screen.width) == bar


def test_the_toolbar_says_why_it_stopped_and_how_it_ended(toy: Tried, bare: Tried) -> None:
    toy.shell.settings.width = 120
    toy.does("break Loop", "run")
    assert "  breakpoint 1: " in prompt.toolbar(toy.shell, toy.shell.screen.width)
    toy.does("delete", "run")
    assert "  finished  alpha 4/4  beta 3/3" in prompt.toolbar(toy.shell, toy.shell.screen.width)
    assert "next" not in prompt.toolbar(toy.shell, toy.shell.screen.width)
    bare.shell.adopt(None)
    assert prompt.toolbar(bare.shell, bare.shell.screen.width) == " no program: load FILE"


@pytest.mark.turns(6)
@pytest.mark.parametrize(
    "environment", [{"TERM": "dumb"}, {"NO_COLOR": "1"}, {"LC_ALL": "C", "PYTHONUTF8": "0"}]
)
def test_a_real_terminal_of_any_kind(environment: dict[str, str], tmp_path: Path) -> None:
    said = on_terminal(
        ["programs/matmul.nasm"], "s\ns\np $loaded\nquit\n", environment, tmp_path, columns=100
    )
    assert "Traceback" not in said
    assert "defect" not in said
    assert "$loaded = 0" in re.sub(r"\x1b\[[0-9;?]*\w", "", said)
    if "TERM" in environment:
        assert "\x1b" not in re.sub(r"\x1b\[\?\d+[hl]", "", said)  # modes, such as the cursor's
        assert "cycle 20 (nasm) p $loaded" in said.replace("\r", "")
    colours = re.findall(r"\x1b\[[0-9;]*3[0-9](?:;[0-9]+)*m", said)
    assert bool(colours) == ("LC_ALL" in environment)


@pytest.mark.turns(6)
def test_plain_draws_nothing_and_is_ascii(tmp_path: Path) -> None:
    keys = "p $lo\t\nset plain off\nquit\n"
    said = on_terminal(["programs/matmul.nasm", "--plain"], keys, {}, tmp_path, columns=100)
    before = said.partition("set plain off")[0]
    assert before.isascii()
    assert "0.000 us, cycle 0 not started (nasm)" in re.sub(r"\x1b\[[0-9;?]*\w", "", before)
    assert "$loaded = 0" in before
    assert not re.findall(r"\x1b\[[0-9;]*3[0-9](?:;[0-9]+)*m", before)


def on_terminal(
    arguments: list[str], keys: str, environment: dict[str, str], home: Path, columns: int
) -> str:
    """What a terminal is sent by the command while somebody types."""
    ours = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
    ours |= {
        "TERM": "xterm",
        "PROMPT_TOOLKIT_NO_CPR": "1",
        "XDG_DATA_HOME": str(home),
        "XDG_CONFIG_HOME": str(home),
    }
    pid, terminal = pty.fork()
    if pid == 0:  # pragma: no cover
        os.environ.clear()
        os.environ.update(ours | environment)
        os.execv(sys.executable, [sys.executable, "-m", "nasm", "repl", *arguments])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    said = b""
    typed = False
    with suppress(OSError):  # it has left
        while more := os.read(terminal, 65536):
            said += more
            if not typed and b"(nasm)" in said:
                typed = os.write(terminal, keys.replace("\n", "\r").encode()) > 0
    os.waitpid(pid, 0)
    return said.decode("utf-8", "replace")
