"""The page of a run in a real browser: what mouse, keys and a search do; nothing is fetched."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from nasm.runs.execution import Execution
from nasm.show.run_page.page import page_of
from tests.show.browser import CHROMIUM, Browser

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium (Debian: apt install chromium)"),
]

PROGRAMS = Path(__file__).parents[2] / "programs"

MANY = """\
.target trn2
.const N = 17_000
.sbuf a f32[128, 8]
.sbuf b f32[128, 8]
.sem done
@vector
.loop i in 0..N
    Memset a, 1.0 $done++
.end
@gpsimd
.loop i in 0..N
    Memset b, 2.0 $done >= 1
.end
"""

SMOOTH = 250
"""Milliseconds that drawing 100,000 instructions takes at the most, on a busy machine and in
software; on an idle one it is 20 to 80."""


def saved(program: Path | str, path: Path, **more: bool) -> Path:
    run = Execution(program, profile=True, **more)
    run.run(hashes=False)
    outcomes = list(run.what_if()) if isinstance(program, Path) else []
    page_of([("", run.results, run.profile(outcomes=outcomes))]).save(path)
    return path


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as made:
        yield made


@pytest.fixture
def tiled(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Browser:
    path = tmp_path_factory.getbasetemp() / "tiled.html"
    browser.open(path if path.exists() else saved(PROGRAMS / "matmul_tiled.nasm", path))
    return browser


def view(browser: Browser) -> tuple[float, float]:
    begin, end = browser.value("page.timeline.view")
    return begin, end


def place(browser: Browser, name: str, lane: str) -> tuple[float, float]:
    """The middle of the first visible slice of an instruction in a lane."""
    x, y = browser.value(
        f"""(() => {{
        const t = page.timeline, run = page.runs[0], c = run.c;
        const band = t.bands.find((b) => b.track && b.name === "{lane}");
        const named = (s) => run.text(s, "name") === "{name}" && c.length[s] > 50;
        const n = band.track.slices.find(named);
        t.canvas.scrollIntoView({{ block: "center" }});
        const box = t.canvas.getBoundingClientRect();
        const x = t.x(run.micro(c.start[n] + c.length[n] / 2));
        return [box.x + x, box.y + t.middle(run, n)];
        }})()"""
    )
    return x, y


def test_it_opens_without_a_request_and_without_an_error(tiled: Browser) -> None:
    tiled.painted()
    assert all(url.startswith("file:") for url in tiled.requests)
    assert not tiled.errors
    assert view(tiled)[0] == 0
    shown = tiled.value("document.body.innerText")
    assert "bound by DMA" in shown
    assert "What would help" in shown


def test_a_click_selects_what_is_there_and_says_what_it_waited_for(tiled: Browser) -> None:
    tiled.click(*place(tiled, "MultiplyMoving", "tensor"))
    said = tiled.value("document.getElementById('details').innerText")
    assert said.startswith("MultiplyMoving acc0")
    assert "let start by" in said
    assert "measured" in said or "documented" in said or "assumed" in said
    assert "MultiplyMoving" in tiled.value("document.querySelector('tr.here').innerText")


def test_the_wheel_zooms_to_ten_nanoseconds_and_back(tiled: Browser) -> None:
    whole = view(tiled)
    x, y = place(tiled, "TensorCopy", "vector")
    for wheel in (-300, 300):
        for _ in range(30):
            tiled.mouse("mouseWheel", x, y, deltaX=0, deltaY=wheel)
            tiled.painted()
        if wheel < 0:
            begin, end = view(tiled)
            assert end - begin == pytest.approx(0.01)
    assert view(tiled) == pytest.approx(whole)


def test_a_drag_moves_and_does_not_select(tiled: Browser) -> None:
    tiled.value("page.timeline.show(4, 6)")
    tiled.painted()
    x, y = place(tiled, "TensorCopy", "vector")
    tiled.mouse("mousePressed", x, y, button="left", clickCount=1)
    for step in range(1, 6):
        tiled.mouse("mouseMoved", x - 20 * step, y, button="left", buttons=1)
    tiled.mouse("mouseReleased", x - 100, y, button="left", clickCount=1)
    tiled.painted()
    begin, end = view(tiled)
    assert begin > 4.05
    assert end - begin == pytest.approx(2)
    assert tiled.value("page.timeline.selected") is None


def test_keys_move_zoom_and_go_from_slice_to_slice(tiled: Browser) -> None:
    tiled.value("page.timeline.canvas.focus()")
    tiled.key("+", "+")
    begin, end = view(tiled)
    tiled.key("ArrowRight")
    assert view(tiled)[0] > begin
    tiled.key("f", "f")
    assert view(tiled)[0] == 0
    tiled.key("n", "n")
    first = tiled.value("page.timeline.selected[1]")
    tiled.key("n", "n")
    assert tiled.value("page.timeline.selected[1]") == first + 1
    tiled.key("]", "]")
    assert tiled.value("page.runs[0].c.lane[page.timeline.selected[1]]") == 1
    tiled.key("Escape")
    assert tiled.value("page.timeline.selected") is None
    assert end > begin


def test_a_search_finds_instructions_and_a_line_its_own(tiled: Browser) -> None:
    tiled.value("document.getElementById('search').focus()")
    tiled.call("Input.insertText", text="tensorcopy")
    tiled.painted()
    assert tiled.value("page.found.textContent") == "tensorcopy: 4 slices"
    tiled.key("Enter")
    assert tiled.value("document.getElementById('details').innerText").startswith("TensorCopy")
    tiled.value("document.querySelector('.verdict [data-line]').click()")
    tiled.painted()
    text = (PROGRAMS / "matmul_tiled.nasm").read_text(encoding="utf-8")
    line = text[: text.index("DmaCopy  b[")].count("\n") + 1
    assert tiled.value("page.found.textContent").startswith(f"line {line}: ")
    tiled.value("document.querySelector('[data-lane]').click()")
    tiled.painted()
    assert "ring" in tiled.value("page.found.textContent")


def test_it_is_light_and_dark_and_prints_a_picture(tiled: Browser) -> None:
    grounds = []
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        tiled.call("Emulation.setEmulatedMedia", media="", features=features)
        grounds.append(tiled.value("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(255, 255, 255)", "rgb(13, 17, 23)"]
    tiled.call("Emulation.setEmulatedMedia", media="print", features=[])
    looks = "['.still', '#stage'].map((s) => getComputedStyle(document.querySelector(s)).display)"
    assert tiled.value(looks) == ["block", "none"]
    tiled.painted()
    tiled.call("Emulation.setEmulatedMedia", media="", features=[])
    assert not tiled.errors  # the timeline has no width while it is hidden


def test_two_fingers_zoom(tiled: Browser) -> None:
    before = view(tiled)
    x, y = place(tiled, "TensorCopy", "vector")
    for kind, apart in (("touchStart", 40), ("touchMove", 80), ("touchMove", 160), ("touchEnd", 0)):
        points = [{"x": x + side * apart, "y": y, "id": side} for side in (0, 1)] if apart else []
        tiled.call("Input.dispatchTouchEvent", type=kind, touchPoints=points)
    tiled.painted()
    begin, end = view(tiled)
    assert end - begin < (before[1] - before[0]) / 2


def test_a_hundred_thousand_instructions_are_drawn_without_a_stutter(
    browser: Browser, tmp_path: Path
) -> None:
    browser.open(saved(MANY, tmp_path / "many.html", values=False))
    assert browser.value("page.runs[0].count") > 100_000
    slowest = []
    for factor in (*(0.5,) * 16, *(2,) * 16):
        browser.value(f"page.timeline.zoom({factor})")
        browser.painted()
        slowest.append(browser.value("page.timeline.drawn"))
    assert sorted(slowest)[-3] < SMOOTH  # the first makes the levels
    assert not browser.errors
