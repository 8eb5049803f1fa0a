"""The document of a comparison of two programs: are they equal for every input?"""

from __future__ import annotations

from typing import Any

from nasm.runs.equal.records import Equality
from nasm.show.documents import Key, Shape, part, plain
from nasm.show.json_diff import TENSOR
from nasm.show.jsonable import place, problem_list

PARTING: Shape = (
    Key("text", "what it does there that the other does not, in words; the whole may be null"),
    place("where that is written"),
)
EQUALITY: Shape = (
    Key("verdict", "`equal`, `different` or `not proved`"),
    Key("reason", "why, in a sentence"),
    Key("outputs", "the tensors that were compared"),
    Key("instructions", "how many instructions each executed for it, as a list of two"),
    part("a", PARTING, "the first place at which the first program does something else"),
    part("b", PARTING, "the same of the second one"),
    part(
        "example",
        (
            Key("given", "inputs for which they differ, in words; the whole is null without any"),
            Key("seed", "the seed of random ones; null of those that the first program declares"),
            Key(
                "tensor",
                "an output that differs for them, as the `tensors` of a [diff](#diff)",
                shape=TENSOR,
                elsewhere=True,
            ),
        ),
    ),
    Key("tried", "on how many sets of inputs both were run"),
    problem_list("problems", "what keeps a side from having one result for each input"),
)


def equality(programs: list[str], found: Equality) -> dict[str, Any]:
    """The document of two programs, by their names."""
    return {"programs": programs, **plain(found, EQUALITY)}
