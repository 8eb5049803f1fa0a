"""The tables of json.md: the keys of documents, from the tables that make the documents."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

from generator.markdown import table
from nasm.grading import class_report, judgement
from nasm.isolation import outcome
from nasm.show import (
    explanations,
    json_check,
    json_diff,
    json_equal,
    json_isa,
    json_model,
    json_profile,
    json_sweep,
    json_texts,
    jsonable,
    ranks,
)
from nasm.show.documents import Key, Shape, listed

_SAME = re.compile(r"(?:^|\[\]\.)b\.|^(?:path|moved)\[\]\.b$")
"""Keys of side b, which are those of side a."""
_OUTPUTS = (jsonable.OUTPUT, "outputs[].")
_FOLLOWED = (*json_check.EXAMINATION, *json_check.MAPS, *json_check.RELIANCE, *json_check.WAITS)
_FILES = (*json_check.CHECKED, *json_check.ASSEMBLED, *_FOLLOWED)
_CUT_SHORT: Shape = (
    Key("program", "where it did not get to its end: the file, as it was given"),
    Key("status", "and how that ended: `timeout`, `interrupted`, `refused` or `defect`"),
)


def _problems(meaning: str) -> tuple[Shape, str]:
    return (jsonable.problem_list("problems", meaning),), ""


_SHAPES: dict[str, tuple[tuple[Shape, str], ...]] = {
    "head": ((jsonable.HEAD, ""),),
    "run": ((jsonable.RUN, ""), _OUTPUTS, (json_diff.OTHERS, "")),
    "ranks": ((ranks.RANKS, ""),),
    "isolation": ((outcome.ISOLATION, "isolation."),),
    "nki": ((jsonable.SCRIPT, ""),),
    "migrate": ((json_texts.MIGRATED, ""),),
    "timings": ((json_diff.SCHEDULES, "schedules."), (json_diff.WITNESS, "witnesses[].")),
    "profile": ((json_profile.PROFILE, ""), (json_profile.OF_RUN, ""), (json_profile.TABLES, "")),
    "model": ((json_model.MODEL, ""),),
    "diff": ((json_diff.COMPARISON, ""), (json_diff.DIFFERENCES, "")),
    "equal": (
        ((Key("programs", "both files, as they were given"),), ""),
        (json_equal.EQUALITY, ""),
    ),
    "sweep": ((json_sweep.SWEEP, ""),),
    "grade": (
        (class_report.GRADE, "grades[]."),
        ((Key("faults", "with `--check`: what is wrong with the exercise, in sentences"),), ""),
    ),
    "judge": ((judgement.JUDGEMENT, "judgements[]."),),
    "check": ((_FILES, "files[]."), _problems("of no file: why not all were checked")),
    "asm": ((json_texts.OBJECT, ""), (_CUT_SHORT, "")),
    "list": ((json_texts.LISTING, ""), (_CUT_SHORT, "")),
    "sync": ((json_texts.SYNCHRONISED, ""),),
    "isa": (
        (json_isa.INSTRUCTION, "instructions[]."),
        (json_isa.OPTION, "options[]."),
        (json_isa.FIGURE, "figures[]."),
        (json_isa.MANUAL, "instruction."),
        _problems("for a word that is not an instruction"),
    ),
    "explain": ((explanations.CODE, "codes[]."), _problems("for an unknown code")),
    "problems": ((jsonable.PROBLEM, ""),),
}
"""The tables by section, each of shapes and of where they are in their document."""


def _keys(shapes: tuple[tuple[Shape, str], ...]) -> str:
    rows = [
        [_together(names), meaning]
        for shape, path in shapes
        for names, meaning in listed(shape, path)
        if not _SAME.search(names[0])
    ]
    return table(["key", "meaning"], rows)


def _together(names: tuple[str, ...]) -> str:
    """Keys of one record: the first with its path, the others with their names."""
    first, *others = names
    return ", ".join(f"`{name}`" for name in (first, *(o.rpartition(".")[2] for o in others)))


SECTIONS: dict[str, Callable[[], str]] = {
    name: partial(_keys, shapes) for name, shapes in _SHAPES.items()
}
