"""What needs an interlock: against a walk through every state of small programs."""

from __future__ import annotations

import random
from pathlib import Path
from typing import NamedTuple

import pytest

import nasm
from nasm.runs.check import Reliance
from tests.parts import part

ROOT = Path(__file__).parents[2]

HEAD = """\
.target trn2
.hbm   X  f32[128, 8]  input = iota
.sbuf  w  f32[128, 8]
.sbuf  x  f32[128, 8]
.sbuf  y  f32[128, 8]
.sbuf  z  f32[128, 8]
.sem   a, b, c
"""

ENGINES = ("vector", "scalar", "gpsimd")


class Line(NamedTuple):
    """An instruction of a random program: what it reads, writes, waits for and posts."""

    engine: str
    reads: str
    writes: str
    wait: tuple[str, int] | None
    post: tuple[str, int, bool] | None
    transfer: bool = False

    def __str__(self) -> str:
        wait = f" ${self.wait[0]} >= {self.wait[1]}" if self.wait else ""
        if self.transfer:
            assert self.post is not None
            return f"@{self.engine} DmaCopy {self.writes}, X{wait} ${self.post[0]} += 16"
        post = ""
        if self.post:
            name, value, at_read = self.post
            post = f" ${name} += {value}{'@read' if at_read else ''}"
        return f"@{self.engine} TensorCopy {self.writes}, {self.reads or 'w'}{wait}{post}"


def drawn(seed: int) -> list[Line]:
    """A random program; what it waits for may never come."""
    rng = random.Random(seed)
    lines = []
    for _ in range(rng.randint(3, 9)):
        wait = (rng.choice("abc"), rng.choice((1, 1, 2, 3, 16))) if rng.random() < 0.3 else None
        transfer = rng.random() < 0.15
        post = (rng.choice("abc"), rng.randint(1, 2), rng.random() < 0.3)
        reads, writes = rng.sample("xyz", 2)
        lines.append(
            Line(
                rng.choice(ENGINES),
                "" if transfer or rng.random() < 0.3 else reads,
                writes,
                wait,
                post if transfer or rng.random() < 0.6 else None,
                transfer,
            )
        )
    return lines


def walked(queues: dict[str, list[Line]]) -> set[tuple[str, int, int]]:
    """(engine, i, j): instruction j of a queue starts in some execution before i has completed.

    A state is how many instructions of each queue have started and completed, and which transfers
    have landed; every state that any execution comes through is visited.
    """
    names = list(queues)
    first = tuple((0, 0, 0) for _ in names)
    seen, waiting, found = {first}, [first], set()
    while waiting:
        state = waiting.pop()
        values = dict.fromkeys("abc", 0)
        for name, (started, completed, landed) in zip(names, state, strict=True):
            for n, line in enumerate(queues[name]):
                if line.post is None:
                    continue
                what, value, at_read = line.post
                if line.transfer:
                    values[what] += 16 * (landed >> n & 1)
                elif n < (started if at_read else completed):
                    values[what] += value
            found |= {
                (name, i, j) for i in range(completed, started) for j in range(i + 1, started)
            }
        for at, name in enumerate(names):
            started, completed, landed = state[at]
            after = []
            if started < len(queues[name]):
                wait = queues[name][started].wait
                if wait is None or values[wait[0]] >= wait[1]:
                    after.append((started + 1, completed, landed))
            if completed < started:
                after.append((started, completed + 1, landed))
            for n in range(started):
                if queues[name][n].transfer and not landed >> n & 1:
                    after.append((started, completed, landed | 1 << n))
            for one in after:
                reached = (*state[:at], one, *state[at + 1 :])
                if reached not in seen:
                    seen.add(reached)
                    waiting.append(reached)
    return found


def behind(lines: list[Line]) -> set[tuple[int, int]]:
    """Every (reader, writer) of one queue, in order or not."""
    found = set()
    for j, line in enumerate(lines):
        for i in range(j):
            one = lines[i]
            if one.engine == line.engine and one.writes == line.reads and not one.transfer:
                found.add((j, i))
    return found


def wanted(lines: list[Line]) -> set[tuple[int, int]]:
    """The (reader, writer) by line that nothing orders, of those that next to each other matter."""
    queues: dict[str, list[Line]] = {}
    numbers: dict[str, list[int]] = {}
    for number, line in enumerate(lines):
        queues.setdefault(line.engine, []).append(line)
        numbers.setdefault(line.engine, []).append(number)
    apart, found = walked(queues), set()
    for name, log in queues.items():
        for j, line in enumerate(log):
            writers = [i for i in range(j) if log[i].writes == line.reads and not log[i].transfer]
            if line.reads and writers and (name, writers[-1], j) in apart:
                found.add((numbers[name][j], numbers[name][writers[-1]]))
    return found


def relied(text: str) -> tuple[Reliance, ...] | None:
    return nasm.check(text, relaxed=True).relied


@pytest.mark.parametrize("batch", part(range(10), 1))
def test_the_list_is_that_of_a_walk_through_every_state(batch: int) -> None:
    apart = together = 0
    for seed in range(batch * 40, batch * 40 + 40):
        lines = drawn(seed)
        text = HEAD + "\n".join(map(str, lines)) + "\n"
        found = relied(text)
        assert found is not None
        head = HEAD.count("\n") + 1
        pairs = {
            (one.reader.span.line - head, one.writer.span.line - head)
            for one in found
            if one.reader.span and one.writer.span
        }
        assert pairs == wanted(lines), f"seed {seed}\n{text}"
        apart, together = apart + len(pairs), together + len(behind(lines) - pairs)
    assert apart > 5
    assert together > 5


# -- what a list tells


def test_a_wait_for_the_own_completion_orders() -> None:
    text = HEAD + "@vector Memset x, 1.0 $a++\n@vector TensorCopy y, x{}\n"
    (one,) = relied(text.format("")) or ()
    assert (one.queue, one.reader.name, one.writer.name, one.what) == (
        "vector", "TensorCopy", "Memset", "x",
    )  # fmt: skip
    assert relied(text.format(" $a >= 1")) == ()


def test_a_wait_for_another_that_came_after_it_orders_and_one_that_did_not_does_not() -> None:
    text = (
        HEAD + "@vector Memset x, 1.0 $a++\n@scalar Nop{} $b++\n@vector TensorCopy y, x $b >= 1\n"
    )
    assert relied(text.format(" $a >= 1")) == ()
    assert len(relied(text.format("")) or ()) == 1


def test_a_post_at_read_orders_nothing_that_is_written() -> None:
    text = HEAD + "@vector Memset x, 1.0 $a++@read\n@vector TensorCopy y, x $a >= 1\n"
    assert len(relied(text) or ()) == 1


def test_only_the_last_writer_counts_and_rounds_are_counted() -> None:
    text = HEAD + ".for k in 0..3\n@vector Memset x, 1.0\n@vector TensorCopy y, x\n.end\n"
    (one,) = relied(text) or ()
    assert (one.count, one.of) == (3, 3)


def test_registers_are_results_too() -> None:
    text = HEAD + "@sync\n RegisterMove %r0, 1\n RegisterAlu %r1, %r0, 1, op=add\n"
    assert [one.what for one in relied(text) or ()] == ["%r0"]


def test_an_address_is_a_read_of_its_register() -> None:
    text = HEAD + "@vector\n RegisterMove %r0, 1\n Memset x[:, %r0 : +2], 0.0\n"
    assert [one.what for one in relied(text) or ()] == ["%r0"]


def test_a_transfer_is_no_part_of_the_interlock() -> None:
    text = HEAD + "@gpsimd Memset x, 1.0\n@gpsimd DmaCopy X, x $a += 16\n@sync Nop $a >= 16\n"
    assert relied(text.replace("input = iota", "output")) == ()


@pytest.mark.parametrize("down", ["Nop $b -= 1", "Nop $b = 2", "EventSemaphoreRangeClear 0, 1"])
def test_counters_that_do_not_only_go_up_do_not_keep_it_from_being_reported(down: str) -> None:
    text = HEAD + f"@vector Memset x, 1.0 $a++\n@vector TensorCopy y, x{{}}\n@sync {down}\n"
    assert len(relied(text.format("")) or ()) == 1


def test_an_event_that_is_set_before_its_clear_orders() -> None:
    text = HEAD + ".event e\n@vector Memset x, 1.0 $e = 1\n@vector TensorCopy y, x $e == 1\n"
    assert relied(text) == ()
    assert relied(text + "@vector Nop $e = 0\n") == ()


def test_a_meeting_orders_what_the_other_core_has_waited_for_before_it() -> None:
    text = """\
.target trn2
.hbm   S  f32[1]
.core  1
.sem   done
.core  0
.sbuf  x  f32[128, 8]
.sbuf  y  f32[128, 8]
@vector Memset       x, 1.0            $done++
@vector CoreBarrier  S
@vector TensorCopy   y, x
.core  1
@vector CoreBarrier  S      $done >= 1
"""
    assert relied(text) == ()
    assert len(relied(text.replace("$done >= 1", "$done >= 0")) or ()) == 1


def test_real_programs_rely_on_what_they_say() -> None:
    """In the softmax only Vector's two instructions on one row sum follow each other."""
    (one,) = relied((ROOT / "programs" / "softmax.nasm").read_text("utf-8")) or ()
    assert one.reader.span is not None
    assert one.what in one.reader.span.text


def test_a_machine_without_an_interlock_is_listed_and_not_failed() -> None:
    big = "".join(f".sbuf {name} f32[128, 512]\n" for name in ("p", "q"))
    text = HEAD + big + "@vector Memset p, 1.0\n@vector TensorCopy q, p\n"
    found = nasm.check(text, options={"ordering": "relaxed"})
    assert found.ok
    assert len(found.relied or ()) == 1
    assert not nasm.run(text, options={"ordering": "relaxed"}).ok


def test_it_is_asked_for_alone() -> None:
    assert nasm.check(HEAD).relied is None
