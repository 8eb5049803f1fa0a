"""Lines that differ in numbers only make the program, and the problems, that each makes alone."""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

import nasm
from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language import assemble as assembling
from nasm.language.text import tree
from nasm.language.text.parse import parse
from tests.fuzz.corpus import programs

DIGITS = re.compile(r"\d+")
SEEDS = range(6)


def outcome(text: str) -> object:
    """The program, or all that is said of it."""
    try:
        return nasm.assemble(Source("likes.nasm", text))
    except Failure as failure:
        return [repr(p) for p in failure.problems], str(failure)


def alone(text: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """The same with every line read by itself."""
    with monkeypatch.context() as patch:
        patch.setattr(assembling, "parse", lambda source, alike: parse(source))
        return outcome(text)


def varied(text: str, chance: Random) -> str:
    """A text whose lines outside of blocks come several times, some with other numbers."""
    lines, depth = [], 0
    for line in text.splitlines():
        word = line.split()[0] if line.split() else ""
        depth += word in (".for", ".if", ".dma", ".macro")
        lines.append(line)
        if not depth and not word.startswith(".") and word and ":" not in word:
            for _ in range(chance.randrange(4)):
                odds = chance.choice((0.0, 0.1, 0.3))
                lines.append(DIGITS.sub(lambda m, odds=odds: other(m[0], odds, chance), line))
        depth -= word == ".end"
    return "\n".join([*lines, ""])


def other(number: str, odds: float, chance: Random) -> str:
    if chance.random() >= odds:
        return number
    return chance.choice(("0", "1", "2", "7", "16", "64", "512", "65536", "08", "1.5", "9" * 20))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SEEDS)
def test_a_text_means_what_its_lines_mean_one_by_one(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance, kinds = Random(seed), set()
    texts = list(programs().values())
    for text in texts[seed :: len(SEEDS)]:
        many = varied(text, chance)
        found = outcome(many)
        assert found == alone(many, monkeypatch), many
        kinds.add(type(found))
    assert len(kinds) == 2


HEAD = ".target trn1\n.sbuf t f32[128, 64]\n.sem s\n"


def likes(text: str) -> list[tuple[int, ...]]:
    file, problems = parse(Source("likes.nasm", HEAD + text), alike=True)
    assert not problems
    return [s.numbers for s in file.body if isinstance(s, tree.Like)]


def test_from_the_third_on_lines_are_reported_by_their_numbers() -> None:
    line = "@vector Memset t[:, {0}:{1}], {0}.5  $s >= {2}  ; the {0}th\n"
    text = "".join(line.format(n, n + 1, 2 * n) for n in range(4))
    # what stands behind the semicolon is no part of the line
    assert likes(text) == [(2, 3, 2.5, 4), (3, 4, 3.5, 6)]


def test_names_with_numbers_are_reported_by_these() -> None:
    declared = "".join(f".sbuf u{n} f32[128, 8]\n.sem a{n}b{n}\n" for n in range(5))
    line = "@vector TensorScalar u{0}, u{1}, {0}e1, op0=multiply $a{0}b{0} >= {1}\n"
    text = declared + "".join(line.format(n, n + 1) for n in range(4))
    assert likes(text) == [(2, 3, 20.0, 0, 2, 2, 3), (3, 4, 30.0, 0, 3, 3, 4)]


def test_digits_that_are_neither_numbers_nor_names_are_the_same_in_lines_that_are_alike() -> None:
    line = "@vector TensorScalar t, t, 1.0, op{0}=multiply\n"
    found = likes("".join(line.format(n % 2) for n in range(8)))
    assert [numbers[-1] for numbers in found] == [1, 0, 1, 0, 1]  # one of each had to be read


@pytest.mark.parametrize(
    "line",
    [
        "again{0}: @vector Memset t[:, {0}:+1], 1.0\n",
        '@gpsimd DevicePrint t, "{0}"\n',
        "@vector Memset t{{0}}, {0}\n",
        ".sbuf u{0} f32[1, {0} + 1]\n",
        "@vector RegisterMove %r{0}, 1\n",
        "@vector Memset t[:, 0:{0}\n], 1.0\n",
    ],
)
def test_what_is_more_than_an_instruction_and_numbers_is_read(line: str) -> None:
    file, _ = parse(Source("likes.nasm", HEAD + "".join(line.format(n) for n in range(5))), True)
    found = [s for s in file.body if isinstance(s, tree.Like)]
    assert all(s.numbers == () or "Register" in line for s in found)
    assert not any(n for s in found for n in s.numbers if n != 1)


def test_lines_of_blocks_are_read() -> None:
    line = "@vector Memset t[:, 0:1], 1.0\n"
    assert likes(f".for i in 0..2\n{line * 5}.end\n") == []


def test_a_problem_is_reported_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"@vector Memset t[:, {n}:{n + 1}], 1.0 $s >= 1\n" for n in (0, 1, 2, 64, 3)]
    text = HEAD + "".join(lines)
    found: Any = outcome(text)
    assert found == alone(text, monkeypatch)
    assert "likes.nasm:7:" in found[1]
    assert "64" in found[1]


def test_a_line_that_is_wrong_may_post_moments_with_numbers_in_their_names() -> None:
    lines = [f"@vector Memset t[:, {n}:{n + 1}], 1.0 post m{n}_in\n" for n in (0, 1, 2, 64, 3)]
    after = "@gpsimd TensorCopy t, t after m64_in\n"
    found: Any = outcome(HEAD + "".join(lines) + after)
    assert "likes.nasm:7:" in found[1]
    assert found[1].count("error[") == 1, found  # that nobody posts it follows from the first


def test_every_line_has_its_own_place() -> None:
    lines = "".join(f"  @vector  Memset t[:, {n}:{n + 1}], 1.0\n" for n in range(12))
    program = nasm.assemble(Source("likes.nasm", HEAD + lines))
    for pc in range(12):
        span = program.span(1, pc)
        assert span is not None
        assert (span.line, span.text) == (pc + 4, f"Memset t[:, {pc}:{pc + 1}], 1.0")


def test_an_engine_that_is_chosen_before_is_theirs(monkeypatch: pytest.MonkeyPatch) -> None:
    some = "".join(f"Memset t[:, {n}:{n + 1}], 1.0\n" for n in range(4))
    for text in (some, f"@vector\n{some}@gpsimd\n{some}", f"@nobody\n{some}"):
        assert outcome(HEAD + text) == alone(HEAD + text, monkeypatch)
    program = nasm.assemble(Source("likes.nasm", f"{HEAD}@vector\n{some}@gpsimd\n{some}"))
    assert [len(queue) for queue in program.queues if len(queue)] == [4, 4]


def test_blanks_and_a_comment_around_a_line_are_no_part_of_it() -> None:
    line = "@vector Memset t[:, {0}:{1}], 1.0"
    around = ["{}", "  {}", "\t{}  ", "{} ; the {{", '    {} ; "', "{};", " \f{}\r"]
    text = "".join(a.format(line.format(n, n + 1)) + "\n" for n, a in enumerate(["{}", *around]))
    assert likes(text) == [(n, n + 1, 1) for n in range(2, 8)]
    program = nasm.assemble(Source("likes.nasm", HEAD + text))
    assert [span.text for span in program.spans[1:] if span] == [
        f"Memset t[:, {n}:{n + 1}], 1.0" for n in range(8)
    ]


@pytest.mark.parametrize(
    "wrong",
    [
        "@vector Memset t[:, 0:8.0], 1.0",  # though 0:8 was taken before
        "\xa0@vector Memset t[:, 0:8], 1.0",
        "@vector Memset t[:, 0:8], 1.0\x0b",
        "@vector Memset t[:, 0:8], 1.0 $",
        "@vector Memset t[:, 0:8], 1.0,",
        "@vector Memset t[:, 8:0], 1.0",
        "@vector Memset t[:, 0:65], 1.0",
        "@vector Memset u8[:, 0:65], 1.0",
    ],
)
def test_what_is_nearly_alike_is_refused_as_if_it_were_alone(
    wrong: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = HEAD + "@vector Memset t[:, 0:8], 1.0\n" * 4 + wrong + "\n"
    found: Any = outcome(text)
    assert found == alone(text, monkeypatch)
    assert "error[" in found[1]


def test_an_index_is_that_of_its_own_tensor() -> None:
    declared = "".join(f".sbuf u{n} f32[128, {8 + n}]\n" for n in range(4))
    lines = "".join(f"@vector Memset u{n % 4}[:, 0:{n // 4 + 2}], 1.0\n" for n in range(16))
    program = nasm.assemble(Source("likes.nasm", HEAD + declared + lines))
    assert [str(i.operands[0].tensor.name) for i in program.instructions] == [
        f"u{n % 4}" for n in range(16)
    ]
    assert [i.operands[0].shape[1] for i in program.instructions] == [n // 4 + 2 for n in range(16)]
