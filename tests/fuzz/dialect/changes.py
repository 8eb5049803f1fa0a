"""Changes of a kernel's text: words replaced, lines left out, repeated or exchanged."""

from __future__ import annotations

import ast
import re
from random import Random

WORDS = (
    "0", "1", "2", "3", "4", "6", "7", "8", "12", "16", "-1", "0.5", "i", "j", "p", "f", "q", "x",
    "out", "tile", "part", "state", "kept", "total", "nl.psum", "nl.sbuf", "np.add", "np.maximum",
    "np.multiply", "np.min", "nl.exp", "...", ":",
)  # fmt: skip
"""What takes the place of a word."""

FUNCTIONS = ("add", "subtract", "multiply", "maximum", "minimum")
LOOPS = ("affine_range", "sequential_range", "static_range")
SIGNS = (("<", "<="), ("<", ">"), (">=", "<"), ("+", "-"), ("*", "+"), ("+=", "="), ("=", "+="))
PIECE = re.compile(r"nl\.\w+|np\.\w+|[A-Za-z_]\w*|\d+(?:\.\d+)?|[<>]=?|\+=|[-+*=:]")


def mutated(rng: Random, text: str) -> str:
    """A text that Python can read, with one to three changes."""
    head, _, body = text.partition("def kernel")
    for _ in range(20):
        made = body
        for _ in range(rng.choice((1, 1, 2, 3))):
            made = _changed(rng, made)
        whole = f"{head}def kernel{made}"
        if _harmless(whole):
            return whole
    return text


def _harmless(text: str) -> bool:
    """Whether Python can read a text, and it changes no module."""
    try:
        nodes = list(ast.walk(ast.parse(text)))
    except SyntaxError:
        return False
    return not any(isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store) for n in nodes)


def _changed(rng: Random, body: str) -> str:
    lines = body.split("\n")
    first = 1
    at = rng.randrange(first, len(lines) - 2)
    kind = rng.random()
    if kind < 0.04:
        return "\n".join(lines[:at] + lines[at + 1 :])
    if kind < 0.08:
        return "\n".join([*lines[:at], lines[at], *lines[at:]])
    pieces = list(PIECE.finditer(lines[at]))
    gentle = [one for one in pieces if one[0].isdigit() or _kind(one[0])]
    if not pieces:
        return body
    piece = rng.choice(gentle if gentle and rng.random() < 0.8 else pieces)
    lines[at] = lines[at][: piece.start()] + _other(rng, piece[0]) + lines[at][piece.end() :]
    return "\n".join(lines)


def _kind(word: str) -> bool:
    """Whether a word has others of its kind."""
    last = word.rpartition(".")[2]
    return last in (*FUNCTIONS, *LOOPS) or (word != "=" and any(word in pair for pair in SIGNS))


def _other(rng: Random, word: str) -> str:
    """What a word becomes: most often one of its kind."""
    if word.isdigit():
        near = int(word)
        return str(rng.choice((near + 1, max(near - 1, 0), near * 2, near // 2, rng.randint(0, 9))))
    for names in (FUNCTIONS, LOOPS):
        if word.rpartition(".")[2] in names:
            return f"{word.rpartition('.')[0]}.{rng.choice(names)}"
    others = [b if a == word else a for a, b in SIGNS if word in (a, b)]
    if others and rng.random() < 0.8:
        return rng.choice(others)
    return rng.choice(WORDS)
