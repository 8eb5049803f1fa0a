"""Files of instruction words: as hexadecimal text with the queues they are for, or bare."""

from __future__ import annotations

import re

from nasm.base.problems import Failure, Problem, in_line
from nasm.base.records import dataclass, field
from nasm.base.source import Source, Span

BYTES = 4
"""Bytes of a word, the lowest first."""

_TEXT = re.compile(rb"[\t\n\r\x20-\x7e]*")
_TOKEN = re.compile(
    r"[;#][^\n]*|\.target[ \t]+(?P<target>\w+)|@(?P<queue>[\w.]+)|(?P<word>[^\s;#]+)"
)
_WORD = re.compile(r"(?:0[xX])?[0-9a-fA-F]{1,8}")


@dataclass(slots=True)
class WordFile:
    """Words by queue, those of no queue under an empty name; the target, if a file says it."""

    target: str = ""
    queues: dict[str, list[int]] = field(default_factory=dict)


def hexed(made: WordFile) -> str:
    """A file as text: a word on each line, after the ``@queue`` that it is for."""
    lines = [f".target {made.target}"]
    for queue, words in made.queues.items():
        lines += [f"@{queue}", *(f"{word:08x}" for word in words)]
    return "\n".join(lines) + "\n"


def packed(words: list[int]) -> bytes:
    """Words as bytes, one after the other."""
    return b"".join(word.to_bytes(BYTES, "little") for word in words)


def read(name: str, data: bytes) -> WordFile:
    """The words of a file, text or bytes; raises Failure."""
    if _TEXT.fullmatch(data):
        return _read_text(Source(name, data.decode("ascii")))
    if len(data) % BYTES:
        message = f"{in_line(name)} has {len(data):,} bytes; wanted words of {BYTES}"
        raise Failure(Problem("E0801", message))
    cut = range(0, len(data), BYTES)
    return WordFile(queues={"": [int.from_bytes(data[n : n + BYTES], "little") for n in cut]})


def _read_text(source: Source) -> WordFile:
    made = WordFile()
    queue = ""
    for match in _TOKEN.finditer(source.text):
        if match["target"]:
            made.target = match["target"]
        elif match["queue"]:
            queue = match["queue"]
            made.queues.setdefault(queue, [])
        elif match["word"]:
            if not _WORD.fullmatch(match["word"]):
                message = (
                    f"'{in_line(match['word'])}' is no word; wanted up to 8 hexadecimal digits"
                )
                raise Failure(Problem("E0801", message, Span(source, *match.span())))
            made.queues.setdefault(queue, []).append(int(match["word"], 16))
    return made
