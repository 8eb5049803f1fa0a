"""Colours of programs: for Pygments, and for editors that take TextMate grammars."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from pygments.token import Comment, Keyword, Name, Token

from nasm.apps.highlighting import TOKENS, NeuronNasmLexer
from nasm.language.text.lexemes import TERMINALS, pattern
from nasm.targets.neuron import TARGET
from tests.parts import part
from tests.tables import each

ROOT = Path(__file__).parents[1]
PROGRAMS = sorted((ROOT / "programs").glob("*.nasm"))
EXTENSION = ROOT / "grammar" / "editors" / "vscode"
LINE = "go: @vector TensorCopy c{i}, acc.T ; copied\n.sbuf t bf16[128, 4]\n"


def tokens(text: str) -> dict[str, object]:
    return {word: kind for _, kind, word in NeuronNasmLexer().get_tokens_unprocessed(text)}


def test_words_have_the_tokens_of_what_they_are() -> None:
    found = tokens(LINE)
    assert found["TensorCopy"] is Name.Function
    assert found["@vector"] is Name.Decorator
    assert found["; copied"] is Comment.Single
    assert found[".sbuf"] is Keyword
    assert found[".T"] is Name.Attribute
    assert found["bf16"] is Keyword.Type


def test_every_kind_of_lexeme_has_a_token() -> None:
    assert {*TERMINALS, "attribute", "mark"} == set(TOKENS)


@each("path", part(PROGRAMS, 6), ids=lambda p: p.stem)
def test_the_tokens_of_a_program_are_all_of_it(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    found = list(NeuronNasmLexer().get_tokens_unprocessed(text))
    assert "".join(word for *_, word in found) == text
    assert Token.Error not in [kind for _, kind, _ in found]
    assert NeuronNasmLexer.analyse_text(text) == 1


def test_pygments_and_rich_find_the_lexer_by_the_languages_own_name() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    (named,) = project["entry-points"]["pygments.lexers"].items()
    assert named == ("neuron-nasm", "nasm.apps.highlighting:NeuronNasmLexer")
    assert "nasm" not in NeuronNasmLexer.aliases  # which is the assembler for x86


# ---------------------------------------------------------------- the extension


def scope_of(text: str, at: int) -> str:
    """The scope that the TextMate grammar gives what stands at a place."""
    grammar = json.loads((EXTENSION / "syntaxes" / "neuron-nasm.tmLanguage.json").read_text())
    start = 0
    while start < len(text):
        # As editors do it: the earliest match, of several the pattern that is listed first.
        found = [
            (m.start(), n, m, p["name"])
            for n, p in enumerate(grammar["patterns"])
            if (m := re.compile(p["match"]).search(text, start)) and m.end() > m.start()
        ]
        if not found:
            return ""
        *_, match, name = min(found, key=lambda f: f[:2])
        if match.start() > at:
            return ""
        if at < match.end():
            return str(name).removesuffix(".neuron-nasm")
        start = match.end()
    return ""


@pytest.mark.parametrize(
    ("word", "scope"),
    [
        ("@vector", "entity.name.tag.engine"),
        ("TensorCopy", "support.function.instruction"),
        ("; copied", "comment.line.semicolon"),
        ("acc", "variable.other"),
    ],
)
def test_an_editor_colours_words_by_what_they_are(word: str, scope: str) -> None:
    line = LINE.partition("\n")[0]
    assert scope_of(line, line.index(word)) == scope


def test_an_editor_colours_directives_and_dtypes() -> None:
    line = LINE.split("\n")[1]
    assert scope_of(line, line.index("sbuf")) == "keyword.control.directive"
    assert scope_of(line, line.index("bf16")) == "storage.type.dtype"


def test_the_grammar_of_editors_has_every_instruction_and_every_kind_of_word() -> None:
    text = (EXTENSION / "syntaxes" / "neuron-nasm.tmLanguage.json").read_text(encoding="utf-8")
    matches = [p["match"] for p in json.loads(text)["patterns"]]
    (instructions,) = (m for m in matches if "TensorCopy" in m)
    assert set(re.findall(r"\w+", instructions)) >= set(TARGET.isa.rows)
    assert {pattern(kind) for kind in ("comment", "string", "number")} <= set(matches)


def test_what_the_extension_names_is_there() -> None:
    package = json.loads((EXTENSION / "package.json").read_text(encoding="utf-8"))
    (language,) = package["contributes"]["languages"]
    (grammar,) = package["contributes"]["grammars"]
    assert language["id"] == grammar["language"] == "neuron-nasm"
    assert package["main"] == "./dist/extension.js"
    assert "extension.js --bundle" in package["scripts"]["build"]
    for path in (
        "extension.js",
        package["icon"],
        language["configuration"],
        grammar["path"],
        "LICENSE",
    ):
        assert (EXTENSION / path).is_file()
    starts = (EXTENSION / "extension.js").read_text(encoding="utf-8")
    for setting in package["contributes"]["configuration"]["properties"]:
        assert f'get("{setting.removeprefix("neuron-nasm.")}")' in starts
