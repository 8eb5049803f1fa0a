"""`view full`: the real application, with keys and clicks, and what it draws at several sizes."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from prompt_toolkit.input import create_pipe_input

from nasm.apps.repl import prompt
from nasm.apps.repl.full_screen import KEYS, FullScreen
from nasm.base.source import Source
from nasm.debugger.session import Session
from tests.repl.conftest import COUNTDOWN, Tried
from tests.repl.test_prompt import home  # noqa: F401  (no history of whoever runs the tests)
from tests.repl.test_view import Terminal

ESCAPE = "\x1b"
F = {1: "OP", 2: "OQ", 5: "[15~", 6: "[17~", 7: "[18~", 8: "[19~", 9: "[20~", 10: "[21~"}
LEAVE = "\x04"


def key(number: int) -> str:
    """The bytes of a function key."""
    return ESCAPE + F[number]


def click(column: int, row: int) -> str:
    """The bytes of a click, counted from 1."""
    return f"{ESCAPE}[<0;{column};{row}M{ESCAPE}[<0;{column};{row}m"


class Seen(NamedTuple):
    """What was drawn, each screen as its lines, and what was printed on the panes."""

    screens: list[list[str]]
    printed: list[str]

    @property
    def last(self) -> str:
        return "\n".join(self.screens[-1])


@pytest.fixture
def look(toy: Tried, monkeypatch: pytest.MonkeyPatch) -> type[Looking]:
    monkeypatch.delenv("COLUMNS", raising=False)
    Looking.toy, Looking.patch = toy, monkeypatch
    return Looking


class Looking:
    """Types at the whole screen and looks at it."""

    toy: Tried
    patch: pytest.MonkeyPatch

    @classmethod
    def at(cls, *keys: str, rows: int = 24, columns: int = 80, after: str = LEAVE) -> Seen:
        """What there is to see after some keys, each typed when what came before is drawn.

        The whole screen is asked for before them; ``after`` is typed when it is left, or they end.
        """
        seen, left, began = Seen([], []), list(keys), FullScreen.__init__

        def begin(full: FullScreen, *args: object, **keywords: object) -> None:
            began(full, *args, **keywords)  # type: ignore[arg-type]
            leave = full.leave

            def look(_: object) -> None:
                if lines := cls.drawn(full, rows, columns):
                    seen.screens.append(lines)
                    keyboard.send_text(left.pop(0) if left else LEAVE)

            def leaving() -> None:
                seen.printed[:] = ["".join(p[1] for p in line) for line in full.printed.lines]
                leave()
                keyboard.send_text(after)

            full.app.after_render += look
            full.leave = leaving  # type: ignore[method-assign]

        cls.toy.shell.attended = True
        with create_pipe_input() as keyboard, cls.patch.context() as patch:
            patch.setattr(FullScreen, "__init__", begin)
            keyboard.send_text("view full\n")
            prompt.interact(cls.toy.shell, keyboard, Terminal(rows, columns))
        return seen

    @staticmethod
    def drawn(full: FullScreen, rows: int, columns: int) -> list[str]:
        """The lines of the screen; none if the application is done."""
        screen = full.renderer.last_rendered_screen
        if screen is None or full.app.is_done:
            return []
        lines = (
            "".join(screen.data_buffer[y][x].char for x in range(columns)) for y in range(rows)
        )
        return [line.rstrip() for line in lines]


Look = type[Looking]


@pytest.mark.parametrize(("rows", "columns"), [(24, 80), (24, 60), (60, 200), (40, 120)])
def test_every_pane_and_key_is_on_the_screen(look: Look, rows: int, columns: int) -> None:
    seen = look.at("step 2\n", rows=rows, columns=columns)
    for part in (
        "source toy.nasm",
        "alpha>   11 |",
        "queues",
        "$loaded = 0",
        "psum: 0.x",
        "(nasm)",
    ):
        assert part in seen.last, part
    assert "step 2" in seen.last
    for name, (what, _) in KEYS.items():
        short = f"{name} {what.split()[0]}" if columns > 60 else f"{name[1:]}{what.split()[0]}"
        assert short in seen.last.splitlines()[-1]
    assert max(map(len, seen.last.splitlines())) <= columns


def test_a_terminal_too_small_for_all_of_it_says_so_and_commands_are_done(look: Look) -> None:
    seen = look.at("print 3 + 4\n", rows=8, columns=40)
    assert "too small" in seen.last
    assert "3 + 4 = 7" in seen.printed


def test_commands_print_into_a_pane_and_moves_show_there(look: Look) -> None:
    seen = look.at("step\n", "step\n", "print 3 + 4\n")
    assert seen.printed[0] == "(nasm) step"
    assert seen.printed[-1] == "3 + 4 = 7"
    assert "next  line" not in "\n".join(seen.printed)  # the panel has it
    assert look.toy.out.getvalue() == ""


def test_keys_do_commands(look: Look) -> None:
    seen = look.at(key(8), key(8), key(7), key(5))
    assert [line for line in seen.printed if line.startswith("(nasm)")] == [
        "(nasm) step",
        "(nasm) step",
        "(nasm) back",
        "(nasm) continue",
    ]
    assert look.toy.shell.session.over


def row_of(seen: Seen, text: str) -> int:
    """The row of the first line that has a text, from 1."""
    return next(n for n, line in enumerate(seen.screens[-1], 1) if text in line)


def test_a_click_on_a_line_sets_a_stop_and_another_takes_it_away(look: Look) -> None:
    row = row_of(look.at(rows=40), "again:  Count")
    seen = look.at(click(20, row), rows=40)
    assert [str(one) for one in look.toy.shell.session.breakpoints] == ["1: before line 11"]
    assert f"o{'':>7}  11 | again" in seen.last or "o" in seen.screens[-1][row - 1].split("11 |")[0]
    seen = look.at(click(20, row), rows=40)
    assert list(look.toy.shell.session.breakpoints) == []
    assert "o" not in seen.screens[-1][row - 1].split("11 |")[0].replace("alpha", "")


def test_the_chosen_line_moves_by_keys_and_takes_a_stop(look: Look) -> None:
    look.at(key(6), f"{ESCAPE}[F", f"{ESCAPE}[A", key(9))  # End, Up, F9
    assert [one.asked.what for one in look.toy.shell.session.breakpoints] == ["14"]


def test_a_click_on_a_panel_leads_to_the_line_it_names(look: Look) -> None:
    row = row_of(look.at("step 2\n", rows=40), "next  line 11")
    look.at(click(10, row), key(9), rows=40)
    assert [one.asked.what for one in look.toy.shell.session.breakpoints] == ["11"]


def test_the_focus_goes_round_and_is_told_without_colour(look: Look) -> None:
    seen = look.at(key(6), rows=40)
    assert any(line.startswith("== source") for line in seen.screens[-1])
    seen = look.at(key(6), key(6), rows=40)
    assert any(line.startswith("== queues") for line in seen.screens[-1])
    seen = look.at(key(6), f"{ESCAPE}[Z", rows=40)
    assert not any(line.startswith("==") for line in seen.screens[-1])


def test_what_is_typed_in_a_pane_goes_to_the_line(look: Look) -> None:
    assert "3 + 4 = 7" in look.at(key(6), "print 3 + 4\n").printed


def test_panels_are_switched_by_digits(look: Look) -> None:
    seen = look.at(key(2), "2", "\n")
    assert "-- queues" not in seen.last
    assert "-- queues" in look.at().last  # the next time those of before are there


def test_long_output_is_shown_from_its_beginning(look: Look) -> None:
    seen = look.at("help\n")
    assert "(nasm) help" in seen.last
    assert "F6 and PgDn show the rest" in seen.last
    seen = look.at("help\n", key(6), key(6), key(6), f"{ESCAPE}[F")  # to what is printed, End
    assert "help hazard and help keys say more." in seen.last


@pytest.mark.parametrize("leave", [key(10), "view off\n"], ids=["F10", "off"])
def test_the_prompt_comes_back_as_it_was(look: Look, leave: str) -> None:
    seen = look.at("step\n", leave, after=f"print 3 + 4\n{LEAVE}")
    assert "3 + 4 = 7" not in seen.printed
    assert "3 + 4 = 7" in look.toy.out.getvalue()
    assert look.toy.shell.settings.view == ()
    assert not look.toy.shell.full


def test_what_fails_in_drawing_is_reported_at_the_prompt(look: Look) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("broken")

    look.patch.setattr("nasm.apps.repl.panes.ProgramPane._lines", fail)
    look.at(after=f"print 3 + 4\n{LEAVE}")
    assert "defect in nasm: ZeroDivisionError: broken" in look.toy.out.getvalue()
    assert "3 + 4 = 7" in look.toy.out.getvalue()


def test_calls_are_marked_in_the_text_that_makes_them(bare: Tried, tmp_path: Path) -> None:
    (tmp_path / "one.nasm").write_text(".macro twice(t)\n@vector Memset t, 1.0\n.end\n")
    text = '.target trn1\n.include "one.nasm"\n.sbuf t f32[128, 8]\ntwice(t)\n'
    (tmp_path / "main.nasm").write_text(text)
    session = Session(str(tmp_path / "main.nasm"))
    from nasm.apps.repl.panels import places

    assert session.source is not None
    assert places(session, session.source) == {4: ["vector>"]}


@pytest.mark.parametrize(("plain", "attended"), [(True, True), (False, False)])
def test_where_nothing_can_be_drawn_it_is_refused(toy: Tried, plain: bool, attended: bool) -> None:
    toy.shell.settings.plain, toy.shell.attended = plain, attended
    said = toy.does("view full")
    assert "E0822" in said
    assert "'view' prints the panels" in said
    assert not toy.shell.full


def test_a_program_of_many_lines_is_shown(look: Look) -> None:
    from tests.toy.target import TARGETS

    text = COUNTDOWN + "; a comment\n" * 6000
    look.toy.shell.adopt(Session.load(Source("toy.nasm", text), targets=TARGETS))
    seen = look.at(key(6), f"{ESCAPE}[F")
    assert "6015 | ; a comment" in seen.last
