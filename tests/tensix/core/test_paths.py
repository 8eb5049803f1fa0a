"""The critical path of programs whose threads wait for each other: it goes to who ended a wait."""

from __future__ import annotations

from itertools import groupby
from pathlib import Path

from nasm.analysis.profile.path import PathStep, critical_path
from nasm.base.source import Source
from nasm.base.source_files import source_of
from nasm.debugger.session import Session
from nasm.sim.history import History

FOLDER = Path(__file__).parents[3] / "programs" / "tensix"


def walked(source: Source) -> tuple[Session, tuple[PathStep, ...]]:
    """A program that has run, and its critical path."""
    session, history = Session.load(source), History()
    session.machine.scheduler.observe(history)
    session.run()
    return session, critical_path(history)


def steps(text: str) -> list[tuple[int, int, str, int, int]]:
    """Queue, pc and edge of each step, with the cycles where it begins and ends."""
    _, found = walked(Source("x.nasm", f".target wormhole\n{text}\n"))
    return [(s.queue, s.pc, s.edge, s.begin, s.end) for s in found]


def mnemonics(name: str) -> list[tuple[str, str]]:
    """Thread and mnemonic of the steps of a program of the folder, each once if repeated."""
    session, found = walked(source_of(FOLDER / name))
    program = session.program
    named = [(f"t{s.queue}", program.instruction(s.queue, s.pc).row.name) for s in found]
    return [one for one, _ in groupby(named)]


def test_a_wait_for_a_semaphore_leads_to_the_post() -> None:
    # The post of cycle 3 is there at 4, and the gate needs a cycle more. The other one, of cycle 4,
    # is there when SEMGET starts, and has nothing to do with it.
    posts = "@t0\nNOP\nNOP\nNOP\nSEMPOST SemaphoreMask=1\nSEMPOST SemaphoreMask=2"
    wait = "@t1\nSEMWAIT BlockMask=2, SemaphoreMask=1, ConditionMask=1\nSEMGET SemaphoreMask=1"
    assert steps(f"{posts}\n{wait}") == [
        (0, 0, "", 0, 0),
        (0, 1, "order", 0, 1),
        (0, 2, "order", 1, 2),
        (0, 3, "order", 2, 4),
        (1, 1, "semwait", 4, 6),
    ]


def test_a_wait_for_a_mutex_leads_to_its_release() -> None:
    # The release of cycle 4 is there at 5, when t1 gets the mutex.
    held = "@t0\nATGETM Index=2\nNOP\nNOP\nNOP\nATRELM Index=2"
    found = steps(f"{held}\n@t1\nNOP\nATGETM Index=2")
    assert [step[:4] for step in found[-2:]] == [(0, 4, "order", 3), (1, 1, "mutex", 5)]


def test_from_packers_to_unpackers_the_path_goes_through_what_was_passed() -> None:
    assert mnemonics("matmul.nasm") == [
        ("t0", "SETADCXX"),
        ("t0", "UNPACR"),
        ("t1", "MVMUL"),
        ("t1", "REPLAY"),
        ("t1", "SETRWC"),
        ("t1", "SEMPOST"),
        ("t2", "PACR"),
    ]


def test_the_path_of_a_token_goes_round_with_it() -> None:
    # First the SEMWAITs of all three have the sync unit, one after the other; then come 8 rounds.
    threads = [thread for thread, _ in mnemonics("ring.nasm")]
    assert [one for one, _ in groupby(threads)] == ["t0", "t1", "t2"] * 9
