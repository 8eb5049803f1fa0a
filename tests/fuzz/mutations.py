"""Mutations of a program's text: of tokens, lines and characters, of operands, and of numbers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import prod
from random import Random

from nasm.base import dtypes
from nasm.targets.neuron import TARGET

MOST = 1_100
"""Elements of a list that is made: parsing a thousand takes ten milliseconds."""

TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|;[^\n]*|0[xXbB][0-9a-fA-F_]+|\d[\d_]*(?:\.\d+)?(?:[eE][-+]?\d+)?'
    r"|[@$%.]?[A-Za-z_]\w*|[-+*/<>=!&|^]{1,2}|\s+|."
)
"""Any text is a sequence of these."""

NUMBERS = (
    *[
        "0",
        "1",
        "2",
        "3",
        "-1",
        "-2",
        "4",
        "7",
        "8",
        "16",
        "31",
        "32",
        "33",
        "64",
        "127",
        "128",
        "129",
        "255",
        "256",
        "511",
        "512",
        "513",
        "1024",
        "4096",
        "65535",
    ],
    *(str(2**n + d) for n in (15, 16, 31, 32, 63, 64, 127) for d in (-1, 0, 1)),
    *[
        "0.5",
        "1.5",
        "-0.0",
        "1e-46",
        "1e38",
        "3.5e38",
        "1e308",
        "1e999",
        "1e-999",
        "inf",
        "nan",
        "true",
        "0x7fffffff",
        "0b1",
        "1_0",
    ],
    *(str(10**30), "9" * 400, "1 << 4000", "1/3", "%r0", "%r63", "%r64"),
    *("f32", "[1, 2][q]", "len([0] * 9)", "1 if q else x", "[[0] * 999] * 999", "$done", "@pool"),
)
SUFFIXES = (
    *(".T", ".view(u8)", ".view(f32)", ".view(bf16)", ".reshape(-1)", ".reshape(1, -1)"),
    *(".permute(1, 0)", ".permute(0, 1)", ".broadcast(4, 4)", "[0]", "[0:1]", "[:, 0:1]", "[-1]"),
    *(
        "[:, ::2]",
        "[::-1]",
        "[%r0 : +1]",
        "[:, %r1 : +2]",
        ".ap([[1, 1]])",
        ".ap([[8, 1], [0, 4]])",
    ),
    *(" + [0]", " * [1, 2]", " if 1 else 0", " == add", "(q, q=1)"),
    *(".indirect(idx)", ".ap([[8, 4]], offset=1)", ".ap([[1, 4]], scalar_offset=%r0)", "[0, 0]"),
)
FRAMES = (
    ".for q in 0..3\n{}\n.end",
    '.for q in [0, 1.5, "x", [2], f32]\n{}\n.end',
    ".if 1 == 1\n{}\n.else\n{}\n.end",
    ".macro mq(q=[1, 2], e=vector, s=$done)\n{}\n.end\nmq()\nmq(3)",
    ".macro mr(q)\n{}\nmr(q - 1)\n.end\nmr(3)",
    ".core 1\n{}",
    ".end\n{}",
    "@export {}",
    "{},",
    *(".loop q in 0..3\n{}\n.end", ".loop %r9 in %r8..3\n{}\n.break %r1 > 2\n.end"),
    "@vector .loop q in 5..0 step -2\n{}\n.break q == %r1\n.end",
)
VALUES = (
    *(
        "zeros",
        "iota",
        "random(seed=2)",
        "normal(seed=3)",
        "[inf, -inf, nan, -0.0]",
        "[1e-46, 3.4e38]",
    ),
    *("[0, 1, -1, 2]", "[-128, 127, 255, -32768]", "[2147483647, -2147483648]", "[0.5, 1.5, 2.5]"),
    *("[448, 449, 57344, 61440]", "[1e-8, 1e-7]", "[16777217, 4294967295]", "[nan]", "[[]]", "[]"),
)
CHARACTERS = (
    *"\x00\t\r\x1b\x7f\x85\ufeff\u00a0\u2028\u202e\u0301µ½ßΩ一😀\ud7ff\\\"'{}[]()@$%;:,.<>=#~`?",
    *("\n", "\r\n", "\\\n", "..", "//", "**", "{0}", '{"a"}', "$$", "%%", "@@", "::"),
)

DECLARED = re.compile(r"\s*\.hbm\s")
SIZES = re.compile(r"\[\s*(\d{1,6}(?:\s*,\s*\d{1,6})*)\s*\]")
DTYPES = dtypes.names()
OPERATORS = tuple(
    sorted(
        {str(w) for row in TARGET.isa for o in row.operands for w in getattr(o.kind, "words", ())}
    )
)
MNEMONICS = tuple(row.name for row in TARGET.isa)

Mutation = Callable[[Random, str, Sequence[str]], str]


def mutated(rng: Random, text: str, others: Sequence[str]) -> str:
    """A text after one mutation, or several; ``others`` lend their lines and operands."""
    while True:
        text = rng.choices(MUTATIONS, WEIGHTS)[0](rng, text, others)
        if rng.random() < 0.6:
            return text


def _tokens(rng: Random, text: str, others: Sequence[str]) -> str:
    """Drop, double, swap or replace a token."""
    tokens = TOKEN.findall(text)
    if not tokens:
        return "Nop"
    at = rng.randrange(len(tokens))
    match rng.randrange(4):
        case 0:
            tokens[at] = ""
        case 1:
            tokens[at] *= 2
        case 2:
            other = rng.randrange(len(tokens))
            tokens[at], tokens[other] = tokens[other], tokens[at]
        case _:
            tokens[at] = _alike(rng, tokens[at], TOKEN.findall(rng.choice([text, *others])))
    return "".join(tokens)


def _alike(rng: Random, token: str, tokens: Sequence[str]) -> str:
    """Another token of the same sort, if there is one."""
    same = [t for t in tokens if t[0] == token[0] or (t[0].isalpha() and token[0].isalpha())]
    return rng.choice(same or [token])


def _number(rng: Random, text: str, others: Sequence[str]) -> str:
    """Another number in the place of one."""
    found = [m for m in TOKEN.finditer(text) if m[0][0].isdigit()]
    if not found:
        return text + f"\n.const k = {rng.choice(NUMBERS)}\n"
    match = rng.choice(found)
    new = rng.choice(NUMBERS)
    if rng.random() < 0.6:
        new = rng.choice(found)[0]
    elif rng.random() < 0.4 and match[0].isdecimal():
        new = str(int(match[0][:30]) + rng.choice([-1, 1, 2, 16]))
    return text[: match.start()] + new + text[match.end() :]


def _value(rng: Random, text: str, others: Sequence[str]) -> str:
    """Another content of a tensor; a list is made as long as the tensor where that can be seen."""
    lines = text.split("\n")
    places = [n for n, line in enumerate(lines) if DECLARED.match(line)]
    if not places:
        return text
    at = rng.choice(places)
    declared = lines[at].partition(";")[0].partition("=")[0].rstrip()
    new = rng.choice(VALUES)
    sizes = SIZES.search(declared)
    if new[0] == "[" and sizes and rng.random() < 0.95:
        count = prod(int(n) for n in sizes[1].split(","))
        items = new.strip("[]").split(",")
        made = ", ".join(rng.choice(items) or "0" for _ in range(min(count, MOST)))
        new = f"[{made}]" if count <= MOST else "normal(seed=4)"
    lines[at] = f"{declared} = {new}"
    return "\n".join(lines)


def _word(rng: Random, text: str, others: Sequence[str]) -> str:
    """Another dtype, operator, function or mnemonic, once or wherever it stands."""
    found = {m[0] for m in TOKEN.finditer(text)}
    kinds = [kind for kind in (DTYPES, OPERATORS, MNEMONICS) if found & set(kind)]
    if not kinds:
        return text
    kind = rng.choice(kinds)
    old, new = rng.choice(sorted(found & set(kind))), rng.choice(kind)
    return re.sub(rf"\b{re.escape(old)}\b", new, text, count=rng.choice([0, 1]))


def _lines(rng: Random, text: str, others: Sequence[str]) -> str:
    """Drop, double, move, frame or borrow a line."""
    lines = text.split("\n")
    at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
    match rng.randrange(6):
        case 0:
            del lines[at]
        case 1:
            lines.insert(to, lines[at])
        case 2:
            lines[at], lines[to] = lines[to], lines[at]
        case 3:
            first, last = min(at, to), max(at, to)
            frame = rng.choice(FRAMES)
            lines[first : last + 1] = [frame.replace("{}", "\n".join(lines[first : last + 1]))]
        case 4:
            lines[at] = lines[at] + rng.choice([" ", "", ", "]) + lines[to]
        case _:
            lines.insert(at, rng.choice(rng.choice(others).split("\n")))
    return "\n".join(lines)


def _characters(rng: Random, text: str, others: Sequence[str]) -> str:
    """Put in, drop or replace a character."""
    at = rng.randrange(len(text) + 1)
    drop = rng.randrange(2)
    return text[:at] + rng.choice(["", *CHARACTERS]) + text[at + drop :]


def _operands(rng: Random, text: str, others: Sequence[str]) -> str:
    """Change an operand: replace it by another, wrap it, see it otherwise, or move it."""
    lines = text.split("\n")
    places = [
        n for n, line in enumerate(lines) if "," in line and not line.lstrip().startswith(";")
    ]
    if not places:
        return text
    at = rng.choice(places)
    parts = operands(lines[at])
    n = rng.randrange(len(parts))
    match rng.randrange(6):
        case 0:
            parts[n] = parts[n].rstrip() + rng.choice(SUFFIXES)
        case 1:
            parts[n] = rng.choice(
                ["({})", "-{}", "[{}]", "{} + 1", "{} * 2", "x={}", "~{}"]
            ).format(parts[n])
        case 2:
            m = rng.randrange(len(parts))
            parts[n], parts[m] = parts[m], parts[n]
        case 3:
            del parts[n]
        case 4:
            parts.insert(n, rng.choice(parts))
        case _:
            lender = rng.choice(rng.choice(others).split("\n"))
            parts[n] = rng.choice(operands(lender))
    lines[at] = ",".join(parts)
    return "\n".join(lines)


def operands(line: str) -> list[str]:
    """A line cut at the commas that stand in no bracket."""
    parts, depth, last = [], 0, 0
    for at, c in enumerate(line):
        depth += (c in "([{") - (c in ")]}")
        if c == "," and depth == 0:
            parts.append(line[last:at])
            last = at + 1
    return [*parts, line[last:]]


def _deep(rng: Random, text: str, others: Sequence[str]) -> str:
    """Nest something, or make it long."""
    tokens = TOKEN.findall(text) or ["1"]
    at = rng.randrange(len(tokens))
    n = rng.choice([3, 50, 99, 101, 400, 400, 20_000])
    one = tokens[at]
    tokens[at] = rng.choice(
        ["(" * n + one + ")" * n, "-" * n + one, " + ".join([one] * n), one * n, "[" * n + one]
    )
    return "".join(tokens)


def _splice(rng: Random, text: str, others: Sequence[str]) -> str:
    """The beginning of one program and the end of another."""
    other = rng.choice(others)
    cut, resume = rng.randrange(len(text) + 1), rng.randrange(len(other) + 1)
    if rng.random() < 0.8:
        cut, resume = text.rfind("\n", 0, cut) + 1, other.rfind("\n", 0, resume) + 1
    return text[:cut] + other[resume:]


MUTATIONS: tuple[Mutation, ...] = (
    *(_tokens, _number, _value, _word, _lines, _characters, _operands, _deep, _splice),
)
WEIGHTS = (4, 5, 5, 6, 3, 2, 5, 0.3, 0.6)
