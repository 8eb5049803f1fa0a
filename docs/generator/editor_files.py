"""The files of the VS Code extension that follow from the grammar and the rows."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from typing import Any

import nasm
from nasm.base.dtypes import DTYPES
from nasm.language.text.blocks import OPENERS
from nasm.language.text.lexemes import pattern
from nasm.language.text.parse_failure import DIRECTIVES
from nasm.targets.neuron import TARGET

LANGUAGE = "neuron-nasm"

_SCOPES = {
    "comment": "comment.line.semicolon",
    "string": "string.quoted.double",
    "number": "constant.numeric",
    "register": "variable.language.register",
    "semaphore_open": "variable.other.semaphore",
    "semaphore": "variable.other.semaphore",
    "engine": "entity.name.tag.engine",
}
"""The scopes of kinds of lexeme, in the order in which they are tried."""


def textmate() -> str:
    """The TextMate grammar."""
    memories = {name for g in TARGET.generations for name in g.memories}
    types = {name for d in DTYPES.values() for name in (d.name, *d.aliases)}
    patterns = [
        *({"name": _scope(scope), "match": pattern(kind)} for kind, scope in _SCOPES.items()),
        _words("keyword.control.directive", (*DIRECTIVES, *sorted(memories)), r"(?<![\w\])}])\."),
        _words("support.function.instruction", sorted(TARGET.isa.rows)),
        _words("storage.type.dtype", sorted(types)),
        {"name": _scope("keyword.operator"), "match": r"\b(?:and|or|not|in|step)\b"},
        _words("keyword.control.sync", ("post", "after", "take", "give"), after=r"(?=\s+[$\w{])"),
        {"name": _scope("variable.other"), "match": pattern("name")},
    ]
    return _text({"name": LANGUAGE, "scopeName": f"source.{LANGUAGE}", "patterns": patterns})


def _words(scope: str, words: Iterable[str], before: str = r"\b", after: str = "") -> Any:
    listed = "|".join(map(re.escape, words))
    return {"name": _scope(scope), "match": rf"{before}(?:{listed})\b{after}"}


def _scope(name: str) -> str:
    return f"{name}.{LANGUAGE}"


def configuration() -> str:
    """How an editor closes brackets, comments lines and indents blocks."""
    pairs = [["(", ")"], ["[", "]"], ["{", "}"]]
    openers = "|".join(sorted(OPENERS))
    return _text(
        {
            "comments": {"lineComment": ";"},
            "brackets": pairs,
            "autoClosingPairs": [*pairs, ['"', '"']],
            "surroundingPairs": [*pairs, ['"', '"']],
            "wordPattern": r"[@$%.]?[A-Za-z_][A-Za-z0-9_]*|\d[\w.]*",
            "indentationRules": {
                "increaseIndentPattern": rf"^\s*(?:@\w+\s+)?\.(?:{openers}|else|elif)\b",
                "decreaseIndentPattern": r"^\s*\.(?:end|else|elif)\b",
            },
            "folding": {
                "markers": {"start": rf"^\s*(?:@\w+\s+)?\.(?:{openers})\b", "end": r"^\s*\.end\b"}
            },
        }
    )


def package() -> str:
    """What the extension is."""
    return _text(
        {
            "name": "neuron-nasm",
            "displayName": "neuron-nasm",
            "description": "Programs for the instruction set of AWS NeuronCores, with nasm",
            "version": nasm.__version__,
            "publisher": "neuron-nasm",
            "license": "MIT",
            "private": True,
            "categories": ["Programming Languages"],
            "engines": {"vscode": "^1.91.0"},
            "main": "./extension.js",
            "activationEvents": [],
            "dependencies": {"vscode-languageclient": "^9.0.1"},
            "contributes": {
                "languages": [
                    {
                        "id": LANGUAGE,
                        "aliases": ["neuron-nasm"],
                        "extensions": [".nasm"],
                        "configuration": "./language-configuration.json",
                    }
                ],
                "grammars": [
                    {
                        "language": LANGUAGE,
                        "scopeName": f"source.{LANGUAGE}",
                        "path": "./syntaxes/neuron-nasm.tmLanguage.json",
                    }
                ],
                "configuration": {
                    "title": "neuron-nasm",
                    "properties": {
                        "neuron-nasm.command": {
                            "type": "string",
                            "default": "neuron-nasm",
                            "scope": "machine",
                            "description": "The command, where it is not on the path.",
                        },
                        "neuron-nasm.options": {
                            "type": "array",
                            "items": {"type": "string"},
                            "default": [],
                            "scope": "machine-overridable",
                            "description": "Options of 'neuron-nasm lsp', such as --target or -D.",
                        },
                        "neuron-nasm.cycles": {
                            "type": "boolean",
                            "default": True,
                            "description": "Show the cycles of each instruction after its line.",
                        },
                    },
                },
            },
        }
    )


def _text(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def files() -> dict[str, str]:
    """The generated files by their path in the extension's folder."""
    return {
        "package.json": package(),
        "language-configuration.json": configuration(),
        "syntaxes/neuron-nasm.tmLanguage.json": textmate(),
    }
