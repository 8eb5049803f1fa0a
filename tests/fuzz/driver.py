"""Runs a fuzzer: inputs by number, in processes that may crash, and findings sorted by cause."""

from __future__ import annotations

import multiprocessing
import os
import resource
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from random import Random
from typing import Any, Protocol

from tests.fuzz.finding import Finding, watched

STUCK = 60.0
"""Seconds after which a process that shows no progress is killed: its alarm did not get through."""

KEPT = 3
"""Inputs that are saved of each finding."""

PATIENCE = 20.0
"""Seconds to look for a smaller input that shows the same."""


class Fuzzer(Protocol):
    """A kind of input.

    ``each`` is how many units one input counts for, ``memory`` how many bytes a process may have
    beyond those it has at its start, ``seconds`` the CPU time that one input may take.
    """

    name: str
    suffix: str
    each: int
    memory: int
    seconds: float

    def make(self, rng: Random) -> bytes:
        """An input: the same from the same numbers."""

    def check(self, data: bytes) -> None:
        """Try an input; raises what is wrong."""

    def cuts(self, data: bytes) -> Iterator[list[bytes]]:
        """An input in pieces, coarse ones first: a smaller one lacks some of them."""


Maker = Callable[[], Fuzzer]


def numbered(fuzzer: Fuzzer, seed: int, number: int) -> bytes:
    """The input of a number, in whichever process."""
    return fuzzer.make(Random(f"{fuzzer.name} {seed} {number}"))


def tried(fuzzer: Fuzzer, data: bytes) -> Finding | None:
    """What is found with an input."""
    return watched(fuzzer.check, data, fuzzer.seconds)


def smaller(fuzzer: Fuzzer, data: bytes, finding: Finding) -> bytes:
    """An input that shows the same finding, of as few pieces as are found in some seconds."""
    if finding.kind in ("hang", "memory", "crash"):
        return data
    until = time.monotonic() + PATIENCE

    def same(pieces: list[bytes]) -> bool:
        found = tried(fuzzer, b"".join(pieces))
        return found is not None and found.digest == finding.digest

    for level in range(sum(1 for _ in fuzzer.cuts(data))):
        pieces = list(fuzzer.cuts(data))[level]
        size = len(pieces) // 2
        while size and time.monotonic() < until:
            at = 0
            while at < len(pieces) and time.monotonic() < until:
                fewer = pieces[:at] + pieces[at + size :]
                if same(fewer):
                    pieces = fewer
                else:
                    at += size
            size //= 2
        data = b"".join(pieces)
    return data


# -- a process


def work(maker: Maker, seed: int, numbers: range, at: Any, told: Connection) -> None:
    """Try the inputs of some numbers; tell every finding, and None at the end."""
    fuzzer = maker()
    _bound(fuzzer.memory)
    seen: set[str] = set()
    for number in numbers:
        at.value = number
        data = numbered(fuzzer, seed, number)
        finding = tried(fuzzer, data)
        if finding is None:
            continue
        if finding.digest not in seen:
            seen.add(finding.digest)
            data = smaller(fuzzer, data, finding)
        told.send((number, finding, data))
    told.send(None)


def _bound(more: int) -> None:
    """Let this process have so many bytes more, where the system can say what it has."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except OSError:
        return
    most = pages * os.sysconf("SC_PAGE_SIZE") + more
    resource.setrlimit(resource.RLIMIT_AS, (most, resource.getrlimit(resource.RLIMIT_AS)[1]))


class _Job:
    """A process, and what is known of it."""

    def __init__(self, start: Callable[[range, Any, Connection], Any], numbers: range) -> None:
        context = multiprocessing.get_context("spawn")
        self.numbers = numbers
        self.at = context.Value("q", -1, lock=False)
        self.told, other = context.Pipe(duplex=False)
        self.process = start(numbers, self.at, other)
        self.process.start()
        other.close()
        self.last, self.since = -1, time.monotonic()

    def stuck(self) -> bool:
        """Whether nothing has moved for long."""
        if self.at.value != self.last:
            self.last, self.since = self.at.value, time.monotonic()
        return time.monotonic() - self.since > STUCK + PATIENCE

    def done(self) -> int:
        """How many inputs it has tried."""
        return 0 if self.at.value < 0 else self.numbers.index(self.at.value)

    def left(self) -> range:
        """The numbers behind the one it was at; all of them if it has not begun."""
        return self.numbers[self.done() + 1 :] if self.at.value >= 0 else self.numbers[:0]


# -- all of them


@dataclass
class Findings:
    """Findings by cause, their inputs in a folder."""

    folder: Path
    suffix: str
    counts: dict[Finding, int] = field(default_factory=dict)

    def add(self, number: int, finding: Finding, data: bytes) -> bool:
        """Count a finding, and keep the first inputs of its cause; True if it is a new one."""
        first = next((f for f in self.counts if f.digest == finding.digest), finding)
        count = self.counts[first] = self.counts.get(first, 0) + 1
        if count <= KEPT:
            self.folder.mkdir(parents=True, exist_ok=True)
            stem = f"{finding.kind}-{finding.digest}-{number}"
            (self.folder / f"{stem}{self.suffix}").write_bytes(data)
            (self.folder / f"{stem}.txt").write_text(
                f"{finding}\n\n{finding.details}\n", encoding="utf-8", errors="backslashreplace"
            )
        return count == 1


def run(
    maker: Maker, count: int, seed: int, jobs: int, folder: Path, say: Callable[[str], None]
) -> Findings:
    """Try ``count`` units' worth of inputs in some processes."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # CPU time is to be one thread's
    fuzzer = maker()
    cases = -(-count // fuzzer.each)
    findings = Findings(folder, fuzzer.suffix)

    def add(number: int, finding: Finding, data: bytes) -> None:
        if findings.add(number, finding, data):
            say(f"input {number:,}: {finding}")

    def start(numbers: range, at: Any, told: Connection) -> Any:
        context = multiprocessing.get_context("spawn")
        return context.Process(target=work, args=(maker, seed, numbers, at, told), daemon=True)

    running = [_Job(start, range(n, cases, jobs)) for n in range(min(jobs, cases))]
    finished, began, spoken = 0, time.monotonic(), time.monotonic()
    while running:
        ready = wait([job.told for job in running], timeout=0.5)
        for job in list(running):
            verdict = _heard(job, job.told in ready, add)
            if verdict == "":
                continue
            running.remove(job)
            if verdict == "done":
                finished += len(job.numbers)
                continue
            finished += job.done() + 1
            if job.at.value < 0:
                raise RuntimeError("a process did not start")
            kind = "hang" if verdict.startswith("killed") else "crash"
            data = numbered(fuzzer, seed, job.at.value)
            add(job.at.value, Finding(kind, verdict, ""), data)
            if job.left():
                running.append(_Job(start, job.left()))
        if time.monotonic() - spoken >= 10 or not running:
            spoken = time.monotonic()
            tried = (finished + sum(job.done() for job in running)) * fuzzer.each
            rate = tried / max(spoken - began, 1e-9)
            so_far = (
                f"{tried:,} of {count:,}, {rate:,.0f}/s, {len(findings.counts)} found, seed {seed}"
            )
            say(f"{fuzzer.name}: {so_far}")
    return findings


def _heard(job: _Job, ready: bool, add: Callable[[int, Finding, bytes], None]) -> str:
    """Take what a process tells: empty while it works, ``done``, or how it came to its end."""
    if ready:
        try:
            told = job.told.recv()
        except EOFError:
            job.process.join()
            return f"exit code {job.process.exitcode}"
        if told is None:
            job.process.join()
            return "done"
        add(*told)
    if job.stuck():
        job.process.kill()
        job.process.join()
        return f"killed after {STUCK:.0f} s"
    return ""


def replay(maker: Maker, data: bytes) -> Finding | None:
    """Try one input in this process."""
    return tried(maker(), data)


def main_say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()
