"""The mistakes of writing: every syntax diagnostic, its explanation and texts that show it."""

from __future__ import annotations

from nasm.base.problems import Problem
from nasm.base.records import dataclass
from nasm.base.source import Source, Span


class Mistake(Exception):
    """One place of a text that cannot be read, and why; offsets are into the source."""

    def __init__(self, code: str, message: str, start: int, end: int, hint: str = "") -> None:
        self.code, self.message, self.hint = code, message, hint
        self.start, self.end = start, end
        super().__init__(message)

    def problem(self, source: Source) -> Problem:
        """The mistake as a diagnostic of this source."""
        return Problem(self.code, self.message, Span(source, self.start, self.end), self.hint)


@dataclass(frozen=True, slots=True)
class KnownMistake:
    """A kind of mistake; ``examples`` are whole texts, each with exactly this mistake."""

    code: str
    title: str
    explanation: str
    examples: tuple[str, ...]


TABLE = (
    KnownMistake(
        "E0101",
        "unexpected text",
        "The line begins well and then has something that is not accepted there. An instruction "
        "line is `[label:] [@engine] [Mnemonic operand, operand, name=value …] [$wait] "
        "[$update]`; nothing else may follow. The message says what was found and what could "
        "have been in its place.",
        ("a, b", "@vector again: Nop", "again: .end", ".if 1\n.else if 2\n.end"),
    ),
    KnownMistake(
        "E0102",
        "a string is not closed",
        "A string begins and ends with a double quote on the same line. A quote inside it is "
        'written `\\"`, a line break `\\n`.',
        ('.include "a.nasm', '.assert 1, "size\\', '.expect C == "golden.npy  ; gold'),
    ),
    KnownMistake(
        "E0103",
        "an unknown escape in a string",
        'Inside a string a backslash introduces one of `\\"`, `\\\\`, `\\n` and `\\t`; a '
        "backslash that is meant as itself is written twice.",
        ('.include "dir\\file.nasm"',),
    ),
    KnownMistake(
        "E0104",
        "a malformed number",
        "Numbers are `512`, `1_024`, `0x400`, `0b101`, `1.5` and `1e-5`. There are digits on "
        "both sides of a dot, so that `0..4` is a range and `t.T` an attribute; underscores "
        "are written between digits; no letter may touch a number.",
        ("Nop 1.", "Nop .5", "Nop 0x1g", "Nop 12abc", "Nop 1__0", "Nop 1.5.2", "Nop 1e999"),
    ),
    KnownMistake(
        "E0105",
        "a bracket is not closed",
        "Inside `( )`, `[ ]` and `{ }` a line continues on the next, until the bracket closes. A "
        "line that starts with a directive or `@engine` ends what was left open, so the mistake "
        "is reported once, where the bracket opens.",
        ("Nop a[0, b\n.sem s", "Nop max(a, b", "Nop w{k, b\n@sync Nop", "Nop (1 + 2"),
    ),
    KnownMistake(
        "E0106",
        "a closing bracket matches nothing",
        "Brackets close in the reverse of the order in which they open. Here one closes that no "
        "bracket of its kind opened before it on the line.",
        ("Nop a)", "Nop a[0)", "Nop (a]", "Nop a}"),
    ),
    KnownMistake(
        "E0107",
        "a comma or an operator is missing",
        "Two values follow each other. Operands, arguments, indices and list items are "
        "separated by commas, and values of an expression by operators. Only the options of "
        "`.expect` and `.dma` and the waits and updates of an instruction are separated by "
        "spaces alone.",
        ("Nop c acc", "Nop c, 1 2", "Nop t[0 1]", "Nop (a b)", "Nop a {k}", 'Nop a "x"'),
    ),
    KnownMistake(
        "E0108",
        "a value is missing",
        "An operator, a comma or a bracket is followed by something other than a value: a "
        "number, a name, a string, a list, a register or an expression in brackets.",
        (
            "Nop a,",
            "Nop a + , b",
            "Nop (a + )",
            "Nop a,, b",
            "Nop t[]",
            "Nop w{}",
            "Nop a && b",
            "Nop dst=",
        ),
    ),
    KnownMistake(
        "E0109",
        "there is no unary plus",
        "A plus sign is written between two values. A positive number is written without a sign. "
        "(`a : +n` inside brackets is not a sign: it is a slice that starts at a and is n long.)",
        ("Nop +1", "Nop a, +b", "Nop a + +b", "Nop a++"),
    ),
    KnownMistake(
        "E0110",
        "comparisons do not chain",
        "`a < b < c` could mean two things, so it means none: write `a < b and b < c`. The same "
        "holds for a wait, `$s >= n`, and for the two sides of an expectation; a comparison "
        "inside them goes in brackets.",
        ("Nop 1 < 2 < 3", ".if a == b == c\n.end", "Nop $s >= 3 > 2", ".expect a < b < c"),
    ),
    KnownMistake(
        "E0111",
        "'=' where '==' is meant",
        "A single `=` gives a name its value: `.const N = 4`, `axis=1`, `$s = 0`. Equality in "
        "an expression is `==`.",
        (".if k = 3\n.end", ".assert (N = 4)", ".expect C = A"),
    ),
    KnownMistake(
        "E0112",
        "brackets are needed here",
        "`not`, `and`, `or` and comparisons bind less tightly than other operators, so "
        "they go in brackets: as an operand of arithmetic, in the value of a wait or an update, "
        "and on either side of an expectation.",
        ("Nop a + not b", "Nop a == not b", "Nop $s += a and b", ".expect a == b or c"),
    ),
    KnownMistake(
        "E0113",
        "an operator of expectations",
        "`@` multiplies matrices, and `~` between two values means 'close to': both only in "
        "`.expect`, which is evaluated on the tensors after the run. The `~` is written once, "
        "between the two sides; `~x` with nothing before it inverts bits.",
        (
            "Nop a @ b",
            "Nop a @vector",
            ".if a ~ b\n.end",
            ".expect C == (A ~ B)",
            ".const N = A @ B",
        ),
    ),
    KnownMistake(
        "E0114",
        "a directive is not written like this",
        "The directive is known, but the line does not have its form, which the hint shows. What "
        "is in the way is marked; where a list is meant, commas separate its items, and options "
        "`name=value` are separated by spaces.",
        (
            ".for k in 0 4\n.end",
            "@vector .loop k 0..4\n.end",
            ".for k = 0..4\n.end",
            ".const N 5",
            ".target",
            ".sem a b",
            ".expect C ~ A, rtol=1",
            ".if\n.end",
            ".sbuf t bf16 128, 512",
            ".include x",
            ".for k in 0..4 stride 2\n.end",
            ".macro m\n.end",
            ".if 1 2\n.end",
            ".end for",
        ),
    ),
    KnownMistake(
        "E0115",
        "an unknown directive",
        "The word after the dot is no directive, and the line does not declare a tensor either, "
        "which is written `.memory name dtype[shape]`.",
        (".cosnt N = 5", ".fro k in 0..4\n.end", ".foo", ".frobnicate 1, 2"),
    ),
    KnownMistake(
        "E0116",
        "a malformed wait or update",
        "A wait is `$s >= n` or `$s == n`, with its update `take $s`. An update is one of "
        "`$s++`, `$s--`, `$s += n`, `give $s`, `$s -= n` and `$s = n`, followed by `@read` if it "
        "is to happen when the instruction starts to read. They follow the operands, separated by "
        "spaces, the wait first. `post` and `after` are followed by names of moments.",
        (
            "Nop $s > 3++",
            "Nop $s >= 3--",
            "Nop $s",
            "Nop $s++ @reed",
            "Nop $s++, $t++",
            "Nop $3",
            "Nop $s >= 1 acc",
            "Nop $s 5",
            "Nop a, $s++",
            "Nop a post",
            "Nop $s += 1 @reed",
        ),
    ),
    KnownMistake(
        "E0117",
        "a wait or an update without an instruction",
        "Waits and updates belong to an instruction: a wait holds it back, an update tells that "
        "it is complete. The target has an instruction that only waits and updates.",
        ("$s >= 1", "@sync $s++", "again: $s++"),
    ),
    KnownMistake(
        "E0118",
        "no block is open here",
        "`.end`, `.elif` and `.else` belong to a block that a directive opened before them: "
        "`.for`, `.loop`, `.if`, `.dma` or `.macro`. `.else` comes last in its `.if`, and once.",
        (
            ".end",
            ".else",
            ".elif 1",
            ".for k in 0..1\n.else\n.end",
            ".if 1\n.else\n.else\n.end",
            ".if 1\n.else\n.elif 1\n.end",
        ),
    ),
    KnownMistake(
        "E0119",
        "a block is not closed",
        "`.for`, `.loop`, `.if`, `.dma` and `.macro` open a block that ends with `.end`. The end "
        "of the text (or, for `.dma`, a line that cannot belong to it) came first.",
        (
            ".for k in 0..4\nNop",
            ".if 1\n.if 2\n.end",
            ".dma d\na <- b\n@sync Nop",
            ".macro m(a)\nNop",
        ),
    ),
    KnownMistake(
        "E0120",
        "a .dma block holds transfers only",
        "Between `.dma name` and its `.end` are lines `dst <- src`, one or more, each of them "
        "two views of equally many elements. Loops and conditions go around the block.",
        (
            ".dma d\n.end",
            ".dma d\na, b\n.end",
            ".dma d\na < - b\n.end",
            ".dma d\na\n.end",
            ".dma d\na <- b\n.for k in 0..2\na <- b\n.end\n.end",
            ".dma d\nNop a\n.end",
        ),
    ),
    KnownMistake(
        "E0121",
        "a malformed register",
        "A register is a percent sign, the letter r and a number: `%r0`, `%r1` and so on. Each "
        "engine has registers of its own; a value goes into one by an instruction.",
        ("Nop %x", "Nop %r", "Nop a, %3", "Nop %r1x"),
    ),
    KnownMistake(
        "E0122",
        "nested too deeply",
        "Expressions may be nested 100 deep and blocks 100 deep. A row of operators or of "
        "methods is not nested, however long it is. Give parts of an expression a name with "
        "`.const`.",
        ("Nop " + "-" * 120 + "1", ".if 1\n" * 101 + ".end\n" * 101),
    ),
    KnownMistake(
        "E0123",
        "a stray character",
        "The character has no meaning in this language outside of strings and comments. "
        "Comments start with `;`, strings with a double quote.",
        (
            "Nop a ? b",
            "Nop a # comment",
            "Nop 'x'",
            "Nop !a",
            "Nop a \\",
            "Nop \u00e4",
            "Nop a\u00a0b",
        ),
    ),
)

CODES: dict[str, tuple[str, str]] = {e.code: (e.title, e.explanation) for e in TABLE}
