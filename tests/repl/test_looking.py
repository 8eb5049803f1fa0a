"""What print, info, where, list and report show of the toy's countdown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nasm.apps.repl import main
from nasm.apps.repl.command import Command, subcommands
from tests.repl.conftest import Loader, Tried


def test_a_tensor_is_printed_with_indices_and_statistics(toy: Tried) -> None:
    assert toy.does("print X") == (
        "X  float32[4, 2]  in ram\n"
        "       0    1\n"
        "  0  0.0  1.0\n"
        "  1  2.0  3.0\n"
        "  2  4.0  5.0\n"
        "  3  6.0  7.0\n"
        "  min 0  max 7  mean 3.5  8 elements\n"
    )


def test_unwritten_elements_are_shown_as_such(toy: Tried) -> None:
    assert toy.does("p x[0:2]") == (
        "x  float32[2, 2]  in bank, partitions 0 to 1\n"
        "      0   1\n"
        "  0  __  __\n"
        "  1  __  __\n"
        "  4 elements  all uninitialised\n"
    )


@pytest.mark.parametrize("line", ["p/x X[3]", "p /x X[3]", "p X[3] /x", "print/x X[3]"])
def test_bits_are_shown_in_hexadecimal(toy: Tried, line: str) -> None:
    # float32 6.0 = 1.5 * 2**2: exponent 129, fraction 0.5; 7.0 = 1.75 * 2**2
    assert "  0  40c00000  40e00000\n" in toy.does(line)


def test_a_semaphore_is_printed_with_who_waits(toy: Tried) -> None:
    assert toy.does("p $loaded") == "$loaded = 0\n"
    assert toy.does("cycle 4", "p $loaded") == "$loaded = 0, beta waiting\n"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("print", "print what?"),
        ("print z", "'z'"),
        ("print X[0:9", "error["),
        ("print X[9]", "error["),
        ("print 3 +", "wanted a value after '+'"),
        ("print $lodaed", "did you mean '$loaded'?"),
        ("print /q X", "no format '/q'"),
        ("print x[:, %r0 : +1]", "starts where a register says"),
        ("info registers gamma", "no engine 'gamma'"),
        ("info banks ram", "no banks in a memory 'ram'"),
        ("info nothing", "no info command 'nothing'"),
        ("list nowhere", "no engine, label or line 'nowhere'"),
        ("list agian", "did you mean 'again'?"),
        ("list 99", "no line 99: toy.nasm has 16"),
        pytest.param("list " + "9" * 5000, "no line 9999", id="list a long number"),
        ("list \u00b2", "no engine, label or line"),
        pytest.param("list " + "9" * 5000 + ".alpha", "no engine, label or line", id="long core"),
    ],
)
def test_what_is_not_there_is_refused(toy: Tried, line: str, said: str) -> None:
    assert said in toy.does(line)
    assert toy.shell.code == 1


def test_constants_of_the_program_are_for_their_numbers(load: Loader) -> None:
    made = load(
        ".target toy\n.const N = 2, M = N + 1\n.ram X f32[M, 4] input = iota\n"
        ".for k in 0..1\n.const inner = k + 1\n.end\n"
    )
    # Row 1 of four columns is 4, 5, 6, 7.
    assert made.does("p X[M - N, 1:N+1]").splitlines()[1] == "  0  5.0  6.0"
    assert "nothing is called 'inner'" in made.does("p X[inner]")
    assert "nothing is called 'k'" in made.does("p X[k]")


def test_list_names_the_engines_beside_their_lines(toy: Tried) -> None:
    assert toy.does("list beta").splitlines()[:8] == [
        "toy.nasm",
        "         2 | .ram   X  f32[4, 2]  input = iota",
        "         3 | .ram   Y  f32[4, 2]  output = zeros",
        "         4 | .bank  x  f32[4, 2]",
        "         5 | .bank  y  f32[4, 2]",
        "         6 | .sem   loaded, done",
        " beta    7 | @beta   Move   x, X                 $loaded += 2",
        "         8 | @beta   Wait            $loaded >= 2",
    ]
    assert toy.does("list again").splitlines()[6] == "        11 | again:  Count  %r0"
    assert toy.does("list 1").splitlines()[1] == "         1 | .target toy"
    assert toy.does("step 3 alpha", "list").splitlines()[6].startswith("alpha   11 | again:")


@pytest.mark.parametrize("line", ["info banks", "info bank", "info banks bank", "i ba"])
def test_banks_by_their_name_and_by_the_memory(toy: Tried, line: str) -> None:
    # 8 bytes of x and of y in each partition, of 128
    assert toy.does("run", line) == (
        "  0#x+1                                  1-\n"
        "memory  bank  written                state   since µs  tensors\n"
        "bank       0   16/128  ##..........  closed     0.053  x, y\n"  # 80 of 1,500 ticks
        "bank       1    0/128  ............  free              -\n"
        "written: bytes of each partition\n"
    )


def test_tensors_and_how_much_of_each_was_written(toy: Tried) -> None:
    assert toy.does("until 0.04us", "info tensors") == (
        "tensor  memory  dtype    shape   at            role    written  at µs  line\n"
        "X       ram     float32  [4, 2]  0             input       all      -\n"
        "Y       ram     float32  [4, 2]  32            output      all      -\n"
        "x       bank    float32  [4, 2]  0:0 (bank 0)              all  0.031  7\n"
        "y       bank    float32  [4, 2]  0:8 (bank 0)                -      -\n"
    )


def test_expectations_are_listed_and_judged_before_the_end(toy: Tried) -> None:
    assert toy.does("info expectations") == "    15 | .expect  y == 2 * X\n"
    said = toy.does("expect")
    assert said.startswith("before the end: not started")
    assert "✗ y == 2 * X\n" in said
    assert toy.shell.code == 1


def test_the_report_counts_each_engine_in_its_own_cycles(toy: Tried) -> None:
    # alpha issues six instructions of one cycle, beta two of one and an Add of two.
    assert toy.does("run", "report") == (
        "finished at 0.053 µs, cycle 26; 'restart' starts over\n"
        "engine  instr.  busy  waiting  waits for  util.  evidence\n"
        "alpha        6     6        3  data       22.5%  100% assumed\n"
        "beta         3     4        9  semaphore  25.0%  100% assumed\n"
        "cycles of each engine's own clock; evidence for the cost of the busy ones\n"
        "\n"
        "time: 0.053 µs, 26 cycles at 0.5 GHz; 32 bytes moved by DMA\n"
        "estimate: of the busy cycles 100% assumed\n"
    )


def test_report_before_anything_happened(toy: Tried) -> None:
    assert toy.does("report").splitlines()[:2] == [
        "not started: 'step' or 'run' begins",
        "no instruction completed",
    ]


@pytest.mark.parametrize("chosen", subcommands("info"), ids=lambda c: c.name)
def test_looking_changes_nothing(toy: Tried, chosen: Command) -> None:
    toy.does("step 3")
    before = toy.shell.session.report()
    toy.does(chosen.name)
    assert toy.shell.session.report() == before
    assert toy.shell.code == 0


def test_without_values_nothing_is_known_of_tensors(capsys: pytest.CaptureFixture[str]) -> None:
    program = Path(__file__).parents[2] / "programs" / "embedding.nasm"
    commands = ("run", "info tensors", "print ids", "info registers")
    code = main(str(program), values=False, commands=commands)
    said = capsys.readouterr().out
    assert code == 1
    assert "hazard[E0518]: DmaCopy is addressed by %r1" in said
    assert "hazard[E0518]: the elements of ids: a run without values has none" in said
    assert re.search(r"^ids .* unknown", said, re.MULTILINE)
    assert re.search(r"%r1 +unknown", said)


def test_check_looks_at_the_whole_program_and_changes_nothing(toy: Tried) -> None:
    toy.does("step 2")
    before = toy.does("report", "where")
    assert toy.does("check") == "nothing is wrong, as far as that needs no values\n"
    assert toy.does("report", "where") == before


def test_check_tells_what_is_wrong_and_notes_in_a_line_each(load: Loader) -> None:
    text = ".target toy\n.sem a, b\n@alpha Wait $a >= 1\n@beta Wait $b++\n"
    told = load(text).does("check")
    assert "hazard[E0510]: deadlock at" in told
    assert told.splitlines()[-1] == (
        "note[E0531]: nothing waits for $b, which beta pc 0 (Wait) posts (toy.nasm:4:7)"
    )


def test_check_shows_maps_and_what_needs_the_interlock(toy: Tried) -> None:
    heads = [line for line in toy.does("check map").splitlines() if "have an owner" in line]
    assert [head.split(":")[0] for head in heads] == ["ram", "bank"]
    assert "%r0" in toy.does("check relaxed")
    assert "hint: map or relaxed, or nothing" in toy.does("check everything")


def test_list_takes_the_first_and_the_last_line(toy: Tried) -> None:
    def numbers(line: str) -> list[int]:
        rows = [row for row in toy.does(line).splitlines()[1:] if row.split("|")[0].split()]
        return [int(row.split("|")[0].split()[-1]) for row in rows]

    assert numbers("list 2, 4") == [2, 3, 4]
    assert numbers("list 3,3") == [3]
    assert numbers("list 2,")[:3] == [2, 3, 4]
    assert "from line 4 to line 2\n  hint: list 2, 4" in toy.does("list 4, 2")
    assert "no line 99" in toy.does("list 2, 99")
