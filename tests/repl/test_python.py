"""`python` at the prompt, aliases with arguments, and help page by page."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from prompt_toolkit.application import create_app_session
from prompt_toolkit.input import create_pipe_input

from nasm.apps.cli import main
from nasm.apps.repl import pager
from nasm.apps.repl.input import joined
from nasm.apps.repl.screen import ReplScreen
from tests.repl.conftest import Tried
from tests.repl.test_prompt import home, typed  # noqa: F401
from tests.repl.test_view import Terminal

# ---------------------------------------------------------------- python


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("3 + 4", "7\n"),
        ("print('a\\nb', end='')", "a\nb\n"),
        ("[q.pc for q in session.queues()]", "[0, 0]\n"),
        ("np.arange(3).sum()", None),
        ("nasm.__name__", "'nasm'\n"),
        ("x = 3", ""),
        ("print('; no comment # here')", "; no comment # here\n"),
        ("None", ""),
    ],
)
def test_a_statement_is_done_and_an_expression_printed(
    toy: Tried, code: str, said: str | None
) -> None:
    found = toy.does(f"python {code}")
    assert found == said if said is not None else found.strip().endswith(("3", "(3)"))
    assert toy.shell.code == 0


def test_names_stay_and_the_last_value_is_an_underscore(toy: Tried) -> None:
    toy.does("python x = 20", "python x + 1")
    assert toy.does("py _ * 2") == "42\n"


def test_what_moves_the_run_shows_where_it_is(toy: Tried) -> None:
    said = toy.does("python x = session.step()")
    assert said.splitlines()[0] == "running, at 0.003 µs, cycle 1"
    assert "running" not in toy.does("python session.now")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("nothing", "NameError: name 'nothing' is not defined"),
        ("1 / 0", "ZeroDivisionError: division by zero"),
        ("x = = 2", "SyntaxError"),
        ("exit()", "SystemExit"),
        ("session.queue('none')", "no engine 'none'"),
        ("'\\ud800'.encode()", "UnicodeEncodeError"),
    ],
)
def test_what_goes_wrong_is_a_sentence(toy: Tried, code: str, said: str) -> None:
    found = toy.does(f"python {code}")
    assert said in found
    assert "Traceback" not in found
    assert "defect" not in found
    assert toy.shell.code == 1


def test_a_loop_continues_until_an_empty_line_and_keeps_its_indents(toy: Tried) -> None:
    text = "python for n in range(2):\n    if n:  # a comment\n        print(n)\n\nprint 5\n"
    first, second = [line for _, line in joined(text.splitlines())]
    assert toy.does(first) == "1\n"
    assert second == "print 5"
    said = typed(toy, "python for n in range(3):\n    print('n', n)\n\n\x04")
    assert "n 0\nn 1\nn 2" in said


def test_an_error_in_a_block_names_its_line(toy: Tried) -> None:
    said = toy.does("python for n in range(2):\n    n\n    1 / (1 - n)")
    assert "ZeroDivisionError: division by zero, in line 3" in said


def test_the_commands_of_a_breakpoint_run_none(toy: Tried) -> None:
    said = toy.does("break 8", "commands 1 python 3 + 4", "run")
    assert "the commands of a breakpoint run no Python" in said


@pytest.mark.parametrize("option", ["--no-python", "--no-files"])
def test_it_is_refused_where_python_is(
    option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.nasm").write_text(".target trn1\n")
    given = ["repl", str(tmp_path / "a.nasm"), "-ex", "python 3 + 4"]
    assert main([*given, option]) == 1
    said = capsys.readouterr()
    assert "this prompt runs no Python" in said.out + said.err
    assert "7" not in said.out
    assert main(given) == 0
    assert "7\n" in capsys.readouterr().out


# ---------------------------------------------------------------- aliases


def test_an_alias_has_places_for_its_arguments(toy: Tried) -> None:
    toy.does("alias twice = print $1 + $1; print $2")
    assert toy.does("twice 4 (1 + 2)") == "4 + 4 = 8\n(1 + 2) = 3\n"
    toy.does("alias all = print $*")
    assert toy.does("all 1 + 2") == "1 + 2 = 3\n"
    toy.does("alias plain = print 1 +")
    assert toy.does("plain 2") == "1 + 2 = 3\n"  # without places they are the last one's


@pytest.mark.parametrize(("line", "count"), [("two", 0), ("two 1", 1), ("two 1 2 3", 3)])
def test_an_alias_is_given_as_many_arguments_as_it_has_places(
    toy: Tried, line: str, count: int
) -> None:
    toy.does("alias two = print $1; print $2")
    said = toy.does(line)
    assert f"the alias 'two' takes 2 arguments, found {count}" in said
    assert "it means: print $1; print $2" in said


def test_brackets_and_quotes_keep_an_argument_together(toy: Tried) -> None:
    toy.does("alias see = print $1; print $2")
    assert "2 + 2 = 4" in toy.does("see x[0:2, :] 2+2").replace("2+2", "2 + 2")


# ---------------------------------------------------------------- help page by page


class Shown(io.StringIO):
    """A terminal of so many lines."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def low(toy: Tried, monkeypatch: pytest.MonkeyPatch) -> Tried:
    toy.shell.screen = ReplScreen(Shown(), "never")
    toy.shell.attended = True
    monkeypatch.setattr(ReplScreen, "dumb", False)
    return toy


def pages(low: Tried, line: str, keys: str) -> str:
    """What is printed for a command, with keys for what shows its pages."""
    with create_pipe_input() as keyboard:
        keyboard.send_text(keys)
        with create_app_session(input=keyboard, output=Terminal(24, 80)):
            low.shell.take(line)
    return low.shell.screen._stream.getvalue()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("keys", ["q", "  b q", "\r", "\x03", "\x1b[F\x1b[H\x1b[6~\x1b[5~\x1b[Bq"])
def test_long_help_is_shown_page_by_page_and_leaves_nothing(low: Tried, keys: str) -> None:
    assert pages(low, "help", keys) == ""
    assert low.shell.code == 0


def test_short_help_and_help_without_pager_are_printed(low: Tried) -> None:
    assert "usage: where" in pages(low, "help where", "")
    low.shell.settings.pager = False
    assert "help keys say more." in pages(low, "help", "")


def test_what_is_shown_is_what_would_be_printed(
    low: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown: list[str] = []
    monkeypatch.setattr(pager, "show", lambda shell, lines: shown.extend(lines))
    assert pages(low, "help", "") == ""
    low.shell.settings.pager = False
    assert pages(low, "help", "").splitlines() == shown


def test_unattended_nothing_is_paged(toy: Tried) -> None:
    assert "help keys say more." in toy.does("help")


def test_what_is_double_is_said_to_be_the_same(toy: Tried) -> None:
    assert "'help E0501' does the same" in toy.does("help explain")
    assert toy.does("explain E0501") == toy.does("help E0501")
    assert "'watch' stops only where a write changes it" in toy.does("help wwatch")
