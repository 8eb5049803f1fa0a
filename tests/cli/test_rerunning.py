"""The verb run with --schedules and --witness."""

from __future__ import annotations

import io
import os
import re
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from nasm.debugger.session import Session
from nasm.runs.schedules import random
from tests.cli.programs import ENDLESS, HALVES, written
from tests.schedules.programs import FIVE, HEAD
from tests.show.test_jsonable import documented, keys

LUCKY = HEAD + FIVE["right by luck of time"]
COUNTS = ".target trn2\n.sem s, t\n@vector Nop $s++\n@gpsimd Nop $s = 5\n"
OVERRUN = COUNTS + "@sync EventSemaphore $s == 5\n"


@pytest.fixture
def lucky(tmp_path: Path) -> Path:
    return written(tmp_path, LUCKY)


def test_schedules_that_lead_to_the_same_are_counted(ran: Any, halves: Path) -> None:
    said = ran("run", halves, "--schedules", "6", "--seed", "9")
    assert said.code == 0
    assert "\n6 schedules lead to the same (seeds 9 to 14)\n\nPASS: " in said.out


def test_schedules_that_do_not_fail_the_program_and_the_first_is_reported(
    ran: Any, lucky: Path
) -> None:
    said = ran("run", lucky, "--schedules", "30")
    assert said.code == 1
    count, seed = re.search(
        r"\n(\d+) of 30 schedules lead to something else \(seeds 1 to 30\)\n"
        r"  \1 with other values, the first with seed (\d+): Y\[0, 0\] would be nan instead of 1; "
        r"8,192 of 8,192 elements differ\n\n"
        r"FAIL: 1 hazard, \1 of 30 schedules lead to something else\n$",
        said.out,
    ).groups()  # type: ignore[union-attr]
    again = ran("run", lucky, "--schedules", "1", "--seed", seed)
    assert again.code == 1
    assert f"(seed {seed})\n  1 with other values" in again.out
    assert int(count) > 1


def test_quiet_prints_what_differs_and_nothing_else(ran: Any, lucky: Path, halves: Path) -> None:
    said = ran("run", lucky, "--schedules", "30", "-q")
    assert said.code == 1
    assert said.out.count("lead to something else") == 2
    assert "engine" not in said.out
    said = ran("run", halves, "--schedules", "3", "-q")
    assert (said.code, said.out, said.err) == (0, "", "")


def test_the_document_has_the_keys_of_the_page(ran: Any, lucky: Path, tmp_path: Path) -> None:
    values = ran("run", lucky, "--schedules", "8", "--witness", "--json").document
    overrun = ran("run", written(tmp_path, OVERRUN), "--schedules", "40", "--json").document
    inner = re.compile(r"(\.tensors|\.problem|^witnesses\[\]\.semaphores)\b.*")
    found = {
        inner.sub(r"\1", key)
        for document in (values, overrun)
        for name in ("schedules", "witnesses")
        for key in keys({name: document[name]}, documented("Other timings"))
    }
    # what is empty in one document is filled in the other
    empty = {"schedules.others[].semaphores", "witnesses"}
    assert found - empty == {inner.sub(r"\1", key) for key in documented("Other timings")}
    assert values["ok"] is False
    assert values["schedules"]["differing"] == len(values["schedules"]["others"])
    assert {o["status"] for o in overrun["schedules"]["others"]} >= {"deadlock"}
    (witness,) = values["witnesses"]
    assert (witness["hazard"], witness["shows"]) == (0, True)
    assert witness["held"]["what"] == "completion"
    assert witness["tensors"][0]["first"] == {"index": [0, 0], "a": 1, "b": "nan"}


def test_without_the_options_the_document_says_that_nothing_was_run_again(
    ran: Any, halves: Path
) -> None:
    document = ran("run", halves, "--json").document
    assert (document["schedules"], document["witnesses"]) == (None, [])


def test_a_witness_is_reported_with_its_race(ran: Any, lucky: Path) -> None:
    said = ran("run", lucky, "--witness")
    assert said.code == 1
    assert (
        "\n  note: with the completion of gpsimd pc 0 (Memset of line 12) delayed until nothing "
        "else can happen: Y[0, 0] would be nan instead of 1; 8,192 of 8,192 elements differ; also "
        "u\n"
    ) in said.out
    assert "delayed" not in ran("run", lucky).out


def test_a_race_that_is_allowed_has_a_witness_in_the_document_alone(ran: Any, lucky: Path) -> None:
    said = ran("run", lucky, "--witness", "--allow", "E0502", "--json")
    (witness,) = said.document["witnesses"]
    assert (said.code, witness["hazard"], witness["shows"]) == (0, None, True)


def test_a_run_that_does_not_come_to_its_end_is_not_run_again(ran: Any, tmp_path: Path) -> None:
    said = ran("run", written(tmp_path, ENDLESS), "--max-cycles", "900", "--schedules", "5")
    assert said.code == 1
    assert "it is not run again: it did not end by itself" in said.out


def test_reported_to_stop_there_are_as_many_schedules_as_there_were(
    ran: Any, halves: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = random.each

    def stopping(session: Session, count: int, seed: int) -> Any:
        yield from each(session, 2, seed)
        raise KeyboardInterrupt

    monkeypatch.setattr(random, "each", stopping)
    said = ran("run", halves, "--schedules", "9")
    assert said.code == 130
    assert "2 schedules lead to the same (seeds 1 to 2)" in said.out
    assert "interrupted" in said.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--seed", "3"), "--seed says which timings --schedules begins with: give that, too"),
        (("--schedules", "0"), "'0' is not a positive whole number"),
        (("--schedules", "2", "--seed", "-1"), "'-1' is not a whole number from 0 on"),
        (("--witness", "--no-values"), "--witness does not go with --no-values"),
        (("--witness", "--unchecked"), "--witness does not go with --unchecked"),
    ],
)
def test_what_means_nothing_is_refused(
    ran: Any, halves: Path, words: tuple[str, ...], said: str
) -> None:
    found = ran("run", halves, *words)
    assert found.code == 2
    assert said in found.err


def test_inputs_from_a_pipe_are_read_once(ran: Any, tmp_path: Path) -> None:
    path, pipe = written(tmp_path, HALVES.replace("input  = iota", "input")), tmp_path / "x.npy"
    os.mkfifo(pipe)

    array = io.BytesIO()
    np.save(array, np.zeros((128, 4), np.uint16))
    feeder = threading.Thread(target=pipe.write_bytes, args=(array.getvalue(),))
    feeder.start()
    said = ran("run", path, "--in", f"X={pipe}", "--schedules", "2")
    feeder.join()
    assert said.code == 0
