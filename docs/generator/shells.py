"""What a shell completes, and the manual page: made of the parsers of all verbs.

They are committed, so that the package has them without what makes them.
"""

from __future__ import annotations

import argparse
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from nasm import __version__
from nasm.apps.cli import arguments
from nasm.apps.cli.completions import FILES, SHELLS
from nasm.apps.cli.verb import COMMAND, verbs
from nasm.language import codes
from nasm.targets import TARGETS

_PATHS = {"FILE", "NAME=FILE", "program", "path", "submission", "candidate", "task", "exercise"}
_FOLDERS = {"DIR", "FOLDER", "folder"}
"""How operands are called that are files and folders."""


def parser() -> argparse.ArgumentParser:
    """All verbs with their options, each with what completes it."""
    import shtab

    made = arguments.parser(whole=True)
    words = {
        "code": [row.code for row in codes.table()],
        "mnemonic": sorted({name for target in TARGETS.loaded() for name in target.isa.rows}),
    }
    words["topic"] = [*verbs(), *words["mnemonic"], *words["code"]]
    for verb in (made, *(arguments.of_verb(made, name) for name in verbs())):
        for action in verb._actions:
            name = str(action.metavar or action.dest)
            if name in words:
                action.choices = words[name]
            elif name in _PATHS or name in _FOLDERS:
                kind = shtab.FILE if name in _PATHS else shtab.DIRECTORY
                action.complete = kind  # type: ignore[attr-defined]
    return made


def manual() -> str:
    """The manual page, in roff, with the verbs in sections of their own."""
    from argparse_manpage.manpage import Manpage

    made = arguments.parser(whole=True)
    made.man_short_description = "assemble, run and debug programs of NeuronCores"  # type: ignore[attr-defined]
    page = Manpage(
        made,
        format="pretty",
        _data={
            "prog": COMMAND,
            "project_name": COMMAND,
            "version": __version__,
            "manual_section": 1,
            "manual_title": "Neuron nasm",
        },
    )
    page.date = ""  # the same page on every day
    text = re.sub(r"[ \t]+$", "", str(page), flags=re.MULTILINE)
    return re.sub(r"^'", r"\\(aq", text, flags=re.MULTILINE)  # else a request of roff


@contextmanager
def _columns(count: int) -> Iterator[None]:
    """Within it argparse lays out for so many columns, whatever the terminal has."""
    before = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = str(count)
    try:
        yield
    finally:
        del os.environ["COLUMNS"]
        if before is not None:
            os.environ["COLUMNS"] = before


def files() -> dict[str, str]:
    """Every file by its name; none, so that they stay, where what makes them is not there."""
    if find_spec("shtab") is None or find_spec("argparse_manpage") is None:
        return {}
    import shtab

    with _columns(80):
        made = parser()
        found = {FILES[shell]: shtab.complete(made, shell=shell) for shell in SHELLS}
        return found | {f"{COMMAND}.1": manual()}
