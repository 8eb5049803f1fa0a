"""The page in a real browser: type, see the hazard, fix it, see the timeline."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from nasm.apps.play.assets import BACKEND, FOLDER, NAMES
from nasm.apps.play.folder import Folder
from nasm.apps.play.in_browser import answer
from nasm.apps.play.server import PlayServer, Serving
from nasm.apps.play.workers import Workers
from nasm.grading.course import installed
from tests.show.browser import CHROMIUM, Browser

pytestmark = [
    pytest.mark.thorough,
    pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium (Debian: apt install chromium)"),
]

HOSTILE = """\
.target trn2
.sbuf a f32[128, 8]
@vector DevicePrint "<img src=x onerror=window.bad=1><script>window.bad=1</script>"
@vector Memset a, 1.0
.expect a == 2
; </textarea><script>window.bad=1</script>
"""


@contextmanager
def serving(server: ThreadingHTTPServer) -> Iterator[str]:
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    with server:
        thread.start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()
        thread.join()


class Page:
    """The page in a browser, as a person uses it."""

    def __init__(self, browser: Browser, address: str) -> None:
        self.browser = browser
        browser.errors.clear()
        browser.call("Page.navigate", url="about:blank")
        browser.call("Page.navigate", url=address)
        self.wait("document.body?.dataset.ready")

    def wait(self, condition: str) -> None:
        self.browser.value(
            f"new Promise((done) => {{ const look = () => {condition} ? done(1) : "
            "setTimeout(look, 20); look(); })"
        )

    def text(self, of: str) -> str:
        return str(self.browser.value(f"document.querySelector({json.dumps(of)}).innerText"))

    def click(self, what: str) -> None:
        self.browser.value(f"document.querySelector({json.dumps(what)}).click()")

    def write(self, text: str) -> None:
        """Replace the program, as if it were typed."""
        self.browser.value("document.querySelector('textarea').select()")
        self.browser.call("Input.insertText", text=text)

    def run(self) -> str:
        self.browser.value("document.querySelector('#state').textContent = ''")
        self.click("#run")
        self.wait("/passed|failed|assemble/.test(document.querySelector('#state').textContent)")
        return self.text("#state")


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser() as made:
        yield made


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = str(tmp_path_factory.mktemp("folder"))
    workers = Workers(1, folder)
    try:
        made = Serving(workers, Folder(folder, read_only=False), "word")
        with serving(PlayServer(("127.0.0.1", 0), made)) as at:
            yield f"{at}?token=word"
    finally:
        workers.close()


@pytest.fixture(scope="module")
def static(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The page that asks Python in the browser, with the test's Python in the place of that."""
    folder = tmp_path_factory.mktemp("static")
    for name in (*NAMES, "worker.js"):
        shutil.copy(FOLDER / name, folder / name)
    shutil.copy(FOLDER / "local.js", folder / BACKEND)
    shutil.copytree(Path(__file__).parent / "substitute", folder / "pyodide")
    (folder / "nasm.whl").write_bytes(b"")
    config = {"pyodide": "pyodide/", "packages": ["numpy"], "wheels": ["nasm.whl"]}
    (folder / "config.json").write_text(json.dumps(config))

    class Handler(SimpleHTTPRequestHandler):
        extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}  # noqa: RUF012

        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["Content-Length"])).decode()
            body = answer(self.path.rpartition("/")[2], asked).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    made = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
    with serving(made) as at:
        yield at


@pytest.mark.parametrize("who", ["address", "static"])
def test_write_see_the_hazard_fix_it_see_the_timeline(
    browser: Browser, who: str, request: pytest.FixtureRequest
) -> None:
    page = Page(browser, request.getfixturevalue(who))
    assert "token" not in str(browser.value("location.href"))
    assert "E0502" in page.text("#problems")
    assert page.run().startswith("failed")
    assert "nothing orders" in page.text("#report")
    page.click("#sync")
    page.wait("/semaphore/.test(document.querySelector('#state').textContent)")
    page.wait("/nothing is wrong/.test(document.querySelector('#problems').textContent)")
    assert "after " in str(browser.value("document.querySelector('textarea').value"))
    assert page.run().startswith("passed")
    assert "PASS" in page.text("#report")
    page.click("#tab-page")
    assert "critical path" in str(browser.value("document.querySelector('iframe').srcdoc"))
    browser.value("document.querySelector('textarea').focus()")
    page.wait("document.querySelector('iframe').contentDocument === null")  # it reaches nothing
    assert browser.errors == []


def test_words_are_offered_and_taken(browser: Browser, address: str) -> None:
    page = Page(browser, address)
    page.write(".target trn2\n")
    browser.call("Input.insertText", text="@vec")
    page.wait("!document.querySelector('#words').hidden")
    browser.key("Tab")
    assert browser.value("document.querySelector('textarea').value") == ".target trn2\n@vector"


def test_a_link_carries_the_text(browser: Browser, address: str) -> None:
    page = Page(browser, address)
    page.write("; carried: 𝛼 <b>\n.target trn2\n")
    page.click("#link")
    page.wait("location.hash.startsWith('#text=')")
    carried = str(browser.value("location.hash"))
    browser.value("localStorage.clear()")
    page = Page(browser, address + carried)
    assert browser.value("document.querySelector('textarea').value").startswith("; carried: 𝛼 <b>")
    page = Page(browser, f"{address}#text=%%%")
    assert "no whole text" in page.text("#state") or browser.value("location.hash")


def test_a_program_is_text_whatever_it_says(browser: Browser, address: str) -> None:
    page = Page(browser, address)
    page.write(HOSTILE)
    assert page.run().startswith(("failed", "it does not"))
    browser.painted()
    assert browser.value("window.bad") is None
    assert browser.errors == []


def test_a_run_is_stopped(browser: Browser, address: str) -> None:
    page = Page(browser, address)
    page.write(
        ".target trn2\n.sbuf a f32[128, 8192]\n@vector\n.for i in 0..9000\nMemset a, 1.0\n.end\n"
    )
    page.click("#run")
    page.wait("!document.querySelector('#stop').disabled")
    page.click("#stop")
    page.wait("document.querySelector('#state').textContent === 'stopped'")
    page.write(".target trn2\n")
    assert page.run().startswith("passed")


def solution(name: str) -> str:
    exercise = Path(installed()) / name
    return next((exercise / "solutions").iterdir()).read_text()


def choose(page: Page, exercise: str) -> None:
    page.browser.value(
        f"{{ const t = document.querySelector('#open'); t.value = 'task:{exercise}'; "
        "t.dispatchEvent(new Event('change')) }"
    )
    page.wait("!document.querySelector('#tab-exercise').hidden")


def judge(page: Page) -> str:
    page.browser.value("document.querySelector('#state').textContent = ''")
    page.click("#judge")
    page.wait("/passed|not yet/.test(document.querySelector('#state').textContent)")
    return page.text("#state")


@pytest.mark.parametrize("who", ["address", "static"])
def test_an_exercise_is_done(browser: Browser, who: str, request: pytest.FixtureRequest) -> None:
    page = Page(browser, request.getfixturevalue(who))
    choose(page, "add")
    assert "Add two tensors" in page.text("#task")
    assert judge(page) == "not yet"
    assert "FAILS" in page.text("#judged")
    page.write(solution("add"))
    assert judge(page) == "passed"
    assert "✓" in page.text("#open")
    assert browser.errors == []


def test_a_kernel_is_written_where_python_is_the_browsers(browser: Browser, static: str) -> None:
    page = Page(browser, static)
    choose(page, "kernel")
    page.wait("document.querySelector('#run').disabled")
    assert "Stop ends it" in page.text("#judged")
    page.write("def rmsnorm(x, gain):\n  return x +\n")
    page.wait("/SyntaxError/.test(document.querySelector('#problems').textContent)")
    assert judge(page) == "not yet"
    assert "line 2" in page.text("#judged")
    page.write(solution("kernel"))
    page.wait("document.querySelector('#editor .k') !== null")
    assert judge(page) == "passed"
    choose(page, "add")
    page.wait("!document.querySelector('#run').disabled")
    assert browser.errors == []


def test_a_kernel_is_judged_in_processes_if_the_server_may(browser: Browser) -> None:
    workers = Workers(1, None, python=True)
    try:
        with serving(PlayServer(("127.0.0.1", 0), Serving(workers, None, ""))) as at:
            page = Page(browser, at)
            choose(page, "model")
            assert "Stop ends it" not in page.text("#judged")
            page.write("def mlp(x, w1, b1, w2):\n    raise ValueError('no')\n")
            page.wait("/nothing is wrong/.test(document.querySelector('#problems').textContent)")
            assert judge(page) == "not yet"
            assert "line 2: E0655: ValueError: no" in page.text("#judged")
            page.write(solution("model"))
            assert judge(page) == "passed"
            assert browser.errors == []
    finally:
        workers.close()


def test_what_is_not_judged_here_is_said(browser: Browser, address: str) -> None:
    kernels = list(Path(installed()).glob("*/starter.py"))
    assert f"{len(kernels)} more in Python: neuron-nasm learn" in Page(browser, address).text(
        "#open"
    )


def test_a_program_is_saved_into_the_folder(browser: Browser, address: str) -> None:
    page = Page(browser, address)
    page.write("; kept\n.target trn2\n")
    browser.value("window.prompt = () => 'kept.nasm'")
    page.click("#save")
    page.wait("/wrote kept.nasm/.test(document.querySelector('#state').textContent)")
    page = Page(browser, address)
    browser.value(
        "const s = document.querySelector('#open'); s.value = 'file:kept.nasm'; "
        "s.dispatchEvent(new Event('change'))"
    )
    page.wait("document.querySelector('textarea').value.startsWith('; kept')")
