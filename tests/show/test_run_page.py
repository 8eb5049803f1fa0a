"""The page of a run shows what its history and its profile have; what a program says is text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ElementTree
import zlib
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.base.page import RunPage
from nasm.base.source import Source
from nasm.runs.execution import Execution
from nasm.show.run_page import document, number_tables, slices
from nasm.show.run_page.columns import packed
from nasm.show.run_page.page import page_of
from nasm.show.run_page.record import RunRecord, record
from nasm.show.run_page.scale import label, ticks
from nasm.show.run_page.thinning import thinned
from nasm.sim.history import INSTRUCTION, SHARES
from nasm.targets.tensix.causes import CAUSES

ROOT = Path(__file__).parents[2]
TILED = ROOT / "programs" / "matmul_tiled.nasm"

SMALL = {"K": 128}
"""Constants with which a run of it takes less."""

STUCK = """\
.target trn2
.sbuf a f32[128, 64]
.sem s
@vector Memset a, 1.0 $s++
@vector Memset a, 2.0 $s >= 5
"""

HOSTILE = """\
.target trn2
.sbuf a f32[128, 64]
; <script>alert("1")</script> </table> &amp;
@vector Memset a, 1.0 ; <img src="https://example.org/x" onerror=alert(2)>
"""

LARGEST = 400 * 1024
"""Bytes that script and style of a page have at the most."""


def run_of(program: Any, **more: Any) -> Execution:
    run = Execution(program, profile=True, **more)
    run.run(hashes=False)
    return run


def record_of(run: Execution, **more: Any) -> RunRecord:
    return record(run.results, run.profile(), **more)


@pytest.fixture(scope="module")
def tiled() -> tuple[Execution, RunRecord]:
    run = run_of(TILED, defines=SMALL)
    return run, record_of(run)


@pytest.fixture(scope="module")
def page(tiled: tuple[Execution, RunRecord]) -> RunPage:
    run, _ = tiled
    return page_of([("", run.results, run.profile())])


def unpacked(text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """What the script of a page reads: its JSON and its columns."""
    data = zlib.decompress(base64.b64decode(text))
    length = int.from_bytes(data[:4], "little")
    head, at, columns = json.loads(data[4 : 4 + length]), 4 + length, {}
    for name, kind, count in head["columns"]:
        column = np.frombuffer(data, f"<{kind}", count, at)
        columns[name], at = column, at + -(-column.nbytes // 8) * 8
    return head, columns


def data_of(page: RunPage) -> tuple[dict[str, Any], dict[str, Any]]:
    found = re.search(r'id="data">([^<]*)<', page.html)
    assert found is not None
    return unpacked(found[1])


# -- slices


def test_every_cause_of_tensix_has_words() -> None:
    folder = ROOT / "nasm" / "targets" / "tensix"
    texts = [path.read_text(encoding="utf-8") for path in folder.rglob("*.py")]
    found = {cause for text in texts for cause in re.findall(r'Blocked\(\s*"([^"]+)"', text)}
    found |= {cause for text in texts for cause in re.findall(r'cause, on = "(\w+)"', text)}
    assert {"cfg", "mutex", "stallwait"} <= found
    assert found - {"unit"} <= set(CAUSES)


def test_every_record_of_a_queue_and_every_transfer_is_a_slice(
    tiled: tuple[Execution, RunRecord],
) -> None:
    run, found = tiled
    history, made = run.results.profiled().history, found.chart.slices
    kind = history.column("kind")
    started = made.what == slices.STARTED
    assert sorted(made.record[started]) == np.flatnonzero(kind == INSTRUCTION).tolist()
    transfers = {
        (r.issuer, r.queue) for r in map(history.__getitem__, np.flatnonzero(kind == SHARES))
    }
    moved = made.what == slices.MOVED
    assert moved.sum() == len(transfers)
    assert made.size[moved].sum() == history.column("bytes").sum()


def test_slices_and_waits_of_a_lane_add_up_to_what_the_profile_has(
    tiled: tuple[Execution, RunRecord],
) -> None:
    _, found = tiled
    made, lanes = found.chart.slices, found.chart.lanes
    for engine in found.profile.engines:
        mine = made.lane == [lane.name for lane in lanes].index(engine.name)
        waits = made.wait[mine].sum()
        assert waits == sum(stall.ticks for stall in engine.stalls), engine.name


def test_what_ended_a_wait_is_the_slice_that_posted(tiled: tuple[Execution, RunRecord]) -> None:
    run, found = tiled
    history, made = run.results.profiled().history, found.chart.slices
    cause = history.causes.index("semaphore")
    waited = [n for n, r in enumerate(made.record.tolist()) if r >= 0 and history[r].cause == cause]
    assert waited
    for n in waited:
        because = history[made.record[n]].because
        lane = found.chart.lanes[made.lane[made.because[n]]]
        assert (lane.kind == "ring") is (history[because].kind == SHARES)
        assert made.start[made.because[n]] <= made.start[n]


def test_slices_of_a_row_do_not_overlap(tiled: tuple[Execution, RunRecord]) -> None:
    made = tiled[1].chart.slices
    for lane, row in {*zip(made.lane.tolist(), made.row.tolist(), strict=True)}:
        mine = (made.lane == lane) & (made.row == row)
        ends = made.start[mine] + made.length[mine]
        assert row == slices.ROWS - 1 or (made.start[mine][1:] >= ends[:-1]).all()


def test_the_path_is_as_long_as_the_run_and_has_no_gap(tiled: tuple[Execution, RunRecord]) -> None:
    path = tiled[1].path
    assert (path.begin[0], path.end[-1]) == (0, tiled[1].now)
    assert (path.begin[1:] == path.end[:-1]).all()


def test_traffic_ends_with_all_bytes(tiled: tuple[Execution, RunRecord]) -> None:
    run, found = tiled
    assert round(found.traffic.bytes[-1]) == run.results.profiled().history.column("bytes").sum()
    assert (np.diff(found.traffic.bytes) >= 0).all()


def test_a_double_buffer_is_filled_in_turns(tiled: tuple[Execution, RunRecord]) -> None:
    lives = tiled[1].lives
    names = [tensor.name for tensor in lives.tensors]
    for name in ("acc0", "acc1"):
        mine = lives.tensor == names.index(name)
        assert mine.sum() == 2  # four pieces, in two banks of PSUM
        assert (lives.begin[mine][1:] >= lives.end[mine][:-1]).all()


def test_a_run_that_is_thinned_has_all_of_its_time() -> None:
    chart = record_of(run_of(ROOT / "programs" / "attention.nasm", values=False)).chart
    few, quantum = thinned(chart, 40)
    assert quantum > 0
    assert len(few.slices) <= 40 < len(chart.slices)
    for name in ("count", "busy", "size"):
        assert getattr(few.slices, name).sum() == getattr(chart.slices, name).sum()
    assert few.of_record.max() < len(few.slices)
    assert (few.slices.because < len(few.slices)).all()
    assert thinned(chart)[1] == 0


def test_an_instruction_that_never_starts_is_shown_with_its_wait() -> None:
    found = record_of(run_of(STUCK))
    made = found.chart.slices
    (last,) = np.flatnonzero(made.what == slices.NOT_STARTED)
    assert made.start[last] == found.now
    assert made.wait[last] > 0
    text = page_of([("", (run := run_of(STUCK)).results, run.profile())]).html
    assert "The run did not end well" in text
    assert "E0510" in text


def test_threads_and_shared_units_of_a_tensix_have_lanes_and_expanded_instructions() -> None:
    found = record_of(run_of(ROOT / "programs" / "tensix" / "exp.nasm"))
    kinds = {lane.name: lane.kind for lane in found.chart.lanes}
    assert (kinds["t1"], kinds["vector"]) == ("queue", "unit")
    _, lanes = found.chart.shared
    names = {found.chart.lanes[lane].name for lane in lanes}
    assert "vector" in names
    words = Counter(found.words.strings[n] for n in found.names.tolist())
    text = (ROOT / "programs" / "tensix" / "exp.nasm").read_text(encoding="utf-8")
    assert "a bank of SrcA or SrcB" in found.waits
    assert not {"src", "stallwait", "semwait"} & set(found.waits)
    waits = [row[4] for row in number_tables._engines(found)]
    assert any("semaphores at its wait gate" in text for text in waits)
    assert words["REPLAY"] == 0  # each is replaced by what it expands to
    assert words["SFPSTORE"] > len(re.findall(r"^\s*SFPSTORE", text, re.MULTILINE))
    line = text[: text.index("Load=1")].count("\n") + 2  # the first that is recorded
    assert f"REPLAY slot 0, recorded at line {line}" in found.words.strings


# -- the page


class Tags(HTMLParser):
    """The tags of a document, its attributes, and whether all that opens is closed."""

    EMPTY = frozenset(("meta", "input", "br", "rect", "circle"))

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.seen.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def tags(text: str) -> list[tuple[str, dict[str, str | None]]]:
    found = Tags()
    found.feed(text)
    assert not found.open
    return found.seen


def test_a_page_may_run_its_script_and_nothing_else(page: RunPage) -> None:
    (policy,) = (a["content"] for tag, a in tags(page.html) if a.get("http-equiv"))
    assert policy is not None
    assert policy.startswith("default-src 'none';")
    for name in ("script", "style"):
        (text,) = re.findall(rf"<{name}>(.*?)</{name}>", page.html, re.DOTALL)
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{digest}'" in policy
    for tag, attributes in tags(page.html):
        assert not {"src", "style", "onclick"} & attributes.keys(), tag
        assert (attributes.get("href") or "#").startswith("#")
    assert "://" not in re.sub(r'xmlns="[^"]*"', "", page.html)


def test_script_and_style_keep_to_their_size() -> None:
    names = (*document.SCRIPTS, "page.css", "timeline.html")
    assert sum(len(document.asset(name).encode()) for name in names) < LARGEST


def test_a_text_of_a_program_is_text() -> None:
    run = run_of(HOSTILE)
    text = page_of([("</script><b>", run.results, run.profile())]).html
    assert "<script>alert" not in text
    assert "<img" not in text
    assert not any(tag == "img" for tag, _ in tags(text))
    assert "&lt;script&gt;alert(&quot;1&quot;)" in text


def test_the_data_of_a_page_are_the_columns_of_its_record(
    page: RunPage, tiled: tuple[Execution, RunRecord]
) -> None:
    head, columns = data_of(page)
    for name, column in tiled[1].columns().items():
        assert np.array_equal(columns[f"0.{name}"], column), name
    (only,) = head["runs"]
    assert only["now"] == tiled[1].now
    assert "MultiplyMoving" in head["kinds"]
    assert {heat["name"] for heat in only["heats"]} >= {"C", "A"}


def test_large_numbers_are_columns_of_floats() -> None:
    column = np.array([0, 2**40], np.int64)
    head, columns = unpacked(packed({"far": column, "near": column % 5}, {"x": 1}))
    assert (head["x"], columns["far"].tolist(), columns["near"].dtype) == (1, [0, 2**40], "i4")


def test_a_page_has_verdict_remedies_and_hazards_with_links_to_their_lines() -> None:
    text = (ROOT / "programs" / "matmul.nasm").read_text(encoding="utf-8")
    run = run_of(Source("forgotten.nasm", text.replace("$multiplied >= 1", "")))
    profile = run.profile(outcomes=list(run.what_if()))
    found = page_of([("", run.results, profile)]).html
    assert profile.verdict in found
    assert "What would help" in found
    hazard = re.search(r'<details class="hazard" open>.*?</details>', found, re.DOTALL)
    assert hazard is not None
    assert "E0502" in hazard[0]
    lines = re.findall(r'href="#(L0-0-\d+)"', hazard[0])
    assert len({*lines}) == 2  # both places of the race
    assert all(f'<tr id="{line}"' in found for line in lines)


def test_two_runs_are_on_one_page() -> None:
    runs = [run_of(STUCK), run_of(TILED, values=False)]
    shown = [(side, run.results, run.profile()) for side, run in zip("ab", runs, strict=True)]
    found = page_of(shown, ("b is longer", "a < b"))
    assert "a &lt; b" in found.html
    assert '<p class="verdict">b is longer</p>' in found.html
    head, _ = data_of(found)
    assert [run["label"] for run in head["runs"]] == ["a", "b"]
    tags(found.html)


@pytest.mark.parametrize("program", [".target trn2\n", TILED])
def test_a_picture_is_xml_of_its_own(program: Any) -> None:
    run = run_of(program, values=False)
    found = page_of([("", run.results, run.profile())]).svg
    root = ElementTree.fromstring(found)
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert len(found) < 20_000
    if program is TILED:
        texts = {text.text for text in root.iter("{http://www.w3.org/2000/svg}text")}
        assert {"tensor", "vector", "ring 0", "critical path", "waits for DMA"} <= texts


def test_axes_have_round_marks() -> None:
    assert [text for _, text in ticks(0, 11.9, 8)] == [
        "0 µs",
        "2 µs",
        "4 µs",
        "6 µs",
        "8 µs",
        "10 µs",
    ]
    assert [label(x) for x in (0.0123, 1, 4567, 2e6)] == ["12.3 ns", "1 µs", "4.567 ms", "2 s"]


# -- from a session


def test_a_session_makes_a_page_of_the_run_so_far_and_stays_where_it_is(tmp_path: Path) -> None:
    session = nasm.Session(TILED, defines=SMALL)
    session.step(count=20)
    moment, before = session.moment, session.report().memory_hash
    found = session.page()
    assert found is not None
    assert (session.moment, session.report().memory_hash) == (moment, before)
    head, columns = data_of(found)
    assert head["runs"][0]["now"] == session.now
    done = columns["0.what"] == slices.STARTED
    assert done.sum() >= sum(queue.completed for queue in session.queues())
    session.run()
    whole = session.page()
    assert whole is not None
    whole.save(tmp_path / "run.html")
    whole.save(tmp_path / "run.svg")
    assert (tmp_path / "run.svg").read_text(encoding="utf-8") == whole.svg
    assert (tmp_path / "run.html").read_text(encoding="utf-8") == whole.html
    assert 'sandbox="allow-scripts"' in whole._repr_html_()


def test_a_page_of_a_session_is_that_of_a_profiled_run(page: RunPage) -> None:
    session = nasm.Session(TILED, defines=SMALL)
    session.run()
    assert session.page() == page
