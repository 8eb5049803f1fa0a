"""Colours of programs for Pygments, and so for Sphinx, MkDocs, Jupyter and Rich.

Its words are those of the grammar and of the rows: nothing is listed here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, ClassVar

from pygments.lexer import Lexer
from pygments.lexers.python import PythonLexer
from pygments.token import STANDARD_TYPES, Comment, Keyword, Name, Number, Operator, String, Text

from nasm.base import dtypes
from nasm.language.text.lexemes import lexemes
from nasm.targets import TARGETS

TOKENS: dict[str, Any] = {
    "comment": Comment.Single,
    "string": String,
    "number": Number,
    "register": Name.Variable.Magic,
    "semaphore_open": Name.Variable,
    "semaphore": Name.Variable,
    "engine": Name.Decorator,
    "directive": Keyword,
    "attribute": Name.Attribute,
    "name_open": Name,
    "brace_next": Name,
    "brace_close": Name,
    "name": Name,
    "mark": Operator,
}
"""The tokens of Pygments for kinds of lexeme."""

_TARGET = re.compile(r"^[ \t]*\.target[ \t]+\w", re.MULTILINE)


@cache
def mnemonics() -> frozenset[str]:
    """Those of all targets."""
    return frozenset(name for target in TARGETS.loaded() for name in target.isa.rows)


class NeuronNasmLexer(Lexer):
    """The language of nasm, which is not the NASM that assembles for x86."""

    name = "neuron-nasm"
    aliases: ClassVar[list[str]] = ["neuron-nasm"]
    filenames: ClassVar[list[str]] = ["*.nasm"]
    mimetypes: ClassVar[list[str]] = ["text/x-neuron-nasm"]

    @staticmethod
    def analyse_text(text: str) -> float:
        """Whether a text is of this language: almost all of its programs name a target."""
        return 1.0 if _TARGET.search(text) else 0.0

    def get_tokens_unprocessed(self, text: str) -> Iterator[tuple[int, Any, str]]:
        """The tokens of a text, which together are all of it."""
        at = 0
        for kind, start, end, word in lexemes(text):
            if start > at:
                yield at, Text, text[at:start]
            yield start, _token(kind, word), word
            at = end
        if at < len(text):
            yield at, Text, text[at:]


def classes(text: str) -> Iterator[tuple[str, str]]:
    """The words of a text, which together are all of it, each with its class in HTML of Pygments.

    The class is empty for what has no colour.
    """
    for _, token, word in NeuronNasmLexer().get_tokens_unprocessed(text):
        yield word, STANDARD_TYPES[token]


_OF_PYTHON = {
    Comment: "c1",
    Keyword: "k",
    Name.Function: "nf",
    Name.Decorator: "nd",
    String: "s",
    Number: "m",
}
"""The classes of words of Python, of those that programs have."""


def python_classes(text: str) -> Iterator[tuple[str, str]]:
    """The same of a text in Python."""
    for _, token, word in PythonLexer().get_tokens_unprocessed(text):
        while token not in _OF_PYTHON and token.parent is not None:
            token = token.parent
        yield word, _OF_PYTHON.get(token, "")


def _token(kind: str, word: str) -> Any:
    if kind == "name" and word in mnemonics():
        return Name.Function
    if kind == "name" and dtypes.find(word) is not None:
        return Keyword.Type
    return TOKENS[kind]
