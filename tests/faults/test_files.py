"""Every call of the file system fails once, in every verb."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from pathlib import Path

import pytest

from nasm.apps.cli.verb import verbs
from tests.faults.calls import CALLS, Call
from tests.faults.injecting import ERRORS, HARMLESS, Bench, Failing

SOME = 4
"""How many faults of each verb are in the suite; all of them are in ``make test-all``."""


SERVERS = {"lsp", "dap", "play"}
"""They serve until they are ended: tests/fuzz/wire.py, tests/dap and tests/play talk to them."""


def test_every_verb_is_called() -> None:
    assert {call.words[0] for call in CALLS} == set(verbs()) - SERVERS


def faults(bench: Bench) -> Iterator[tuple[int, int]]:
    """The number of a call, and what it fails with."""
    for number, (what, _) in enumerate(bench.clean.calls):
        for error in ERRORS.get(what, (errno.EIO,)):
            yield number, error


def failed(bench: Bench, number: int, error: int) -> None:
    """One call of the system fails."""
    what, path = bench.clean.calls[number]
    ended = bench.ended(Failing(number, error))
    try:
        bench.answered(ended, spoken=Path(path).name not in HARMLESS)
        bench.whole(ended, may_stay=what == "unlink")  # that cannot be mended
    except (AssertionError, ValueError) as wrong:
        said = f"{what} {path} (call {number}) failed with {errno.errorcode[error]}"
        raise AssertionError(f"{said}: {wrong}\n{ended.out}{ended.err}") from None


@pytest.fixture(params=CALLS, ids=lambda call: call.name)
def bench(request: pytest.FixtureRequest, tmp_path: Path) -> Bench:
    call: Call = request.param
    made = Bench(call, tmp_path)
    assert made.clean.code == call.code, made.clean.out + made.clean.err
    return made


@pytest.mark.turns(4)
def test_some_calls_of_the_system_fail(bench: Bench) -> None:
    every = list(faults(bench))
    for number, error in every[:: max(1, len(every) // SOME)]:
        failed(bench, number, error)


@pytest.mark.thorough
def test_every_call_of_the_system_fails_once(bench: Bench) -> None:
    for number, error in faults(bench):
        failed(bench, number, error)
