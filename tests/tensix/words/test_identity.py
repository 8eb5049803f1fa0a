"""From words to text and back, for every opcode and for random words."""

from __future__ import annotations

import random

from nasm.base.source import Source
from nasm.base.source_files import ObjectFile
from nasm.isa.instruction import Row
from nasm.language.assemble import assemble
from nasm.language.objects import loaded
from nasm.language.objects.writing import written
from nasm.language.printing.word_files import WordFile, hexed, packed, read
from nasm.language.printing.words import text_of, words_of
from nasm.targets import TARGETS
from nasm.targets.tensix import TARGET
from nasm.targets.tensix.isa import words_on
from nasm.targets.tensix.words import WORDS as TABLE
from nasm.targets.tensix.words.word import Described
from tests.parts import everything, part
from tests.tables import each

WORDS = words_on("wormhole")

ROWS = [row for row in TARGET.rows(TARGET.generations[0]) if row.encoding is not None]


def again(words: list[int]) -> list[int]:
    """The words of the text of words."""
    text = text_of(TARGET, "wormhole", {"t2": words})
    return words_of(assemble(Source("words.nasm", text), TARGETS))["t2"]


def test_there_are_128_opcodes_of_which_17_are_names() -> None:
    assert len(ROWS) == len(WORDS.rows) == 128
    assert all(code < 0xC0 for code in WORDS.rows)
    assert sum(w.described is Described.NAME for w in TABLE.values()) == 17
    assert [row.name for row in ROWS] == list(TABLE)


@each("row", part(ROWS, 45), ids=lambda row: str(row.name))
def test_a_word_of_every_opcode_is_its_own_text(row: Row) -> None:
    assert row.encoding is not None
    draw = random.Random(row.name)
    fields = row.encoding.operands
    cases = [[0] * len(fields), [f.get(f.mask) for f in fields]]
    for n, one in enumerate(fields):
        for value in (0, one.get(one.mask)):
            cases.append([0 for _ in fields])
            cases[-1][n] = value
    cases += [[f.get(draw.getrandbits(32)) for f in fields] for _ in range(20)]
    words = [row.encoding.encode(case) for case in cases]
    assert [row.encoding.decode(word) for word in words] == [tuple(case) for case in cases]
    assert again(words) == words
    known = [w for w in words if not WORDS.reason(w)]
    assert known, "no word of it is an instruction"
    assert all(WORDS.encode(*WORDS.decode(word)) == word for word in known)


def drawn(count: int) -> list[int]:
    """Random words, of which half have an opcode that there is."""
    draw = random.Random(14)
    codes = list(WORDS.rows)
    return [
        draw.getrandbits(32) if n % 2 else draw.choice(codes) << 24 | draw.getrandbits(24)
        for n in range(count)
    ]


def test_random_words_are_instructions_with_the_same_word_or_say_why_not() -> None:
    words = drawn(100_000)
    wrong = [bool(WORDS.reason(word)) for word in words]
    assert 10_000 < sum(wrong) < 90_000  # there are enough of either kind
    for word, reason in zip(words, wrong, strict=True):
        if not reason:
            assert WORDS.encode(*WORDS.decode(word)) == word


def test_random_words_are_their_own_text() -> None:
    words = drawn(2000 if everything() else 500)
    assert again(words) == words


def test_words_go_through_an_object_file() -> None:
    source = Source("words.nasm", text_of(TARGET, "wormhole", {"t0": [0x26400008, 0xFF000000]}))
    program = assemble(source, TARGETS)
    back = loaded(ObjectFile("words.nobj", written(program, source)), TARGETS).program
    assert words_of(back) == {"t0": [0x26400008, 0xFF000000]}


def test_the_form_among_risc_v_instructions_is_rotated_left_by_two() -> None:
    form = WORDS.spellings["ttinsn"]
    assert form.made(0x84C0_0001) == 0x1300_0006
    assert form.made(0x4000_0000) == 1
    draw = random.Random(2)
    for _ in range(1000):
        word = draw.getrandbits(30) | draw.choice((0, 1, 2)) << 30
        assert form.read(form.made(word)) == word
        assert form.made(word) & 3 != 3


def test_a_file_of_words_is_read_as_text_and_as_bytes() -> None:
    made = WordFile("wormhole", {"t0": [1, 0xFFFFFFFF], "t2": [0x02000000]})
    assert read("-", hexed(made).encode()) == made
    assert packed([1, 0x02000003]) == b"\1\0\0\0\3\0\0\2"
    assert read("-", packed([1, 0x02000003])).queues == {"": [1, 0x02000003]}
