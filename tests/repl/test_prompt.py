"""The prompt without a terminal: keys in through a pipe, nothing drawn."""

from __future__ import annotations

from pathlib import Path

import pytest
from prompt_toolkit.completion import CompleteEvent
from prompt_toolkit.document import Document
from prompt_toolkit.history import InMemoryHistory
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from nasm.repl import prompt
from nasm.repl.suggest import Names
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


def test_a_defect_in_completion_is_told_and_typing_goes_on(toy: Tried) -> None:
    toy.shell.names = Names(files=None, commands=(None,))  # type: ignore[arg-type]
    said = typed(toy, "st\tep\n\x04")
    assert "defect in nasm: AttributeError" in said
    assert "beta pc 0  Move x, X" in said


def test_a_defect_in_the_toolbar_is_told_too(toy: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> str:
        raise ZeroDivisionError("toolbar")

    monkeypatch.setattr(prompt, "toolbar", broken)
    said = typed(toy, "step\n\x04")
    assert "defect in nasm: ZeroDivisionError: toolbar" in said
    assert "beta pc 0  Move x, X" in said


def test_the_toolbar_says_where_the_run_stands(toy: Tried, bare: Tried) -> None:
    toy.does("step 2")
    assert prompt.toolbar(toy.shell) == (
        " toy.nasm  0.004 µs, cycle 2  running  alpha 1/4  beta 1/3"
    )
    bare.shell.adopt(None)
    assert prompt.toolbar(bare.shell) == " no program: load FILE"
