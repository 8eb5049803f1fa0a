"""Recordings: damaged ones, and ones whose checksums agree with what nothing recorded."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from nasm.base.problems import Failure, Refused
from nasm.base.source import Source
from nasm.base.source_files import RECORDING
from nasm.debugger.recordings.writing import DATA, DOCUMENT, PROGRAM
from nasm.debugger.session import Session
from nasm.language.objects import sections
from tests.debugger.journeys import LOOP, Traveller
from tests.fuzz import corpus, objects, promises
from tests.fuzz.finding import Found

SOME = 12
"""Programs that are recorded."""


class Recordings:
    """Recordings of short runs, changed."""

    name, suffix, each = "recordings", ".nrec", 1
    memory, seconds = 1 << 30, 30.0

    def __init__(self) -> None:
        self.right = [_recorded("loop", LOOP)]
        for name, text in sorted(corpus.programs().items()):
            if "wrong" in name or len(text) > 1500 or len(self.right) >= SOME:
                continue
            try:
                self.right.append(_recorded(name, text))
            except (Failure, Refused):
                continue

    def make(self, rng: Random) -> bytes:
        """A damaged one; of most the checksums agree."""
        data = rng.choice(self.right)
        if rng.random() < 0.1:
            return objects.damaged(rng, data)
        parts = {name: bytes(body) for name, body in sections.parted(data, RECORDING).items()}
        for _ in range(rng.choice([1, 1, 2, 4])):
            name = rng.choice([DOCUMENT, DOCUMENT, DOCUMENT, DATA, PROGRAM])
            change = objects.document if name == DOCUMENT else objects.damaged
            if parts[name]:
                parts[name] = change(rng, parts[name])
        return sections.joined(parts, RECORDING)

    def check(self, data: bytes) -> None:
        """Open it: it is refused, or it is one that is recorded as it is, and goes on."""
        try:
            session = Session.replayed(data)
        except Failure as failure:
            promises.refused(failure)
            return
        again = session.recorded()
        if Session.replayed(again).recorded() != again:
            raise Found("hash", "a recording of a replayed one is another")
        promises.report(session.run(max_cycles=promises.CYCLES), session.program, whole=True)

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """What makes it a file is the position of its bytes."""
        return iter(())


def _recorded(name: str, text: str) -> bytes:
    """A run with something done by hand in it."""
    draw = Random(name)
    session = Session(Source(name, text))
    if not promises.small(session.program):
        raise Refused("E0822", "too large")
    traveller = Traveller(session, draw)
    for n in range(6):
        (traveller.change if n % 2 else traveller.move)()
    session.mark("m")
    session.break_at("if 1 > 2", name="never")
    return session.recorded()
