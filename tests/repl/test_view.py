"""The panels: printed once, and kept on screen above the prompt of the real application."""

from __future__ import annotations

import re
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from prompt_toolkit.data_structures import Size
from prompt_toolkit.input import create_pipe_input
from prompt_toolkit.output import DummyOutput

from nasm.apps.repl import panels, prompt, suggest
from nasm.apps.repl.panel_window import Above
from nasm.apps.repl.settings import PANELS, USUAL
from nasm.debugger.session import Session
from tests.parts import part
from tests.repl.conftest import Loader, Tried
from tests.repl.test_prompt import home  # noqa: F401  (no history of whoever runs the tests)
from tests.repl.test_seeing import PROGRAMS

F2 = "\x1bOQ"

NARROW = """\
-- source --------------------------------------------------
          1 | .target toy
          2 | .ram   X  f32[4, 2]  input = iota
          3 | .ram   Y  f32[4, 2]  output = zeros
          4 | .bank  x  f32[4, 2]
          5 | .bank  y  f32[4, 2]
          6 | .sem   loaded, done
          7 | @beta   Move   x, X                 $loaded +…
 beta>    8 | @beta   Wait            $loaded >= 2
          9 | @alpha
         10 |         Set    %r0, 2
alpha>   11 | again:  Count  %r0
         12 |         Loop   %r0, target=again
         13 |         Wait                        $done++
         14 | @beta   Add    y, x, x  $done >= 1
         15 | .expect  y == 2 * X
-- queues --------------------------------------------------
alpha  cycle 2, pc 1 of 4
  next  line 11: Count %r0
        starts now
beta  cycle 1, pc 1 of 3
  next  line 8: Wait  $loaded >= 2
        waits for $loaded >= 2 (it is 0): the transfer of
        line 7: dispatch, lands at 0.031 µs
1 transfer in flight: it lands at 0.031 µs
semaphores: $loaded = 0 (beta waiting),  $done = 0
transfers: line 7: dispatch, 0/2 landed, lands at 0.031 µs:…
psum: 0.x+1                        1-
-- display -------------------------------------------------
1: x[0]  float32[1, 2]
     0  __  __
"""


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[\d;]*m", "", text)


@pytest.mark.parametrize("color", ["never", "always"])
def test_unattended_it_is_printed_once(toy: Tried, color: str) -> None:
    toy.shell.settings.width, toy.shell.settings.color = 60, color
    assert plain(toy.does("display x[0]", "step 2", "view")) == NARROW
    assert "-- source" not in toy.does("step")


def test_in_plain_nothing_is_kept_and_what_is_printed_is_ascii(toy: Tried) -> None:
    toy.shell.settings.width, toy.shell.settings.plain, toy.shell.attended = 60, True, True
    said = toy.does("display x[0]", "step 2", "view")
    assert said.isascii()
    assert len(said.splitlines()) == len(NARROW.splitlines())
    assert toy.shell.kept == ()


@pytest.mark.parametrize("width", part([40, 60, 80, 120], 1))
@pytest.mark.parametrize("program", ["matmul_k", "softmax", "countdown"])
@pytest.mark.parametrize("micro", part(["0", "1.5", "3", "99"], 2))
def test_whatever_height_there_is_it_is_kept_to(
    bare: Tried, program: str, width: int, micro: str
) -> None:
    bare.shell.adopt(Session(str(PROGRAMS / f"{program}.nasm")))
    bare.shell.settings.width = width
    bare.does("display $done" if program == "countdown" else "display 1", f"until {micro}us")
    for height in part(range(3, 34), 4):
        lines = panels.shown(bare.shell, tuple(PANELS), width, height)
        assert 0 < len(lines) <= height
        assert max(len(line.text) for line in lines) <= width
        assert lines[0].text.startswith(("-- source", "source:", "no room: source"))


def test_each_engine_is_shown_before_what_is_around_it(load: Loader) -> None:
    said = "\n".join(f"@{e} Set %r0, {n}" for n in range(20) for e in ("alpha", "beta"))
    tried = load(f".target toy\n{said}\n")
    tried.does("step 5 beta")
    found = panels.source(tried.shell, 60, 4)
    assert [line.split("|")[0].split() for line in found] == [
        ["beta>", "15"],
        ["..."],
        ["alpha>", "22"],
    ]


def test_what_finds_no_room_is_named(toy: Tried) -> None:
    toy.does("step 2")
    lines = [line.text for line in panels.shown(toy.shell, USUAL, 60, 10)]
    assert lines[-1] == "no room: transfers, psum"
    assert lines[0].startswith("-- source")


def test_no_panel_is_left_out_for_which_there_are_empty_lines(bare: Tried) -> None:
    bare.shell.adopt(Session(str(PROGRAMS / "matmul.nasm")))
    left_out = 0
    for move in ("until 1.2us", "until 2.1us"):
        bare.does(move)
        for height in range(3, 40):
            shown = panels.shown(bare.shell, tuple(PANELS), 80, height)
            assert len(shown) <= height
            if len(shown) < 2 or not shown[-1].text.startswith("no room: "):
                continue
            names = shown[-1].text.removeprefix("no room: ").split(", ")
            free = height - len(shown) + (len(names) == 1)
            for one in (panels.MADE[name] for name in names):
                lines = one.make(bare.shell, 80, height)
                assert min(one.least, len(lines)) + (len(lines) > 1) > free
            left_out += 1
    assert left_out > 10


def test_panels_are_chosen_by_name_and_names_may_be_shortened(toy: Tried) -> None:
    toy.does("view ps, q")
    assert toy.shell.settings.view == ("queues", "psum")
    toy.does("view on")
    assert toy.shell.settings.view == USUAL
    assert toy.does("view off") == ""
    assert toy.shell.settings.view == ()
    assert "'s' could be source or semaphores" in toy.does("view s")
    assert "no panel 'sorce'" in toy.does("view sorce")
    assert "did you mean 'source'?" in toy.does("view sorce")
    toy.does("set view psum time")
    assert toy.shell.settings.view == ("psum", "time")
    assert "'view' is off, on, or some of source" in toy.does("set view nothing")


def test_every_panel_is_made_by_something() -> None:
    assert list(panels.MADE) == list(PANELS)


def test_completion_offers_the_panels_that_were_not_named(toy: Tried) -> None:
    toy.shell.renew()
    found = [s.text for s in suggest.suggest("view source ", toy.shell.names)]
    assert found == [name for name in (*PANELS, "off", "on", "full") if name != "source"]


# ---------------------------------------------------------------- above the prompt


class Terminal(DummyOutput):
    """A terminal of a size that keeps what is drawn: a list of renderings."""

    def __init__(self, rows: int, columns: int) -> None:
        self.size = Size(rows=rows, columns=columns)

    def get_size(self) -> Size:
        return self.size


def attended(
    tried: Tried, keys: str, monkeypatch: pytest.MonkeyPatch, rows: int = 24, columns: int = 80
) -> list[list[str]]:
    """What stands above each prompt while somebody types; the keys must leave."""
    drawn: list[list[str]] = []
    there: Callable[..., Any] = Above.__call__

    def look(above: Above) -> Any:
        found = there(above)
        lines = "".join(text for _, text, *_ in found).split("\n")[:-1]
        if not drawn or drawn[-1] != lines:
            drawn.append(lines)
        return found

    monkeypatch.setattr(Above, "__call__", look)
    tried.shell.attended = True
    tried.shell.settings.width = None
    monkeypatch.setenv("COLUMNS", str(columns))
    with create_pipe_input() as keyboard:
        keyboard.send_text(keys)
        prompt.interact(tried.shell, keyboard, Terminal(rows, columns))
    return drawn


def on_terminal(tried: Tried, monkeypatch: pytest.MonkeyPatch, terminal: Terminal) -> Above:
    """What stands above a prompt that nobody types at."""
    tried.shell.attended, tried.shell.settings.view = True, USUAL
    monkeypatch.setenv("COLUMNS", "1000")
    monkeypatch.setattr(
        "nasm.apps.repl.panel_window.get_app", lambda: SimpleNamespace(output=terminal)
    )
    return Above(tried.shell)


@pytest.mark.parametrize(("rows", "columns"), [(24, 60), (24, 80), (40, 120), (10, 40)])
def test_panels_follow_each_move(
    toy: Tried, monkeypatch: pytest.MonkeyPatch, rows: int, columns: int
) -> None:
    keys = "view\nstep 2\nback\ngoto end\ngoto start\nset $done = 1\nview off\n\x04"
    drawn = attended(toy, keys, monkeypatch, rows, columns)
    assert drawn[0] == []
    assert drawn[-1] == []
    for lines in drawn:
        assert len(lines) <= rows - 2 - max(3, rows // 4)
        assert max(map(len, lines), default=0) <= columns
    if rows < 24:
        return
    at = ["\n".join(line for line in lines if re.search(r"[>*] +\d+ \|", line)) for lines in drawn]
    assert re.search(r"beta> +7 ", at[1])
    assert re.search(r"beta> +8 ", at[2])
    assert re.search(r"alpha> +11 ", at[2])
    assert re.search(r"alpha> +10 |alpha\* +10 ", at[3])
    assert at[4] == ""  # at the end nobody has anything left
    assert at[5] == at[1]
    assert any("$done = 1" in line for line in drawn[6])


def test_what_a_panel_has_is_not_printed_after_a_move_as_well(
    toy: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    attended(toy, "display 7\nview\nstep\nview psum\nstep\n\x04", monkeypatch)
    first, second = toy.out.getvalue().split("(nasm) view psum\n")
    shown = first.split("(nasm) step\n")[1]
    assert "next  line" not in shown
    assert "1: 7" not in shown
    assert "next  line" in second
    assert "1: 7" in second


def test_a_line_that_went_with_the_panels_is_printed(
    toy: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    attended(toy, "p 1\nview\np 2\nstep\n\n\x04", monkeypatch)
    said = toy.out.getvalue()
    assert "(nasm) p 1" not in said
    assert "(nasm) p 2\n" in said
    assert said.count("(nasm) step\n") == 2  # an empty line repeats it


def test_a_key_chooses_panels(toy: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    attended(toy, f"{F2}12{F2}\n\x04", monkeypatch)
    assert toy.shell.settings.view == USUAL[2:]
    attended(toy, f"{F2}27{F2}\n\x04", monkeypatch)
    assert toy.shell.settings.view == (*USUAL[1:], "time")


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        (80, "1+source 2+queues 3+semaph 4+transf 5+psum 6+displa 7-time 8-noc"),
        (60, "1+sou 2+que 3+sem 4+tra 5+psu 6+dis 7-tim 8-noc"),
        (40, "1+sou 2+que 3+sem 4+tra 5+psu 6+dis 7-t…"),
    ],
)
def test_what_may_be_chosen_is_above_the_panels(
    toy: Tried, monkeypatch: pytest.MonkeyPatch, columns: int, line: str
) -> None:
    above = on_terminal(toy, monkeypatch, Terminal(24, columns))
    above.choosing = True
    assert above()[0][1] == f"{line}\n"


def test_digits_are_typed_once_it_is_chosen(toy: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    attended(toy, f"{F2}1\rp 21\n\x04", monkeypatch)
    assert "(nasm) p 21\n" in toy.out.getvalue()


def test_another_size_lays_them_out_again(toy: Tried, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal(24, 80)
    above = on_terminal(toy, monkeypatch, terminal)
    wide = above()
    assert above() is wide
    terminal.size = Size(rows=40, columns=50)
    tall = above()
    assert len(tall) > len(wide)
    assert max(len(text.rstrip("\n")) for _, text, *_ in tall) == 50


def test_a_defect_in_a_panel_costs_the_panels_alone(
    toy: Tried, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> list[str]:
        raise ZeroDivisionError("panel")

    monkeypatch.setitem(panels.MADE, "psum", panels.Panel("psum", broken, 1))
    attended(toy, "view off\nset view psum\np 1\n\x04", monkeypatch)
    said = toy.out.getvalue()
    assert "defect in nasm: ZeroDivisionError: panel" in said


def test_without_a_program_there_is_nothing_to_view(bare: Tried) -> None:
    assert "no program is loaded" in bare.does("view")
