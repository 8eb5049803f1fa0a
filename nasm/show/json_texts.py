"""The documents of what a text becomes: an object file, a list of lines, a text with its waits."""

from __future__ import annotations

from nasm.show.documents import Key, Shape, each, merged
from nasm.show.jsonable import problem_list
from nasm.show.listing import LINE

OBJECT: Shape = (
    Key("object", "the object file that was written", "path"),
    Key("bytes", "how long it is", lambda made: len(made.data)),
    Key("instructions", "how many instructions it has", lambda made: len(made.program)),
    problem_list("warnings", "as of [run](#run)", lambda made: made.program.warnings),
    problem_list("problems", "why nothing was written", lambda made: ()),
)
LISTING: Shape = (
    Key(
        "target",
        "the machine, as `.target` spells it",
        lambda listing: listing.program.generation.spellings[0],
    ),
    each("lines", LINE),
    problem_list("problems", "why there are no lines", lambda listing: ()),
)
_COUNTS: Shape = (
    Key("waits", "how many of them wait"),
    Key("updates", "how many update"),
    Key("only_wait", "how many were inserted for their wait or update alone"),
)
MIGRATED: Shape = (
    Key("program", "the file, as the command line names it"),
    Key("text", "the whole text in today's dialect"),
    Key("changes", "how often each kind of change was made", lambda made: dict(made.changes)),
    Key("remarks", "where to look, in sentences", lambda made: list(made.remarks)),
    problem_list("problems", "the lines that could not be migrated"),
)
SYNCHRONISED: Shape = (
    Key("program", "the file, as the command line names it", lambda made: made.source.name),
    Key(
        "instructions",
        "how many the program has with what was inserted",
        lambda made: len(made.program),
    ),
    merged(_COUNTS, "", "counts"),
    Key(
        "semaphores",
        "how many semaphores the program has now",
        lambda made: len(made.program.semaphores),
    ),
    Key("text", "the whole text with waits and updates"),
    problem_list(
        "problems",
        "why there are none of these: the text does not assemble, or has no sequential order",
        lambda made: (),
    ),
)
