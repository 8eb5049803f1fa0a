"""What where, info transfers and info semaphores show, of the toy's countdown and of programs."""

from __future__ import annotations

from pathlib import Path

import pytest

from nasm.debugger.session import Session
from nasm.show import engines as scene
from tests.parts import part
from tests.repl.conftest import Loader, Tried
from tests.tables import each

PROGRAMS = Path(__file__).parents[2] / "programs"


# ------------------------------------------------------------------ where


def test_where_shows_what_each_engine_does_and_waits_for(toy: Tried) -> None:
    # 6 ticks of 1/1500 µs: Set has completed, Count may start; Move is in dispatch for 20 ticks,
    # and each of its halves lands 26 later.
    assert toy.does("step 2", "where") == (
        "running, at 0.004 µs, cycle 2\n"
        "alpha  cycle 2, pc 1 of 4\n"
        "  next  line 11: Count %r0\n"
        "        starts now\n"
        "beta  cycle 1, pc 1 of 3\n"
        "  next  line 8: Wait  $loaded >= 2\n"
        "        waits for $loaded >= 2 (it is 0): the transfer of line 7: dispatch,\n"
        "        lands at 0.031 µs\n"
        "1 transfer in flight: it lands at 0.031 µs\n"
    )


def test_where_of_an_engine_tells_all_of_it(toy: Tried) -> None:
    assert toy.does("cycle", "where @alpha") == (
        "running, at 0.002 µs, cycle 1\n"
        "alpha  cycle 1, pc 1 of 4, 0 of its instructions completed\n"
        "  now   line 10: Set %r0, 2, until 0.004 µs\n"
        "    10 |         Set    %r0, 2\n"
        "  next  line 11: Count %r0\n"
        "        waits for %r0 of line 10, 0.002 µs more\n"
        "        starts at 0.004 µs\n"
        "    11 | again:  Count  %r0\n"
    )
    assert toy.does("run", "where beta").endswith("completed\n  nothing left to do\n")


def test_where_names_the_round_of_a_loop_and_the_values_in_it(load: Loader) -> None:
    looped = load(".target toy\n@alpha\n.for k in 0..2\nSet %r0, k + 5\n.end\n")
    assert "  next  line 4 (k = 0): Set %r0, 5\n" in looped.does("where")
    assert "         in .for k = 0, line 3\n" in looped.does("where alpha")


def test_engines_with_nothing_to_do_are_one_line(load: Loader) -> None:
    assert load(".target toy\n@alpha Set %r0, 1\n").does("where").splitlines()[-1] == (
        "no instructions: beta"
    )
    assert load(".target toy\n@alpha Set %r0, 1\n").does("run", "where") == (
        "finished at 0.004 µs, cycle 2; 'restart' starts over\ndone: alpha; no instructions: beta\n"
    )


@each("width", [40, 60, 80, 120])
@each("name", part(["matmul", "digits", "ring", "pair_softmax", "histogram"], 1))
def test_the_context_is_one_screen_at_any_width(name: str, width: int) -> None:
    session = Session(PROGRAMS / f"{name}.nasm")
    while not session.over:
        session.step(count=7)
        lines = scene.lines(session, width)
        assert len(lines) <= scene.MOST
        assert max(map(len, lines)) <= width
        engines = [e for e in session.context().engines if not e.idle]
        said = "\n".join(lines)
        assert all(e.engine in said for e in engines) or "more ('where ENGINE')" in said


def test_the_context_of_a_matmul() -> None:
    session = Session(PROGRAMS / "matmul.nasm")
    session.step(count=2)
    assert scene.lines(session, 60) == [
        "running, at 0.014 µs, cycle 20",
        "tensor  cycle 40, pc 0 of 2",
        "  next  line 17: LoadStationary a  $loaded >= 32",
        "        waits for $loaded >= 32 (it is 0): 2 transfers of",
        "        line 15 and 16, the last lands at 1.647 µs",
        "vector  cycle 16, pc 0 of 1",
        "  next  line 19: TensorCopy c, acc  $multiplied >= 1  $copi…",
        "        waits for $multiplied >= 1 (it is 0): tensor pc 1,",
        "        line 18 posts it, and tensor is at line 17",
        "sync  cycle 20, pc 2 of 4",
        "  next  line 20: DmaCopy C, c  $copied >= 1  $stored += 16",
        "        waits for $copied >= 1 (it is 0): vector pc 0, line",
        "        19 posts it, and waits itself",
        "2 transfers in flight: the first lands at 1.165 µs",
        "no instructions: scalar, gpsimd",
    ]


def test_plain_tells_it_in_sentences(toy: Tried) -> None:
    toy.does("step 2")
    assert scene.lines(toy.shell.session, plain=True)[1:4] == [
        "alpha is at its cycle 2.",
        "Its next instruction is line 11: Count %r0.",
        "It starts now.",
    ]


# ------------------------------------------------------------------ transfers


def test_a_transfer_is_seen_from_its_issue_on(toy: Tried) -> None:
    assert toy.does("step 2", "info dma") == (
        "issued by  line  phase     landed  bytes  ring  at µs  from -> to\n"
        "beta pc 0     7  dispatch     0/2     32     0  0.031  X -> x\n"
        "at: when it lands\n"
    )
    assert toy.does("until 0.02us", "info transfers").splitlines()[1].split()[4] == "moving"
    assert toy.does("run", "info transfers") == "no transfer is in flight\n"


def test_the_transfers_of_a_matmul_are_in_dispatch(load: Loader) -> None:
    session = Session(PROGRAMS / "matmul.nasm")
    session.step(count=2)
    found = session.transfers()
    assert [(t.phase, t.pc, t.landed, t.shares) for t in found] == [
        ("dispatch", 0, 0, 16),
        ("dispatch", 1, 0, 16),
    ]
    assert [(t.src, t.dst, t.bytes) for t in found] == [("A", "a", 32768), ("B", "b", 131072)]


# ------------------------------------------------------------------ words that are given


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("where foo", "no engine 'foo'"),
        ("report x", "'report' takes nothing, found 'x'"),
        ("restart now", "'restart' takes nothing, found 'now'"),
        ("info channels 3", "'info channels' takes nothing, found '3'"),
        ("info semaphores laoded", "no semaphore '$laoded'"),
    ],
)
def test_a_word_that_means_nothing_is_refused(toy: Tried, line: str, said: str) -> None:
    assert said in toy.does(line)
    assert toy.shell.code == 1


def test_the_queues(toy: Tried) -> None:
    assert toy.does("step 2", "info queues") == (
        "engine   pc  completed  in flight  state    next\n"
        "alpha   1/4          1          0  running  Count %r0\n"
        "beta    1/3          1          0  waiting  Wait  $loaded >= 2\n"
    )


def test_semaphores_registers_and_channels(toy: Tried) -> None:
    assert toy.does("step 2", "info semaphores") == (
        "semaphore  number  value  waiting\n"
        "$loaded         0      0  beta\n"
        "$done           1      0\n"
    )
    assert toy.does("info registers") == (
        "engine  register  value        bits\nalpha   %r0           2  0x00000002\n"
    )
    assert toy.does("info registers beta") == "no register was set yet\n"
    # Each half of X is 16 bytes: 16 ticks of 1,500 per µs.
    assert toy.does("run", "info channels") == (
        "channel  shares  bytes  busy µs  pending  now\n"
        "      0       1     16    0.011        0  idle\n"
        "      1       1     16    0.011        0  idle\n"
    )


# ------------------------------------------------------------------ why, who, and semaphores

WHY = {
    60: "What it waits for is in flight: the transfer of line 7:\n  dispatch, lands at 0.031 µs.\n",
    80: "What it waits for is in flight: the transfer of line 7: dispatch, lands at 0.031\n  µs.\n",
    120: "What it waits for is in flight: the transfer of line 7: dispatch, lands at 0.031 µs.\n",
}


@pytest.mark.parametrize("width", [60, 80, 120])
def test_why_an_engine_waits(toy: Tried, width: int) -> None:
    toy.shell.settings.width = width
    first = "beta pc 1, line 8, waits for $loaded >= 2 (it is 0).\n"
    assert toy.does("step 2", "why @beta") == first + WHY[width]


def test_why_a_deadlock_is_one(load: Loader) -> None:
    text = ".target toy\n.sem go, ready\n@beta Wait $go++\n@beta Wait $ready >= 1\n"
    dead = load(text + "@alpha Wait $go >= 2 $ready++\n")
    assert dead.does("run", "why beta") == (
        "beta pc 1, line 4, waits for $ready >= 1 (it is 0): alpha pc 0, line 5 would\n"
        "  post it.\n"
        "alpha pc 0, line 5, waits for $go >= 2 (it is 1).\n"
        "That will never be: every update of it has been made.\n"
        "hint: there are fewer updates than the wait expects: count them\n"
    )


@pytest.mark.parametrize("width", [60, 80, 120])
def test_who_uses_a_tensor_a_semaphore_or_a_register(toy: Tried, width: int) -> None:
    toy.shell.settings.width = width
    assert toy.does("step 2", "who x[0:2]") == (
        "engine  does    line  pc  of  done  instruction\n"
        "beta    writes     7   0   1     1  Move x, X  $loaded += 2\n"
        "beta    reads     14   2   1     0  Add y, x, x  $done >= 1\n"
    )
    cut = "Move x, X  $loaded …" if width == 60 else "Move x, X  $loaded += 2"
    assert toy.does("who $loaded") == (
        "engine  does        line  pc  of  done  instruction\n"
        f"beta    posts += 2     7   0   1     1  {cut}\n"
        "beta    waits >= 2     8   1   1     0  Wait  $loaded >= 2\n"
    )
    assert toy.does("who alpha %r0") == (
        "engine  does    line  pc    of  done  instruction\n"
        "alpha   writes    10   0     1     1  Set %r0, 2\n"
        "alpha   reads     11   1  loop     0  Count %r0\n"
        "alpha   writes    11   1  loop     0  Count %r0\n"
        "alpha   reads     12   2  loop     0  Loop %r0, target=again\n"
    )
    assert toy.does("who beta %r0") == "nothing in the program uses beta %r0\n"


@pytest.mark.parametrize("width", [60, 80, 120])
def test_all_of_a_semaphore(toy: Tried, width: int) -> None:
    # the transfer lands at tick 46, and waiters see that at 50: 0.033 µs
    toy.shell.settings.width = width
    assert toy.does("step 2", "info semaphores loaded") == (
        "$loaded = 0, semaphore 0\n"
        "  beta pc 1, line 8 waits for >= 2, until 0.033 µs\n"
        "  transfers in flight will add 2\n"
        "posted by          each  done  to come\n"
        "beta pc 0, line 7  += 2     1        0\n"
    )
    assert toy.does("run", "info semaphores $loaded").splitlines()[-1] == (
        "   0.031      2  beta pc 0, line 7, landing"
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("why", "why what?"),
        ("why gamma", "gamma"),
        ("who", "who uses what?"),
        ("who $lodaed", "did you mean '$loaded'?"),
        ("who gamma %r0", "no engine 'gamma'"),
        ("who zzz", "zzz"),
        ("who x[9]", "error["),
        ("who %r99999999", "nothing in the program uses"),
    ],
)
def test_what_cannot_be_asked_is_refused(toy: Tried, line: str, said: str) -> None:
    assert said in toy.does(line)


def test_what_was_typed_and_is_done_posts_nothing_more(toy: Tried) -> None:
    toy.does("step 2", "@alpha Wait $loaded += 5")
    assert "alpha" not in toy.does("where beta").replace("of line 7", "")
    said = toy.does("info semaphores loaded").splitlines()
    assert said[0] == "$loaded = 5, semaphore 0"
    assert [line.split()[-1] for line in said if line.startswith(("alpha pc", "beta pc"))] == [
        "0",
        "0",
    ]


# ------------------------------------------------------------------ waits


def test_waits_lists_what_could_be_otherwise_of_the_whole_program(toy: Tried) -> None:
    assert toy.does("waits") == (
        "waits: 1 change would do: 0.000 µs less of 0.053 µs\n"
        "  line 14: @beta Add need not wait for $done >= 1\n"
        "semaphores: 2; none is over before another one begins\n"
    )
