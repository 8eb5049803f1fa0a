"""What may be typed next in a program: the words of its target and of the text so far."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial

from nasm.apps.lsp.analysis import Analysis
from nasm.apps.lsp.items import HOLE
from nasm.apps.lsp.symbols import COUNTER, MACRO, MOMENT, DeclaredSymbol
from nasm.apps.repl import completion_words, topics
from nasm.apps.repl.suggest import CompletionNames, Suggestion, instruction, starting
from nasm.base.dtypes import DTYPES
from nasm.isa.settings import Setting
from nasm.language.expectations.checker import METHODS
from nasm.language.text.parse_failure import FORMS
from nasm.targets import TARGETS

_LABELLED = re.compile(r"\s*(?:@export\s+)?[\w{}]+\s*:\s*")
_DIRECTIVE = re.compile(r"(?:@\w+\s+)?(\.\w*)$")
_TENSOR = re.compile(r"\.(\w+)\s+(?:@export\s+)?[\w{}]+(?:\[[^\]]*\])?\s+(\w*)$")
_INCLUDE = re.compile(r'\.include\s+"([^"]*)')
_MOMENT = re.compile(r"\bafter\s(?:[^$;]*,)?\s*(\w*)$")
_SETTING = re.compile(r"(?:@\w+\s+)?\.(?:cfg|write)\s(?:[^;:]*,)?\s*(\w*)$")
_SET = re.compile(r"\.(?:cfg|write)\s(?:[^;:]*,)?\s*(\w+)\s*=\s*(\w*)$")
_WORD = re.compile(r"[$@]?\w*$")


def completions(analysis: Analysis, before: str) -> list[Suggestion]:
    """Words that continue a line, given what is before the cursor."""
    names = _names(analysis)
    text = _LABELLED.sub("", before, count=1).lstrip()
    path = _INCLUDE.fullmatch(text)
    if path:
        words = analysis.includable(path[1])
        return starting(path[1], words, len(path[1]))
    if _in_comment(text):
        return []
    word = _WORD.search(text)
    typed = word[0] if word else ""
    directive, tensor = _DIRECTIVE.fullmatch(text), _TENSOR.fullmatch(text)
    if directive:
        return starting(directive[1], names.words["directive"], len(directive[1]))
    if tensor and tensor[1] in analysis.generation.memories:
        return starting(tensor[2], names.words["dtype"], len(tensor[2]))
    if text.startswith(".target "):
        return starting(typed, dict.fromkeys(TARGETS, "a target"), len(typed))
    if typed.startswith("$"):
        return starting(typed, names.words["semaphore"], len(typed))
    if typed.startswith("@"):
        words = {f"@{name}": message for name, message in names.words["engine"].items()}
        return starting(typed, words, len(typed))
    moment = _MOMENT.search(text)
    if moment:
        return starting(moment[1], names.words["moment"], len(moment[1]))
    setting = _SETTING.fullmatch(text)
    if setting:
        return starting(setting[1], names.words["setting"], len(setting[1]))
    value = _SET.search(text)
    if value and value[1] in (known := _settings(analysis)):
        return starting(value[2], dict.fromkeys(known[value[1]].words, ""), len(value[2]))
    if text.startswith("."):
        return _in_expression(text, typed, names)
    return instruction(text, names) or _in_expression(text, typed, names)


def _in_comment(text: str) -> bool:
    """Whether the cursor is in a comment or in a string."""
    bare = re.sub(r'"(?:[^"\\]|\\.)*"', "", text)
    return ";" in bare or '"' in bare


def _in_expression(text: str, typed: str, names: CompletionNames) -> list[Suggestion]:
    if text[: len(text) - len(typed)].endswith("."):
        return starting(typed, names.words["method"], len(typed))
    kinds = ("tensor", "constant", "function")
    words = {w: message for kind in kinds for w, message in names.words[kind].items()}
    return starting(typed, words, len(typed))


def _names(analysis: Analysis) -> CompletionNames:
    """All there is: what the program has, and what the text declares that it has not."""
    target, generation, program = analysis.target, analysis.generation, analysis.program
    words: dict[str, Mapping[str, str]] = {"engine": {}}
    if program is not None:
        words = {kind: find(program) for kind, find in completion_words.OF_PROGRAM.items()}
    else:
        words["engine"] = {e.name: e.summary for e in generation.engines}
    plain = [s for s in analysis.index.symbols if HOLE not in s.shape]
    words["tensor"] = _of(plain, "tensor", "array", "view", "transfer") | dict(
        words.get("tensor", {})
    )
    words["constant"] = _of(plain, "variable", "parameter", "constant") | dict(
        words.get("constant", {})
    )
    words["label"] = _of(plain, "label") | dict(words.get("label", {}))
    words["semaphore"] = {f"${s.shape}": s.kind for s in plain if s.space == COUNTER}
    words["moment"] = {s.shape: s.kind for s in plain if s.space == MOMENT}
    macros = {s.shape: s.kind for s in plain if s.space == MACRO}
    words["mnemonic"] = completion_words.mnemonics(target, generation) | macros
    memories = {f".{m.name}": m.summary for m in generation.memories.values()}
    words["directive"] = {f".{word}": form for word, form in FORMS.items()} | memories
    words["dtype"] = {
        name: d.summary
        for d in DTYPES.values()
        if d.name in generation.dtypes
        for name in (d.name, *d.aliases)
    }
    words["setting"] = {name: s.summary for name, s in _settings(analysis).items()}
    words["function"] = {t.word: t.summary for t in topics.functions()}
    words["method"] = dict.fromkeys(METHODS, "of a tensor")
    return CompletionNames(
        words=words, operands=partial(completion_words.operands, target, generation)
    )


def _settings(analysis: Analysis) -> Mapping[str, Setting]:
    known = analysis.target.settings(analysis.generation)
    return known.offered if known is not None else {}


def _of(symbols: list[DeclaredSymbol], *kinds: str) -> dict[str, str]:
    return {s.shape: s.kind for s in symbols if s.kind in kinds}
