"""Loops that make too many lines are refused before their first round."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from nasm.base.problems import Failure, Problem
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.expanding import line_counts
from nasm.program.program import Program
from tests.parts import part
from tests.tables import each
from tests.toy.target import TARGETS

IMMEDIATE = 4.0
"""Seconds on a slow machine; 2 million lines take ten and more."""


def program(text: str, **defines: int) -> Program:
    return assemble(Source("test.nasm", text), TARGETS, "toy", defines)


def problems(text: str, **defines: int) -> list[Problem]:
    """What is wrong with a text, which it says at once."""
    started = time.process_time()
    with pytest.raises(Failure) as caught:
        program(text, **defines)
    assert time.process_time() - started < IMMEDIATE
    return list(caught.value.problems)


def nest(*loops: str, before: str = "", within: str = "", inside: str = "") -> str:
    """Loops in one another, a line behind the first head, and in the innermost an instruction."""
    first, *heads = [f".for {loop}\n" for loop in loops]
    ends = ".end\n" * (len(loops) + inside.startswith(".if"))
    return f"{before}\n@alpha\n{first}{within}\n{''.join(heads)}{inside}Wait\n{ends}"


# ---------------------------------------------------------------- at once


@each(
    ("text", "said"),
    part(
        [
            (nest("i in 0..2000001"), "a loop of 2,000,001 rounds"),
            (nest("i in 0..5000", "j in 0..5000"), "the loops make 25,005,000 lines;"),
            (nest("i in 0..1900000", "j in 0..2"), "the loops make 5,700,000 lines;"),
            (nest("i in 0..1000", "j in 0..1000", "k in 0..1000"), "make 1,001,001,000 lines;"),
            (nest("i in 0..1000", "j in 0..1000", "k in 0..i + j"), "lines or more;"),
            (nest("i in 0..1000", "j in 0..i", "k in 0..j"), "lines or more;"),
            (nest("i in 0..200000", inside="Wait\n" * 10), "the loops make 2,200,000 lines;"),
            (nest("i in 0..200000", inside=".if i > 3\n" + "Wait\n" * 10), "lines or more;"),
            (nest("i in 0..200000", inside=".if 4 > 3\n" + "Wait\n" * 10), "make 2,400,000 lines;"),
            (nest("i in 0..10**9", "j in 0..10**9"), "a loop of 1,000,000,000 rounds"),
            (nest("i in 0..10000", "j in 0..i"), "lines or more;"),
            (nest("i in 0..5000", "j in i*2..i*2+5000"), "lines or more;"),
            (nest("i in 0..2", "j in 0..10**40"), "the loops make countless lines;"),
            (nest("i in 0..5000", "j in 0..N", before=".const N = 5000"), "the loops make 25,0"),
            (nest("i in 0..5000", "j in 0..M", within=".const M = 5000"), "the loops make 25,0"),
            (nest("i in 0..9000", "j in 0..M", within=".const M = i"), "lines or more;"),
            (
                "@alpha\n.for i in 0..9000\n.if i > 4\n.for j in 0..9000\nWait\n.end\n.end\n.end\n",
                "lines or more;",
            ),
            (nest("i in 0..1500000") + nest("i in 0..1500000"), "the loops make 3,000,000 lines;"),
            (
                nest("i in 0..1500000") + ".if 1 > 0\n" + nest("i in 0..1500000") + ".end\n",
                "the loops make 3,000,000 lines;",
            ),
        ],
        7,
    ),
)
def test_too_many_lines_are_refused_before_the_first(text: str, said: str) -> None:
    (problem,) = problems(text)
    assert problem.code == "E0218"
    assert said in problem.message
    assert problem.message.endswith("; wanted at most 2,000,000")


def test_a_constant_of_the_command_line_counts() -> None:
    text = nest("i in 0..N", "j in 0..N", before=".const N = 2")
    assert len(program(text)) == 4
    (problem,) = problems(text, N=5000)
    assert problem.message.startswith("the loops make 25,005,000 lines")


@pytest.mark.parametrize("bound", ["134217727 // 128", "1999999"])
def test_a_loop_without_its_end_is_refused_at_once(bound: str) -> None:
    (problem,) = problems(f".const T = {bound}\n@alpha\n.for t in 0..T\nWait\n")
    assert problem.code == "E0119"


def test_a_text_with_a_problem_makes_few_rounds_more() -> None:
    text = "@alpha\nWiat\n.for i in 0..1900000\nSet %r0, 0\n.end\nWait"
    (problem,) = problems(text)
    assert problem.code == "E0201"


def test_names_that_such_rounds_would_declare_are_not_missed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(line_counts, "MOST_IN_VAIN", 3)
    text = "@alpha\nWiat\n.for i in 0..7\n.sem s{i}\n.end\nWait $s6++\n"
    assert [p.code for p in problems(text)] == ["E0201"]
    assert [p.code for p in problems(text.replace("Wiat\n", "").replace("s6", "s7"))] == ["E0206"]


def test_an_empty_loop_takes_no_time() -> None:
    started = time.process_time()
    assert len(program("@alpha\n.for i in 0..20000000\n.end\nWait\n")) == 1
    assert time.process_time() - started < IMMEDIATE


# ---------------------------------------------------------------- and no others


@pytest.fixture
def hundred(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_counts, "MOST_LINES", 100)


@pytest.mark.usefixtures("hundred")
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (nest("i in 0..100"), 100),
        (nest("i in 0..9", "j in 0..9"), 81),
        (nest("i in 0..13", "j in 0..i"), 78),  # 13 + 78
        ("@alpha\n.for i in 0..50\n.if i > 48\n.for j in 0..40\nWait\n.end\n.end\n.end\n", 40),
        (nest("i in 0..50", inside="Wait\n"), 100),
        (
            nest(
                "i in 0..20", inside=".const a = i, b = a\nWait\n.if i > 99\n.end\n.assert i < 20\n"
            ),
            40,
        ),
        (nest("i in 50..0 step -1", "j in 0..1"), 50),
        (nest("i in 0..0", "j in 0..1000"), 0),
        (nest("i in 0..50") + nest("i in 0..50"), 100),
    ],
)
def test_a_hundred_lines_are_a_hundred(text: str, lines: int) -> None:
    assert len(program(text)) == lines


@pytest.mark.usefixtures("hundred")
@pytest.mark.parametrize(
    "text",
    [
        nest("i in 0..101"),
        nest("i in 0..9", "j in 0..11"),
        nest("i in 0..14", "j in 0..i"),
        nest("i in 0..50") + nest("i in 0..51"),
        # a bound that only the expander knows
        nest("i in 0..60", before=".bank t f32[4, 1]") + nest("i in 0..bank(t) + 41"),
    ],
)
def test_one_more_is_too_many(text: str) -> None:
    (problem,) = problems(text)
    assert problem.code == "E0218"


@pytest.mark.usefixtures("hundred")
def test_rounds_that_were_not_foreseen_are_counted_when_they_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(line_counts, "MOST_LOOKS", 2)
    (problem,) = problems(nest("i in 0..14", "j in 0..i"))
    assert problem.message == "the loops make more than 100 lines; wanted at most 100"


def test_counting_ahead_places_no_tensor() -> None:
    text = ".bank a f32[4, 1]\n@alpha\n.for i in 0..1\n.for j in 0..bank(b) + 1\nWait\n.end\n.end\n"
    declared = text.replace(".for j", ".bank b f32[4, 1]\n.for j")
    assert len(program(declared)) == 1


# ---------------------------------------------------------------- Ctrl-C


def test_an_interrupt_stops_the_assembler_with_the_usual_words(tmp_path: Path) -> None:
    path = tmp_path / "long.nasm"
    path.write_text(".target trn1\n@vector\n.for i in 0..1900000\nNop\n.end\n", encoding="utf-8")
    run = f"from nasm.apps.cli import main; raise SystemExit(main(['check', {str(path)!r}]))"
    restore = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    started = "import nasm.apps.cli.verbs, nasm.language.assemble; print('up', flush=True); "
    child = subprocess.Popen(
        [sys.executable, "-c", restore + started + run],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        assert child.stdout.readline() == "up\n"
        time.sleep(1)
        child.send_signal(signal.SIGINT)
        _, said = child.communicate(timeout=10)
    finally:
        child.kill()
        child.wait()
    assert said == "neuron-nasm: interrupted\n"
    assert child.returncode == 130


# ---------------------------------------------------------------- macros


def doubling(line: str, deep: int, around: str = "{}") -> str:
    """Macros that each call the one before twice, the innermost with one line, and a call."""
    text = f".macro m0()\n{line}.end\n"
    for n in range(deep):
        calls = around.format(f"m{n}()\nm{n}()\n")
        text += f".macro m{n + 1}()\n{calls}.end\n"
    return f"{text}@alpha m{deep}()\n"


@pytest.mark.parametrize(
    ("text", "makers"),
    [
        (doubling("Wait\n", 22), "macros"),
        (doubling("", 22), "macros"),
        (doubling("", 22, ".if 1\n{}.end\n"), "macros"),
        (doubling("", 12, ".for i in 0..4\n{}.end\n"), "loops and macros"),
        (".macro m(n)\n.if n > 0\nm(n - 1)\nm(n - 1)\n.end\n.end\nm(22)\n", "macros"),
        (".macro m(n=30)\n.for i in 0..2 ** n\nWait\n.end\n.end\n@alpha m()\n", "loops and macros"),
        (".macro e()\n.end\n.for i in 0..4194304\n.if i\ne()\n.end\n.end\n", ""),
    ],
)
def test_macros_are_counted_ahead_as_loops_are(text: str, makers: str) -> None:
    (problem,) = problems(text)
    assert problem.code == "E0218"
    assert problem.message.startswith(f"the {makers} make " if makers else "a loop of 4,194,304 ")


def test_a_macro_that_is_handed_what_is_not_known_ahead_is_not_counted_too_high() -> None:
    text = (
        ".const n = 10 ** 9, x = 10 ** 9\n"
        ".macro inner(n)\n.for i in 0..n\nWait\n.end\n.end\n"
        ".macro outer(x)\n.const n = shape(x, 0)\ninner(n)\n.for i in 0..n\n.end\n.end\n"
        ".ram t i32[3]\n@alpha outer(t)\n"
    )
    made = program(text)
    assert len(made) == 3
