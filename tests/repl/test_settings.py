"""Settings: declared once, set, shown and completed."""

from __future__ import annotations

import pytest

from nasm.apps.repl import settings
from nasm.apps.repl.settings import SETTINGS, ReplSettings
from nasm.base.problems import Refused
from tests.repl.conftest import Tried


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_shown_and_can_be_set_to_what_is_shown(toy: Tried, name: str) -> None:
    head, row = toy.does("set width 200", f"info settings {name}").splitlines()[:2]
    assert head.startswith("setting")
    assert row.startswith(name)
    toy.does("set width auto")
    said = toy.shell.settings.written(name)
    assert toy.does(f"set {name} {said}") == ""
    assert toy.shell.settings == ReplSettings()
    assert SETTINGS[name].summary in toy.does("set width 120", "info settings")


def test_a_setting_counts_from_the_next_line_on(toy: Tried) -> None:
    assert toy.does("set context off", "set width 50", "set stop-on hazard off") == ""
    now = toy.shell.settings
    assert (now.context, now.width, now.stop_on_hazard) == (False, 50, False)
    assert toy.shell.screen.width == 50
    toy.does("set width auto", "set con auto", "set stop haz auto")
    assert now == ReplSettings()


def test_context_and_stops_at_hazards_can_be_had_unattended(toy: Tried) -> None:
    assert "  next  " not in toy.does("step")
    assert "  next  " in toy.does("set context on", "step")
    assert "  next  " not in toy.does("set context auto", "step")
    assert not toy.shell.wanted(toy.shell.settings.stop_on_hazard)
    toy.does("set stop-on hazard on")
    assert toy.shell.wanted(toy.shell.settings.stop_on_hazard)
    toy.shell.attended = True
    assert toy.shell.wanted(toy.shell.settings.context)
    toy.does("set context off")
    assert not toy.shell.wanted(toy.shell.settings.context)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("set", "set what?"),
        ("set contxt off", "no setting 'contxt off'\n  hint: did you mean 'context'?"),
        ("set c off", "'c' could be context, changes or color"),
        ("set context", "'context' is auto, on, off; found nothing\n  hint: it is auto"),
        ("set context of", "'context' is auto, on, off; found 'of'"),
        ("set context off now", "'context' is auto, on, off; found 'off now'"),
        ("set width 39", "'width' is auto, or 40 to 1000; found '39'"),
        ("set width ４０", "'width' is auto, or 40 to 1000; found '４０'"),
        ("set color blue", "'color' is auto, always, never; found 'blue'"),
        ("set stop-on", "no setting 'stop-on'"),
        ("info settings nothing", "no setting 'nothing'"),
    ],
)
def test_what_is_none_is_refused(toy: Tried, line: str, said: str) -> None:
    assert f"error[E0822]: {said}" in toy.does(line)
    assert toy.shell.settings == ReplSettings()


def test_the_name_and_the_value_are_reported_apart() -> None:
    assert settings.split("stop-on hazard off") == ("stop-on hazard", "off")
    assert settings.split("plain") == ("plain", "")
    with pytest.raises(Refused):
        settings.split("")


@pytest.mark.parametrize("width", [60, 80, 300])
def test_no_meaning_of_a_setting_is_cut(bare: Tried, width: int) -> None:
    bare.shell.settings.width = width
    said = bare.does("info settings")
    assert "…" not in said
    assert max(map(len, said.splitlines())) <= width
    words = " ".join(said.split())
    for one in SETTINGS.values():
        assert one.summary in words
        assert one.kind.legal in words
