"""The tables of json.md: the keys of documents, from the tables that make the documents."""

from __future__ import annotations

import re

from generator.markdown import code, table
from nasm.show import (
    explanations,
    json_check,
    json_diff,
    json_isa,
    json_model,
    json_profile,
    json_sweep,
    json_sync,
    jsonable,
    listing,
)
from nasm.show.documents import Shape, listed

_SAME = re.compile(r"(?:^|\[\]\.)b\.|^(?:path|moved)\[\]\.b$")
"""Keys of side b, which are those of side a."""


def run() -> str:
    """The keys of a run."""
    return _keys((jsonable.RUN, ""))


def problems() -> str:
    """The keys of a diagnostic."""
    return _keys((jsonable.PROBLEM, ""))


def profile() -> str:
    """The keys of a profile."""
    return _keys((json_profile.PROFILE, ""))


def model() -> str:
    """The keys of a model."""
    return _keys((json_model.MODEL, ""))


def diff() -> str:
    """The keys of a comparison."""
    return _keys((json_diff.COMPARISON, ""))


def timings() -> str:
    """The keys of schedules and of witnesses."""
    return _keys((json_diff.SCHEDULES, "schedules."), (json_diff.WITNESS, "witnesses[]."))


def sweep() -> str:
    """The keys of a sweep."""
    return _keys((json_sweep.SWEEP, ""))


def check() -> str:
    """The keys of what `check` follows of a program."""
    shape = (*json_check.EXAMINATION, *json_check.MAPS, *json_check.RELIANCE)
    return _keys((shape, "files[]."))


def lines() -> str:
    """The keys of a listing."""
    return _keys((listing.LINE, "lines[]."))


def isa() -> str:
    """The keys of instructions, options and figures, and of a page."""
    return _keys(
        (json_isa.INSTRUCTION, "instructions[]."),
        (json_isa.OPTION, "options[]."),
        (json_isa.FIGURE, "figures[]."),
        (json_isa.PAGE, "instruction."),
    )


def synchronised() -> str:
    """The keys of a synchronised text."""
    return _keys((json_sync.SYNCHRONISED, ""))


def codes() -> str:
    """The keys of diagnostics that are explained."""
    return _keys((explanations.CODE, "codes[]."))


def _keys(*shapes: tuple[Shape, str]) -> str:
    rows = [
        [code(name), meaning]
        for shape, path in shapes
        for name, meaning in listed(shape, path)
        if not _SAME.search(name)
    ]
    return table(["key", "meaning"], rows)
