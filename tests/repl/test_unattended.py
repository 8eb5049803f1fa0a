"""Scripts: exact texts of runs on programs/, exit codes, and a loop that survives its own bugs."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from nasm.apps.repl import main, moving
from nasm.apps.repl.command import COMMANDS, Command
from nasm.base import host_memory
from nasm.debugger.session import Session
from nasm.show.columns import cut, table, wrapped

ROOT = Path(__file__).parents[2]
Capture = pytest.CaptureFixture[str]

DEADLOCK = """\
.target trn1
.sem a, b
@vector EventSemaphore  $a >= 1  $b++
@scalar EventSemaphore  $b >= 1  $a++
"""

FAULT = """\
.target trn1
.sem   filled
.sbuf  b    bf16[128, 8]
.psum  acc  f32[128, 8]
@gpsimd Memset          b, 1.0    $filled++
@tensor MultiplyMoving  acc, b    $filled >= 1
"""

WRONG = """\
.target trn1
.sbuf  t  f32[4, 2]
@vector Memset  t, 1.0
.expect t == 2
"""


@pytest.fixture(autouse=True)
def at_root(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    monkeypatch.setenv("NO_COLOR", "1")


def file(folder: Path, text: str) -> str:
    path = folder / "made.nasm"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_steps_of_the_first_program(capsys: Capture) -> None:
    assert main("programs/matmul.nasm", commands=["step 2", "step @tensor", "p $loaded"]) == 0
    # Sync and Tensor have 4 and 2 ticks a cycle, 5,600 make a µs.
    assert capsys.readouterr().out == (
        "engine  pc  completed                    cycles  at µs  waited\n"
        "sync     0  DmaCopy a, A  $loaded += 16   0..10  0.007       0\n"
        "sync     1  DmaCopy b, B  $loaded += 16  10..20  0.014       0\n"
        "tensor pc 0  LoadStationary a  $loaded >= 32\n"
        "  tensor cycles 5490..5709, 1.961..2.039 µs, after waiting 5,490 cycles\n"
        "  $loaded 0 -> 32\n"
        "  a 16,384 elements changed,  [0, 0] __ -> 0.511719,  [0, 1] __ -> 0.949219\n"
        "  b 65,536 elements changed,  [0, 0] __ -> 0.261719,  [0, 1] __ -> 0.298828\n"
        "$loaded = 32\n"
    )


def test_a_run_of_a_loop_ends_with_its_expectations(capsys: Capture) -> None:
    assert main("programs/countdown.nasm", commands=["run", "p Y[1, 0:4]", "i regs"]) == 0
    # X is iota in rows of 16, doubled five times: 16 * 32 and on.
    assert capsys.readouterr().out.splitlines()[2:] == [
        "✓ Y == X * 32",
        "    2,048 elements equal",
        "Y  float32[4]  in hbm",
        "  0  512.0  544.0  576.0  608.0",
        "  min 512  max 608  mean 560  4 elements",
        "engine  register  value        bits",
        "scalar  %r0           0  0x00000000",
    ]


def test_a_memory_with_banks_is_shown_by_its_own_name(capsys: Capture) -> None:
    assert main("programs/matmul.nasm", commands=["run", "info psum"]) == 0
    out = capsys.readouterr().out
    # the last write of acc is at 13,098 of 5,600 ticks a µs: tests/repl/test_scripts.py watches it
    assert "psum       0  2,048/2,048  ############  closed     2.339  acc\n" in out
    assert "psum       7      0/2,048  ............  free              -\n" in out


@pytest.mark.turns(2)
@pytest.mark.parametrize("name", ["matmul", "matmul_k", "softmax", "countdown"])
def test_every_command_works_on_real_programs(capsys: Capture, name: str) -> None:
    looks = [c for c in COMMANDS if c.startswith("info ")] + ["where", "list", "report"]
    lines = [*looks, "step 5", *looks, "cycle 100", "run", *looks, "expect"]
    assert main(f"programs/{name}.nasm", commands=lines) == 0
    out = capsys.readouterr().out
    assert "error" not in out.replace("worst |error|", "")
    assert max(map(len, out.splitlines())) <= 80


def test_constants_inputs_and_target_of_the_command_line_are_used(capsys: Capture) -> None:
    lines = ["info tensors", "run"]
    assert main("programs/softmax.nasm", target="trn2", defines={"N": 64}, commands=lines) == 0
    assert "[128, 64]" in capsys.readouterr().out


def test_definitions_belong_to_the_program_they_came_with(capsys: Capture) -> None:
    # matmul.nasm declares no N, so that defining it would be an error.
    lines = ["load", "info tensors", "load programs/matmul.nasm"]
    assert main("programs/softmax.nasm", defines={"N": 64}, commands=lines) == 0
    out = capsys.readouterr().out
    assert "[128, 64]" in out
    assert "programs/matmul.nasm: 7 instructions on 3 engines, NeuronCore-v2 (Trn1)\n" in out


# -- exit codes


@pytest.mark.parametrize(
    ("text", "commands", "code"),
    [
        (WRONG, ["help"], 0),
        (WRONG, ["run"], 1),
        (WRONG, ["step 10"], 1),
        (WRONG, ["expect"], 1),
        (WRONG, ["stpe"], 1),
        (DEADLOCK, ["run"], 1),
        (FAULT, ["run"], 1),
        (FAULT, ["help"], 0),
        (".target trn1\n@vector Memst t\n", ["run"], 2),
        (WRONG, ["load no-such-file.nasm"], 2),
        (WRONG, ["", "; nothing", "# nothing"], 0),
        (WRONG, ["quit", "run"], 0),
    ],
)
def test_exit_codes(tmp_path: Path, text: str, commands: list[str], code: int) -> None:
    assert main(file(tmp_path, text), commands=commands) == code


def test_a_fault_is_reported_with_its_place(tmp_path: Path, capsys: Capture) -> None:
    main(file(tmp_path, FAULT), commands=["run", "step"])
    out = capsys.readouterr().out
    assert "hazard[E0503]" in out
    assert "\n6 | @tensor MultiplyMoving  acc, b    $filled >= 1\n" in out
    assert out.splitlines()[-1].startswith("fault at ")


def test_what_does_not_assemble_is_reported_and_nothing_is_done(
    tmp_path: Path, capsys: Capture
) -> None:
    assert main(file(tmp_path, "@vector\n"), commands=["help"]) == 2
    out = capsys.readouterr().out
    assert out.startswith("error[")
    assert "command" not in out


def test_a_failed_load_keeps_what_was_loaded(tmp_path: Path, capsys: Capture) -> None:
    bad = file(tmp_path, "@vector\n")
    assert main("programs/matmul.nasm", commands=[f"load {bad}", "run"]) == 2
    out = capsys.readouterr().out
    assert "not loaded: programs/matmul.nasm stays as it was\n" in out
    assert "✓ C ~ A.T @ B" in out


# -- where commands come from


def test_a_file_of_commands_comes_before_those_of_the_command_line(
    tmp_path: Path, capsys: Capture
) -> None:
    script = tmp_path / "commands"
    script.write_text("; first\nrun\n\np $copied\n", encoding="utf-8")
    assert main("programs/matmul.nasm", script=str(script), commands=["p $stored"]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == ["$copied = 1", "$stored = 16"]


@pytest.mark.parametrize("text", [None, b"\xff\xfe"])
def test_a_script_that_cannot_be_read(tmp_path: Path, capsys: Capture, text: bytes | None) -> None:
    script = tmp_path / "commands"
    if text is not None:
        script.write_bytes(text)
    assert main("programs/matmul.nasm", script=str(script)) == 2
    assert capsys.readouterr().out.startswith("error[E0801]")


def test_commands_come_from_standard_input_if_nothing_types(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An empty line repeats nothing here.
    monkeypatch.setattr("sys.stdin", io.StringIO("step\n\n\np $loaded\n"))
    assert main("programs/matmul.nasm") == 0
    assert capsys.readouterr().out == (
        "sync pc 0  DmaCopy a, A  $loaded += 16\n"
        "  sync cycles 0..10, 0.000..0.007 µs\n"
        "$loaded = 0, tensor waiting\n"
    )


def test_a_program_may_come_from_standard_input(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(WRONG))
    assert main("-", commands=["list 1"]) == 0
    assert capsys.readouterr().out.startswith("<stdin>\n")


# -- what goes wrong in nasm itself


def test_a_bug_in_a_command_is_reported_and_the_next_command_is_done(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ZeroDivisionError("division by zero")

    bug = Command("bug", (), "bug", (), False, broken, "Fail.")
    monkeypatch.setitem(COMMANDS, "bug", bug)
    assert main("programs/matmul.nasm", commands=["bug", "p $loaded"]) == 70
    said, after = capsys.readouterr().out.splitlines()
    assert said.startswith("defect in nasm: ZeroDivisionError: division by zero (in broken, ")
    assert said.endswith(", please report")
    assert after == "$loaded = 0"


@pytest.mark.parametrize("error", [MemoryError(), SystemError("error return without exception")])
def test_too_little_memory_for_a_command_is_no_defect(
    error: Exception, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def greedy(*_: object) -> None:
        raise error

    monkeypatch.setattr(host_memory, "_limits", lambda: iter([(1 << 30, "a limit")]))
    command = Command("greedy", (), "greedy", (), False, greedy, "Fail.")
    monkeypatch.setitem(COMMANDS, "greedy", command)
    assert main("programs/matmul.nasm", commands=["greedy", "p $loaded"]) == 1
    said, after = capsys.readouterr().out.splitlines()
    assert said.startswith("error[E0808]: not enough memory")
    assert after == "$loaded = 0"


def test_a_bug_while_the_machine_moves_leaves_it_unusable_until_restarted(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise IndexError("bug")

    monkeypatch.setattr(Session, "advance", broken)
    assert main("programs/matmul.nasm", commands=["cycle", "step", "restart", "run"]) == 70
    out = capsys.readouterr().out
    assert "cannot continue" in out
    assert "✓ C ~ A.T @ B" in out


def test_an_interrupt_ends_a_script_with_130(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Session, "run", interrupted)
    assert main("programs/matmul.nasm", commands=["run", "p $loaded"]) == 130
    assert "$loaded" not in capsys.readouterr().out


# -- the screen


def test_control_characters_of_a_program_do_not_reach_the_terminal(
    tmp_path: Path, capsys: Capture
) -> None:
    path = file(tmp_path, f"{WRONG}; \x1b[2J\n")
    main(path, commands=["list 5"])
    out = capsys.readouterr().out
    assert "5 | ; \\x1b[2J\n" in out
    assert "\x1b" not in out


def test_no_colour_where_nothing_looks(capsys: Capture) -> None:
    main("programs/matmul.nasm", commands=["stpe", "list"])
    assert "\x1b" not in capsys.readouterr().out


def test_a_table_takes_from_its_widest_column_what_does_not_fit() -> None:
    lines = table(("a", ">n", "b"), [("x", "1", "y" * 100), ("xx", "22", "z")], 80)
    assert lines == ["a    n  b", f"x    1  {'y' * 71}…", "xx  22  z"]


def test_items_are_wrapped_at_the_width() -> None:
    assert wrapped(["a" * 40, "b" * 40, "c"], 80) == [f"  {'a' * 40}", f"  {'b' * 40},  c"]
    assert wrapped([], 80) == []
    assert cut("abcdef", 4) == "abc…"


def test_long_runs_say_how_far_they_are_on_a_terminal_only() -> None:
    from nasm.apps.repl.screen import ReplScreen

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    piped, terminal = io.StringIO(), Terminal()
    for stream in (piped, terminal):
        screen = ReplScreen(stream)
        screen.passing("half way")
        screen.say("done")
    assert piped.getvalue() == "done\n"
    assert terminal.getvalue().startswith("\r\x1b[Khalf way\r\x1b[K")
    assert moving.LOOK <= 0.1
