"""Object files: damaged ones, and ones whose checksums agree with what no program says."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator
from random import Random
from typing import Any

from nasm.base.problems import Failure
from nasm.base.source import Source
from nasm.base.source_files import ObjectFile
from nasm.language.assemble import assemble
from nasm.language.objects import load, sections
from nasm.language.objects.writing import written
from nasm.language.printing import text
from nasm.targets import TARGETS
from tests.fuzz import corpus, promises
from tests.fuzz.finding import Found

LARGE = 40_000
"""Bytes of objects that are left out: they take long, and are more of the same."""

NUMBERS = (0, 1, 2, 3, 7, 16, 127, 128, 255, 4096, 1 << 16, (1 << 31) - 1, 1 << 31, (1 << 32) - 1,
           1 << 40, (1 << 63) - 1, -1, -2, -128, -(1 << 31), -(1 << 63))  # fmt: skip
WORDS = ("", "a", "add", "bfloat16", "vector", "sync", "sbuf", "hbm", "input", "../x", "x" * 300,
         "\x1b[31m", "\u202e", "\ud800", "0", "trn1", "trn3", "toy", "E0502", "float")  # fmt: skip
OTHERS: tuple[Any, ...] = (None, True, False, 0.5, -1.5, 1e308, [], {}, [[]], {"float": "nan"}, "")


DEBUG = {"debug", "spans", "places"}
"""Sections that say where something was written: what nothing in a program names is left out."""


def but_for_debug(data: bytes) -> dict[str, bytes]:
    """The sections of an object that make its program."""
    return {n: bytes(body) for n, body in sections.parted(data).items() if n not in DEBUG}


class Objects:
    """Object files of real programs, changed."""

    name, suffix, each = "objects", ".nobj", 1
    memory, seconds = 1 << 30, 5.0

    def __init__(self) -> None:
        self.right = []
        for name, said in sorted(corpus.programs().items()):
            if "wrong" in name:
                continue
            source = Source(str(corpus.PROGRAMS / "fuzzed.nasm"), said)
            try:
                made = written(assemble(source, TARGETS), source)
            except Failure:
                continue
            if len(made) < LARGE:
                self.right.append(made)

    def make(self, rng: Random) -> bytes:
        """A damaged file; of most the checksums agree."""
        data = rng.choice(self.right)
        if rng.random() < 0.2:
            return damaged(rng, data)
        parts = {name: bytes(body) for name, body in sections.parted(data).items()}
        for _ in range(rng.choice([1, 1, 1, 2, 4])):
            name = rng.choice(list(parts))
            if rng.random() < 0.02:
                del parts[name]
            elif parts[name][:1] in (b"[", b"{"):
                parts[name] = document(rng, parts[name])
            else:
                parts[name] = columns(rng, parts[name])
            if not parts:
                break
        return sections.joined(parts)

    def check(self, data: bytes) -> None:
        """Load it; what is loaded prints, and runs to an end that has a name."""
        try:
            program = load(ObjectFile("fuzzed.nobj", data), TARGETS).program
        except Failure as failure:
            promises.refused(failure)
            return
        promises.names(program)
        promises.problems(program.warnings)
        try:
            text(program)
        except Failure as failure:
            promises.refused(failure)
        try:
            again = written(program)
            once_more = written(load(ObjectFile("again", again), TARGETS).program)
            if but_for_debug(once_more) != but_for_debug(again):
                raise Found("hash", "what was loaded is written in two ways")
        except Failure as failure:
            promises.refused(failure)
        if promises.small(program):
            try:
                promises.run(program, data)
            except Failure as failure:
                promises.refused(failure)

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """What makes it a file is where its bytes stand."""
        return iter(())


def damaged(rng: Random, data: bytes) -> bytes:
    """Other bytes, fewer, or more."""
    at = rng.choice([rng.randrange(len(data)), rng.randrange(min(len(data), 64))])
    match rng.randrange(4):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + rng.randbytes(rng.randint(1, 8)) + data[at:]
        case 2:
            return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
    return data[:at] + data[at + rng.randint(1, 16) :]


def columns(rng: Random, body: bytes) -> bytes:
    """A number of a column, or the head of one, is another."""
    if not body or rng.random() < 0.05:
        return damaged(rng, body) if body else rng.randbytes(9)
    width = rng.choice([1, 4, 8])
    at = rng.randrange(max(1, len(body) - width + 1))
    if rng.random() < 0.7 and width > 1:
        at -= at % 4
    number = rng.choice([rng.choice(NUMBERS), rng.randrange(16)])
    new = struct.pack("<Q", number & (1 << 64) - 1)[:width]
    return body[:at] + new + body[at + len(new) :]


def document(rng: Random, body: bytes) -> bytes:
    """One value in it is another, or is gone."""
    if rng.random() < 0.05:
        return damaged(rng, body)
    try:
        said = json.loads(body)
    except ValueError:  # it was damaged before
        return columns(rng, body)
    places = list(_places(said))
    if not places:
        return json.dumps(rng.choice(OTHERS)).encode()
    holder, key = rng.choice(places)
    match rng.randrange(8):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, list):
            holder.insert(key, holder[key])
        case 2:
            holder[key] = rng.choice(OTHERS)
        case 3:
            other, at = rng.choice(places)
            holder[key] = json.loads(json.dumps(other[at]))
        case _:
            holder[key] = _other(rng, holder[key])
    return json.dumps(said, separators=(",", ":"), sort_keys=True).encode()


def _other(rng: Random, value: Any) -> Any:
    """Something else of the same kind."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return rng.choice([value + 1, value - 1, value * 2, rng.choice(NUMBERS)])
    if isinstance(value, str):
        return rng.choice([*WORDS, value + "x", value[1:], value.upper()])
    return rng.choice(OTHERS)


def _places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every value in a document, as what holds it and the key there."""
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in list(keys):
        yield value, key
        if isinstance(value[key], list | dict):
            yield from _places(value[key])
