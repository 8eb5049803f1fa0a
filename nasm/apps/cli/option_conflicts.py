"""Which options of a command line do not go with one another."""

from __future__ import annotations

import argparse

from nasm.apps.cli import program_names
from nasm.apps.cli.help_texts import COMMAND
from nasm.base.problems import quoted

OF_KERNELS = {"arguments": "--arg", "lnc": "--lnc", "dma": "--dma"}
OF_ONE = OF_KERNELS | {
    "inputs": "--in",
    "in_dir": "--in-dir",
    "outputs": "--out",
    "out_dir": "--out-dir",
    "emit": "--emit",
    "trace": "--trace",
    "sarif": "--sarif",
    "schedules": "--schedules",
    "witness": "--witness",
    "defines": "-D",
}
"""Options that go with one kernel, and not with a script, by their names in a namespace."""


_ONLY_KERNELS = ("check", "print", "list", "asm")
"""Verbs that give a text no arrays."""


def unfit(parsed: argparse.Namespace) -> str:
    """Which options do not go with the others, in a sentence; empty if all do."""
    syncs = parsed.verb in ("run", "list", "asm") and parsed.autosync
    if syncs and program_names.kernel(parsed.program):
        return "--autosync is for a text: a kernel has no waits of its own, and gets them anyway"
    if parsed.verb in ("run", "nki") and parsed.trace_detail is not None and parsed.trace is None:
        return "--trace-detail says what --trace shows: give that, too"
    if parsed.verb in ("run", "nki") and not parsed.values and (parsed.outputs or parsed.out_dir):
        given = "--out" if parsed.outputs else "--out-dir"
        return f"{given} does not go with --no-values: a run without values has no outputs"
    if parsed.verb in ("run", "nki") and parsed.seed is not None and parsed.schedules is None:
        return "--seed says which timings --schedules begins with: give that, too"
    if parsed.verb in ("run", "nki") and parsed.witness and not parsed.values:
        return "--witness does not go with --no-values: it shows which values change"
    if parsed.verb in ("run", "nki") and parsed.witness and not parsed.checked:
        return "--witness does not go with --unchecked: it shows races that are found"
    if parsed.verb in ("run", "nki") and parsed.isolated and (said := _unisolated(parsed)):
        return said
    if parsed.verb == "profile" and parsed.timeline is not None and (parsed.json or parsed.path):
        given = "--json" if parsed.json else "--path"
        return f"{given} does not go with --timeline, which shows nothing else"
    if parsed.verb == "profile" and parsed.format is not None and parsed.tables is None:
        return "--format says how --tables is written: give that, too"
    if parsed.verb == "profile" and parsed.timeline is not None and parsed.tables is not None:
        return "--tables does not go with --timeline, which shows nothing else"
    if parsed.verb in ("run", "check") and parsed.watch and (said := _unwatched(parsed)):
        return said
    if parsed.verb in ("asm", "dis") and (said := _words(parsed)):
        return said
    if parsed.verb in ("run", "nki", "profile", "check", "print", "list", "asm", "repl"):
        return _unfit_program(parsed)
    if parsed.verb != "isa":
        return ""
    if parsed.options and parsed.timing:
        return "--options and --timing are two lists: give one of them"
    for name, what in (("options", "options of the machines"), ("timing", "timing figures")):
        if getattr(parsed, name) and (parsed.mnemonic or parsed.example or parsed.search):
            return f"--{name} lists the {what}: no instruction goes with it"
    if parsed.search is not None and (parsed.mnemonic or parsed.example):
        return f"--search lists instructions: no name goes with it ('{COMMAND} isa NAME')"
    if parsed.example and parsed.mnemonic is None:
        return f"--example wants the name of an instruction: {COMMAND} isa TensorTensor --example"
    return ""


def _unisolated(parsed: argparse.Namespace) -> str:
    """Why something cannot be done in a process of its own; empty if it can."""
    if program_names.script(parsed.program):
        return f"--isolated runs one kernel: name it, as in {parsed.program}:KERNEL"
    whole = {"trace": "--trace", "sarif": "--sarif", "emit": "--emit", "schedules": "--schedules"}
    whole |= {"witness": "--witness", "watch": "--watch"}
    if program_names.kernel(parsed.program):
        whole["in_dir"] = "--in-dir"
    for name, option in whole.items():
        if getattr(parsed, name, None):
            return f"{option} does not go with --isolated, which hands back a report and outputs"
    return ""


def _words(parsed: argparse.Namespace) -> str:
    """Why options of words and of object files do not go together; empty if they do."""
    names = ("form", "queue", "target") if parsed.verb == "dis" else ("form", "queue")
    if not parsed.words:
        given = [name for name in names if getattr(parsed, name) is not None]
        return f"--{given[0]} is about words: it goes with --words" if given else ""
    others = ("strip", "link", "json", "places", "extract")
    given = [name for name in others if getattr(parsed, name, False)]
    return f"--{given[0]} is about object files: it does not go with --words" if given else ""


def _unwatched(parsed: argparse.Namespace) -> str:
    """Why something cannot be done again when files change; empty if it can."""
    programs = parsed.programs if parsed.verb == "check" else [parsed.program]
    if "-" in programs:
        return "--watch wants files: standard input can be read once"
    for name, option in (("json", "--json"), ("timeout", "--timeout")):
        if getattr(parsed, name):
            return f"{option} does not go with --watch, which goes on until Ctrl-C"
    if "-" in (parsed.sarif, getattr(parsed, "trace", None)):
        return "- is standard output, which does not go with --watch: name a file"
    return ""


def _unfit_program(parsed: argparse.Namespace) -> str:
    """Which options do not go with what the program is."""
    programs = parsed.programs if parsed.verb == "check" else [parsed.program]
    whole = parsed.verb == "nki" and program_names.script(parsed.program)
    if parsed.verb == "nki" and not program_names.kernel(parsed.program):
        return f"nki wants kernel.py:name or a script, found '{quoted(parsed.program)}'"
    if parsed.verb == "nki" and parsed.words and not whole:
        return f"'{quoted(parsed.words[0])}': arguments of a kernel are --in and --arg"
    if whole:
        for name, option in OF_ONE.items():
            if getattr(parsed, name):
                said = f"{option} goes with one kernel, and a script may call several"
                return f"{said}: name it, as in {parsed.program}:KERNEL"
    if any(map(program_names.kernel, programs)):
        return ""
    only = OF_KERNELS | ({"inputs": "--in"} if parsed.verb in _ONLY_KERNELS else {})
    for name, option in only.items():
        if getattr(parsed, name):
            return f"{option} goes with a kernel, kernel.py:name"
    return ""
