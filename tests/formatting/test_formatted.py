"""A formatted text is the same program, and formatting it again changes nothing."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random

import pytest

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.language.assemble import assemble
from nasm.language.formatting import formatted
from nasm.language.text.blocks import logical_lines
from nasm.targets import TARGETS
from tests.fuzz import corpus
from tests.fuzz.mutations import TOKEN
from tests.fuzz.programs import Programs, few_lines
from tests.parts import everything, part, seed
from tests.printing.same import parts
from tests.tables import each

pytestmark = pytest.mark.turns(2)

ROOT = Path(__file__).parents[2]
FOLDERS = (*("programs", "programs/lib", "programs/published", "programs/tensix"), "tests/hazards")
FILES = [path for folder in FOLDERS for path in sorted((ROOT / folder).glob("*.nasm"))]


def made(text: str) -> str:
    return formatted(Source("any.nasm", text))


def kept(text: str, name: str = "any.nasm", *, whole: bool = True) -> None:
    """Nothing but blanks changes, once, and the program stays the same."""
    once = made(text)
    assert made(once) == once
    assert "".join(once.split()) == "".join(text.split())
    assert once == "" or once.endswith("\n")
    if whole:
        same(text, once, name)


def same(text: str, other: str, name: str) -> None:
    with few_lines():
        try:
            before = assemble(Source(name, text), TARGETS)
        except Failure as failure:
            with pytest.raises(Failure) as caught:
                assemble(Source(name, other), TARGETS)
            codes = [[p.code for p in e.problems] for e in (failure, caught.value)]
            assert codes[0] == codes[1]
            return
        after = assemble(Source(name, other), TARGETS)
    assert list(parts(after)) == list(parts(before))
    assert [a.code for a in after.allows] == [a.code for a in before.allows]


@each("path", part(FILES, 7), ids=lambda path: path.stem)
def test_a_file_formatted_is_the_same_program(path: Path) -> None:
    kept(path.read_text(encoding="utf-8"), str(path), whole=path.stat().st_size < 20_000)


@each("path", part(FILES, 12), ids=lambda path: path.stem)
def test_no_blank_is_within_braces(path: Path) -> None:
    """Also with dtypes that are constants, of two lengths: they stand in a column."""
    text = path.read_text(encoding="utf-8")
    for dtype, name in (("f32", "{D}"), ("bf16", "{WIDE}")):
        text = re.sub(rf"(?m)(^ *\.(?:sbuf|hbm|psum) +\S+ +){dtype}\b", rf"\1{name}", text)
    code = (line.partition(";")[0] for line in made(text).splitlines())
    assert not [line for line in code if '"' not in line and re.search(r"{ | }", line)]
    assert made(made(text)) == made(text)


def test_the_examples_of_pages_and_rows_formatted_are_the_same_programs() -> None:
    texts, tried = list(corpus.programs().values()), 0
    chosen = part(texts, 20)
    for text in chosen:
        try:
            made(text)
        except Failure:
            continue
        tried += 1
        kept(text, str(ROOT / "programs" / "any.nasm"))
    assert tried > len(chosen) // 2
    assert len(texts) > 300


def test_texts_with_other_blanks_are_formatted_to_the_same_program() -> None:
    """Blanks between tokens are taken away, doubled, and turned into tabs."""
    wanted = 2_000 if everything() else 120
    fuzzer, tried, first = Programs(), 0, 0 if everything() else 6_000 * seed()
    number = first
    while tried < wanted:
        number += 1
        rng = Random(number)
        text = _respaced(rng, rng.choice(fuzzer.right))
        try:
            made(text)
        except Failure:
            continue
        tried += 1
        kept(text, whole=tried % 20 == 0)
    assert number - first < 3 * wanted


def _respaced(rng: Random, text: str) -> str:
    """A few statements of a text with other blanks in them."""
    lines = text.split("\n")
    start = rng.randrange(len(lines))
    lines = lines[start : start + rng.randint(1, 25)]
    found = []
    for line in lines:
        if ";" in line or '"' in line or rng.random() < 0.4:
            found.append(" " * rng.choice([0, 0, 0, 1, 5]) + line)
            continue
        tokens = TOKEN.findall(line)
        blanks = [rng.choice([" ", " ", "  ", "     ", "\t"]) if t.isspace() else t for t in tokens]
        found.append("".join(blanks) + rng.choice(["", "", "  ", " ; why", "; why  "]))
        found += [""] * rng.choice([0, 0, 0, 0, 1, 5])
    return "\n".join(found)


@each(
    ("text", "wanted"),
    [
        (
            "@sync DmaCopy a, A $s += 16\n@vector Memset   c,1.0   ; why\n",
            "@sync    DmaCopy  a, A  $s += 16\n@vector  Memset   c, 1.0   ; why\n",
        ),
        (
            "@vector\nMemset c , 1.0\nTensorCopy c,a $s>=1 $t++\n",
            "@vector\n    Memset      c, 1.0\n    TensorCopy  c, a  $s>=1  $t++\n",
        ),
        (
            ".sbuf a f32[1,2]\n.psum acc  bf16[ 4 ] @ bank 0\n.sem s\n",
            ".sbuf  a    f32[1, 2]\n.psum  acc  bf16[4] @ bank 0\n.sem   s\n",
        ),
        ("\n\n; one\n\n\n\n\n.const  N=4\n\n\n", "; one\n\n\n.const  N=4\n"),
        (
            ".for i in 0..2\n  .for j in 0..2\n  @sync Nop\n  .end\n.end\n",
            ".for i in 0..2\n    .for j in 0..2\n    @sync  Nop\n    .end\n.end\n",
        ),
        (
            ".for i in 0..2\n@sync\n  Nop\n.if i==0\n@vector Nop\n.else\n@vector Nop\n.end\n.end\n",
            ".for i in 0..2\n@sync\n  Nop\n.if i==0\n@vector  Nop\n.else\n@vector  Nop\n"
            ".end\n.end\n".replace("  Nop\n.if", "    Nop\n.if"),
        ),
        (
            ".dma d  queue=1\nY[:,0] <- x\nLONG<-x[0 : +4]\n.end\n",
            ".dma d queue=1\n    Y[:, 0] <- x\n    LONG    <- x[0 : +4]\n.end\n",
        ),
        (
            ".hbm X f32[2, 2]  input = [[1,   2],\n                         [10, 20]] ; in\n",
            ".hbm  X  f32[2, 2]  input = [[1,   2],\n                           [10, 20]] ; in\n",
        ),
        ('.assert N  >0 ,"a  b"\n', '.assert N > 0, "a  b"\n'),
        ("@vector Memset a{ i +1 }[ :,- 2: ] , -  1.5\n",
         "@vector  Memset  a{i + 1}[:, -2:], -1.5\n"),
        ("back:@sync Nop\nlonger: Nop\n", "back:@sync  Nop\nlonger:     Nop\n"),
        ("@sync\nNop\nback: Nop\n", "@sync\n       Nop\nback:  Nop\n"),
        ("f(a,b=@sync)\n@sync Nop\nf( a )\n", "f(a, b=@sync)\n@sync  Nop\nf(a)\n"),
        ("@sync\n  Nop\n  f( a )\n", "@sync\n    Nop\n    f(a)\n"),
        ("@sync\n  Nop\n\nf(a)\n", "@sync\n    Nop\n\nf(a)\n"),
        ("@sync\nNop\n.drain  all\n", "@sync\n    Nop\n    .drain  all\n"),
        ("@sync .drain\n@vector Nop\n", "@sync    .drain\n@vector  Nop\n"),
        ("@sync .loop  %r2 in 0..4\n@sync Nop\n.end\n",
         "@sync  .loop %r2 in 0..4\n@sync  Nop\n.end\n"),
        ("@sync Nop give   $s\n@sync Nop take  $s,16\n",
         "@sync  Nop  give $s\n@sync  Nop  take $s, 16\n"),
        (
            "@sync Memset a, 1.0 after  y,z post  x\n@sync Nop post x2\n",
            "@sync  Memset  a, 1.0  after y, z  post x\n"
            "@sync  Nop                         post x2\n",
        ),
        (
            ".sbuf a f32[1]  ; a\n.sbuf wide f32[1, 2]  ; w\n"
            ".sbuf b f32[1000000, 1000000, 1000000]\n.sem s  ; s\n",
            ".sbuf  a     f32[1]     ; a\n.sbuf  wide  f32[1, 2]  ; w\n"
            ".sbuf  b     f32[1000000, 1000000, 1000000]\n.sem   s  ; s\n",
        ),
        (
            ".loop n in 0..2\n.for j in 0..2\n  @sync Nop\n.if j == 0\n"
            "  @sync Nop\n.end\n.end\n.end\n",
            ".loop n in 0..2\n.for j in 0..2\n    @sync  Nop\n.if j == 0\n"
            "    @sync  Nop\n.end\n.end\n.end\n",
        ),
        (
            ".sbuf x {IN}[128, 4]\n.sbuf longer{ L[0] } { OUTER } [1] @ 0:0\n"
            ".sbuf z{L[0]}y f32[{N}[0]]\n.psum  p  f32[1]\n",
            ".sbuf  x             {IN}[128, 4]\n.sbuf  longer{L[0]}  {OUTER} [1] @ 0:0\n"
            ".sbuf  z{L[0]}y      f32[{N}[0]]\n.psum  p             f32[1]\n",
        ),
    ],
)  # fmt: skip
def test_what_a_text_becomes(text: str, wanted: str) -> None:
    assert made(text) == wanted


def test_columns_stay_where_most_lines_have_them() -> None:
    text = (
        "@sync    DmaCopy   a, A                  $s += 16\n"
        "@vector  Memset    c, 1.0                $t++\n"
        "@vector  Memset    c, 1.0          $t++\n"
    )
    assert made(text).splitlines()[2] == "@vector  Memset    c, 1.0                $t++"
    assert made(text).splitlines()[:2] == text.splitlines()[:2]


def test_the_widest_cell_makes_room_in_all_lines_of_a_block() -> None:
    text = (
        "@sync  Memset  a, 1.0                 $loaded++\n"
        "@sync  Memset  b, 1.0                 $loaded++\n"
        "@sync  Memset  c, 1.0  $multiplied >= 1  $copied++\n"
    )
    lines = made(text).splitlines()
    assert [line.rindex("$") for line in lines] == [41, 41, 41]


def test_a_cell_far_wider_than_all_others_makes_no_room() -> None:
    wide = "b[" + "0, " * 9 + "0], 1.0"
    text = f"@sync Memset a, 1.0 $s++\n@sync Memset {wide} $s++\n@sync Memset c, 1.0 $s++\n"
    lines = made(text).splitlines()
    assert lines[0] == "@sync  Memset  a, 1.0  $s++"
    assert lines[1] == f"@sync  Memset  {wide}  $s++"


def test_a_text_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(Failure) as caught:
        made("@vector Memset c,, 1\n.const N = 4\n")
    assert caught.value.problems[0].span is not None


def test_every_statement_keeps_its_line() -> None:
    text = (ROOT / "programs" / "digits.nasm").read_text(encoding="utf-8")
    count = [text.count("\n", 0, line.start) for line in logical_lines(text)]
    once = made(text)
    assert count == [once.count("\n", 0, line.start) for line in logical_lines(once)]
