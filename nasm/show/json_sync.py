"""The document of a text that `sync` has given its waits."""

from __future__ import annotations

from nasm.show.documents import Key, Shape, merged

_COUNTS: Shape = (
    Key("waits", "how many of them wait"),
    Key("updates", "how many update"),
    Key("only_wait", "how many were inserted for their wait or update alone"),
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
)
