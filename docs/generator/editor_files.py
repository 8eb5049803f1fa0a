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
            "description": "Write, run and debug programs for AWS NeuronCores, with nasm",
            "version": nasm.__version__,
            "publisher": "neuron-nasm",
            "license": "MIT",
            "private": True,
            "icon": "icon.png",
            "categories": ["Programming Languages", "Debuggers"],
            "engines": {"vscode": "^1.91.0"},
            "main": "./dist/extension.js",
            "activationEvents": [f"onDebugResolve:{LANGUAGE}"],
            "scripts": {"build": BUILD},
            "devDependencies": {
                "@vscode/vsce": "^3.0.0",
                "esbuild": "^0.25.0",
                "vscode-languageclient": "^9.0.1",
            },
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
                "breakpoints": [{"language": LANGUAGE}, {"language": "python"}],
                "debuggers": [_debugger()],
                "commands": [
                    {"command": f"{LANGUAGE}.{name}", "title": title, "category": LANGUAGE, **icon}
                    for name, (title, icon) in COMMANDS.items()
                ],
                "menus": {
                    "editor/title/run": [
                        {
                            "command": f"{LANGUAGE}.{name}",
                            "when": f"resourceLangId == {LANGUAGE}",
                            "group": f"navigation@{n}",
                        }
                        for n, name in enumerate(COMMANDS, 1)
                        if name != "page"
                    ],
                    "debug/toolBar": [
                        {"command": f"{LANGUAGE}.page", "when": f"debugType == {LANGUAGE}"}
                    ],
                },
                "configuration": _settings(),
            },
        }
    )


BUILD = (
    "esbuild extension.js --bundle --minify --platform=node --external:vscode "
    "--outfile=dist/extension.js"
)
COMMANDS = {
    "run": ("Run the program", {"icon": "$(play)"}),
    "debug": ("Debug the program", {"icon": "$(debug-alt)"}),
    "profile": ("Profile the program", {"icon": "$(graph)"}),
    "page": ("Show the page of the run", {"icon": "$(graph)"}),
}
"""The commands of the extension, each with its title and icon."""

PROGRAM = "${file}"


def _debugger() -> Any:
    """What a launch configuration may have, and snippets of some."""
    words = {"type": "array", "items": {"type": "string"}, "default": []}
    named = {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean"]}}
    attributes = {
        "program": {
            "type": "string",
            "default": PROGRAM,
            "description": "A .nasm file, an object file, kernel.py:name, or a recording (.nrec).",
        },
        "args": {**words, "description": "Options of 'neuron-nasm repl', such as --strict."},
        "target": {"type": "string", "description": "The machine, such as trn2: --target."},
        "defines": {**named, "description": "Constants of the program by name: -D."},
        "inputs": {**named, "description": "Inputs by name: a file, or values: --in."},
        "arguments": {**named, "description": "Other arguments of a kernel by name: --arg."},
        "options": {**named, "description": "Machine options by name: --option."},
        "cwd": {"type": "string", "description": "The folder that paths are relative to."},
        "stopOnEntry": {
            "type": "boolean",
            "default": False,
            "description": "Stop before the first instruction.",
        },
        "stopAtEnd": {
            "type": "boolean",
            "default": True,
            "description": "Stop at the end of the run, where all can be looked at.",
        },
    }
    plain = {"type": LANGUAGE, "request": "launch"}
    first = {**plain, "name": "Debug this program", "program": PROGRAM, "stopOnEntry": True}
    kernel = {
        **plain,
        "name": "Debug a kernel of NKI",
        "program": f"{PROGRAM}:${{1:kernel}}",
        "inputs": {"x": "normal[128,512]"},
    }
    recording = {**plain, "name": "Open a recording", "program": "${workspaceFolder}/run.nrec"}
    snippets = (
        ("a program", "A program, from before its first instruction", first),
        ("a kernel of NKI", "A kernel, with inputs that are made", kernel),
        ("a recording", "A run that 'neuron-nasm record' or 'save' wrote", recording),
    )
    return {
        "type": LANGUAGE,
        "label": LANGUAGE,
        "languages": [LANGUAGE],
        "configurationAttributes": {"launch": {"required": ["program"], "properties": attributes}},
        "initialConfigurations": [first],
        "configurationSnippets": [
            {"label": f"{LANGUAGE}: {label}", "description": text, "body": _escaped(body)}
            for label, text, body in snippets
        ],
    }


def _escaped(body: dict[str, Any]) -> dict[str, Any]:
    """A body for a snippet, in which a variable of a configuration is no place to type."""
    variables = ("${file}", "${workspaceFolder}")

    def text(value: Any) -> Any:
        for name in variables:
            value = value.replace(name, f"\\{name}")
        return value

    return {key: text(v) if isinstance(v, str) else v for key, v in body.items()}


def _settings() -> Any:
    return {
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
    }


def _text(content: Any) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def files() -> dict[str, str]:
    """The generated files by their path in the extension's folder."""
    return {
        "package.json": package(),
        "language-configuration.json": configuration(),
        "syntaxes/neuron-nasm.tmLanguage.json": textmate(),
    }
