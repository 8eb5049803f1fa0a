"""At the prompt a hazard stops a run: at the event that made it, with nothing told too early."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from nasm.apps.repl import help_commands  # noqa: F401  (declares the commands)
from nasm.apps.repl.screen import ReplScreen
from nasm.apps.repl.shell import Shell
from tests.repl.conftest import Tried

MATMUL = (Path(__file__).parents[2] / "programs" / "matmul.nasm").read_text(encoding="utf-8")


@pytest.fixture
def trying(tmp_path: Path) -> Tried:
    """A shell for the matmul without the two waits that order its engines.

    Beside it lies one with a wait for more updates than there are.
    """
    unordered = MATMUL.replace("$loaded >= 32", "").replace("$multiplied >= 1", "")
    (tmp_path / "unordered.nasm").write_text(unordered, encoding="utf-8")
    hung = MATMUL.replace("$loaded >= 32", "$loaded >= 48")
    (tmp_path / "hung.nasm").write_text(hung, encoding="utf-8")
    out = io.StringIO()
    shell = Shell(ReplScreen(out))
    shell.adopt(None)
    shell.load(str(tmp_path / "unordered.nasm"))
    shell.settings.stop_on_hazard = True
    return Tried(shell, out)


def test_a_run_stops_where_the_first_read_of_something_unwritten_starts(trying: Tried) -> None:
    said = trying.does("run")
    assert said.startswith("hazard[E0501]: tensor pc 0 (LoadStationary) reads a")
    assert "stopped at 0.000 µs, cycle 0, for a hazard" in said
    assert trying.shell.session.now == 0


def test_what_completes_only_after_a_hazard_is_not_listed(trying: Tried) -> None:
    said = trying.does("run", "until 1.2us")  # the next hazard is at cycle 0, too
    assert said.startswith("no instruction completed\nhazard[E0501]: vector pc 0 (TensorCopy)")
    trying.does("continue")
    said = trying.does("until 1.2us")
    # the issue of the first transfer takes 10 cycles; the matmul, at 16, meets the next hazard
    assert said.startswith("sync pc 0  DmaCopy a, A  $loaded += 16\n  sync cycles 0..10,")
    assert "hazard[E0502]: nothing orders vector pc 0 (TensorCopy), which reads acc" in said


def test_without_stops_at_hazards_a_run_ends_and_tells_of_them(trying: Tried) -> None:
    said = trying.does("set stop-on hazard off", "run")
    assert said.startswith("7 instructions completed\nhazard[E0502]")
    assert "finished at" in said


def test_a_deadlock_is_reported_as_an_end_and_not_as_a_stop(trying: Tried) -> None:
    path = Path(trying.shell.path).with_name("hung.nasm")
    said = trying.does(f"load {path}", "run")
    assert "hazard[E0510]: deadlock at 1.647 µs: @tensor is blocked forever" in said
    assert said.splitlines()[-1].startswith("deadlock at 1.647 µs, cycle 2,305")
