"""The page served over HTTP: who is let in, what is read and written, how runs end."""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from nasm.apps.cli import main
from nasm.apps.play import workers
from nasm.apps.play.assets import ASSETS
from nasm.apps.play.folder import Folder
from nasm.apps.play.server import LARGEST_REQUEST, PlayServer, Serving
from nasm.apps.play.workers import Workers
from nasm.base.problems import Refused
from nasm.isolation.process import Cancelled

GOOD = ".target trn2\n.sbuf a f32[128, 8]\n@vector Memset a, 1.0\n.expect a == 1\n"
ENDLESS = """\
.target trn2
@vector
RegisterMove %r0, 1
again: CompareBranch %r0, 0, op=greater, target=again
"""


class Client:
    """Asks a server of this process."""

    def __init__(self, server: PlayServer, token: str) -> None:
        self.port, self.token = server.server_address[1], token

    def raw(self, method: str, path: str, body: bytes = b"", **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", int(self.port), timeout=90)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        try:
            connection.request(method, path, body, named)
            answer = connection.getresponse()
            return answer.status, answer.read()
        finally:
            connection.close()

    def ask(self, what: str, token: str | None = None, **asked: Any) -> tuple[int, dict[str, Any]]:
        given = f"Bearer {self.token if token is None else token}"
        kind = {"Content_Type": "application/json", "Authorization": given}
        status, body = self.raw("POST", f"/api/{what}", json.dumps(asked).encode(), **kind)
        return status, json.loads(body)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("served")
    (made / "good.nasm").write_text(GOOD)
    (made / "notes.txt").write_text("not a program")
    (made / "part").mkdir()
    (made / "part" / "small.nasm").write_text(GOOD)
    outside = tmp_path_factory.mktemp("outside")
    (outside / "secret.nasm").write_text("; secret\n")
    (made / "way").symlink_to(outside)
    (made / "link.nasm").symlink_to(outside / "secret.nasm")
    os.mkfifo(made / "pipe.nasm")
    return made


@pytest.fixture(scope="module")
def client(folder: Path) -> Iterator[Client]:
    made = Workers(1, str(folder))
    serving = Serving(made, Folder(str(folder), read_only=False), "word")
    with PlayServer(("127.0.0.1", 0), serving) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        try:
            yield Client(server, "word")
        finally:
            server.shutdown()
            thread.join()
            made.close()


def test_files_of_the_page_are_sent_and_nothing_else(client: Client) -> None:
    for path in ASSETS:
        status, body = client.raw("GET", f"{path}?token=x")
        assert status == 200
        assert body
    for path in ("/../server.py", "/%2e%2e/server.py", "/remote.js", "/good.nasm", "//etc/passwd"):
        assert client.raw("GET", path)[0] == 404


def test_a_question_names_the_token(client: Client) -> None:
    assert client.ask("about")[0] == 200
    for token in ("", "wor", "wordy", "ẅord"):
        status, found = client.ask("about", token=token.encode().decode("latin-1"))
        assert status == 403
        assert "token" in found["error"]


def test_what_is_no_request_is_refused(client: Client) -> None:
    kind = {"Content_Type": "application/json", "Authorization": "Bearer word"}
    assert client.raw("POST", "/api/check", b"{", **kind)[0] == 400
    assert client.raw("POST", "/api/check", b"[1]", **kind)[0] == 400
    assert client.raw("POST", "/api/check", b"[" * 100_000, **kind)[0] == 400
    assert client.raw("POST", "/api/check", b"{}", Content_Type="text/plain")[0] == 400
    too_long = {**kind, "Content_Length": str(LARGEST_REQUEST + 1)}
    assert client.raw("POST", "/api/check", b"", **too_long)[0] == 400
    assert client.raw("POST", "/elsewhere", b"{}", **kind)[0] == 404
    assert client.raw("PUT", "/api/check", b"{}", **kind)[0] == 501
    for what in ("nothing", "_renew", "close", "names", "__init__"):
        assert client.ask(what, text="")[0] == 422


def test_a_program_runs(client: Client) -> None:
    status, found = client.ask("run", text=GOOD, width=70)
    assert (status, found["status"], found["ok"]) == (200, "finished", True)
    assert "PASS" in found["report"]
    assert found["page"].startswith("<!DOCTYPE html>")
    status, found = client.ask("run", text=".target trn2\n@vector Nopp\n")
    assert (status, found["status"], found["page"]) == (200, "refused", None)
    assert "did you mean" in found["report"]


def test_an_exercise_is_judged_without_showing_what_is_hidden(client: Client) -> None:
    names = [name for name, _ in client.ask("about")[1]["exercises"]]
    assert "add" in names
    found = client.ask("exercise", exercise="add")[1]
    assert "Add two tensors" in found["html"]
    made = client.ask("judge", exercise="add", text=found["starter"], hints=1)[1]
    assert (made["passed"], "hint" in made["html"]) == (False, True)
    for wrong in ("ad", "../add", "", None, 7, ["add"]):
        assert client.ask("judge", exercise=wrong, text="")[0] == 422
    assert client.ask("judge", exercise="add", text="", hints=-1)[0] == 422


def test_a_program_without_end_is_ended(client: Client) -> None:
    found = client.ask("run", text=ENDLESS)[1]
    assert not found["ok"]
    assert found["status"] == "fault"


@pytest.mark.thorough
def test_a_program_that_takes_long_is_ended(client: Client) -> None:
    many = ".target trn2\n@vector\n.for i in 0..400_000\nNop\n.end\n"
    assert client.ask("run", text=many)[1]["status"] == "limit reached"


def test_a_run_ends_when_its_client_has_gone(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, ended = threading.Event(), threading.Event()

    def endless(*_: object, cancelled: Callable[[], bool], **__: object) -> None:
        begun.set()
        for _ in range(3000):
            if cancelled():
                ended.set()
                raise Cancelled
            time.sleep(0.01)

    monkeypatch.setattr(workers, "isolated", endless)
    body = json.dumps({"text": GOOD}).encode()
    with socket.create_connection(("127.0.0.1", int(client.port))) as wire:
        wire.sendall(
            b"POST /api/run HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            b"Authorization: Bearer word\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
        )
        assert begun.wait(20)
        assert not ended.is_set()
    assert ended.wait(20)
    monkeypatch.undo()
    assert client.ask("run", text=GOOD)[1]["ok"]  # there is one place: the first has left it


def test_a_port_that_is_taken_is_an_error(client: Client, capsys: pytest.CaptureFixture) -> None:
    assert main(["play", "--port", str(client.port)]) == 2
    assert "E0851" in capsys.readouterr().err


def test_programs_of_the_folder_are_read_and_written(client: Client, folder: Path) -> None:
    found = client.ask("about")[1]["folder"]
    assert found["names"] == ["good.nasm", "part/small.nasm"]
    assert client.ask("read", name="part/small.nasm")[1]["text"] == GOOD
    status, found = client.ask("write", name="part/new.nasm", text="; mine\n")
    assert (status, found["names"][1]) == (200, "part/new.nasm")
    assert (folder / "part" / "new.nasm").read_text() == "; mine\n"
    (folder / "part" / "new.nasm").unlink()


@pytest.mark.parametrize(
    "name",
    [
        "../good.nasm", "/etc/passwd", "notes.txt", "link.nasm", "way/secret.nasm", "pipe.nasm",
        "way/new.nasm", "none/new.nasm", ".hidden.nasm", "part/../../x.nasm", "a\0.nasm", "part",
        "", ".nasm", 7, None, "x" * 5000 + ".nasm", "\ud800.nasm",
    ],
)  # fmt: skip
def test_nothing_outside_of_the_folder_is_touched(client: Client, folder: Path, name: Any) -> None:
    before = sorted(folder.rglob("*"))
    for what in ("read", "write"):
        status, found = client.ask(what, name=name, text="; theirs\n")
        assert status == 422, (what, found)
        assert "secret" not in found["error"]
    assert sorted(folder.rglob("*")) == before
    assert (folder / "way" / "secret.nasm").read_text() == "; secret\n"


def test_a_program_reads_the_folder_alone(client: Client, folder: Path) -> None:
    include = '.target trn2\n.include "way/secret.nasm"\n'
    assert "E0801" in client.ask("run", text=include)[1]["report"]
    load = '.target trn2\n.hbm x f32[4] input = "/etc/x.npy"\n.sbuf y f32[1,4]\n'
    assert "E0801" in client.ask("run", text=load)[1]["report"]


def test_a_folder_that_is_read_only_is_not_written(folder: Path) -> None:
    with pytest.raises(Exception, match="read-only"):
        Folder(str(folder), read_only=True).write({"name": "x.nasm", "text": ""})


def test_a_worker_that_dies_is_replaced() -> None:
    made = Workers(1, None)
    try:
        assert made.answer("check", {"text": GOOD})["problems"] == []
        (process,) = made._pool._executor._processes.values()  # type: ignore[union-attr]
        process.kill()
        assert made.answer("format", {"text": GOOD})["text"]
    finally:
        made.close()


@pytest.mark.thorough
def test_two_hundred_at_once(client: Client) -> None:
    def one(number: int) -> tuple[int, dict[str, Any]]:
        text = GOOD.replace("1.0", f"{number}.0").replace("== 1", f"== {number}")
        return client.ask("check" if number % 4 else "run", text=text)

    with ThreadPoolExecutor(200) as many:
        found = list(many.map(one, range(200)))
    assert [status for status, _ in found] == [200] * 200
    assert all(each["ok"] for number, (_, each) in enumerate(found) if number % 4 == 0)
    assert all(not each["problems"] for number, (_, each) in enumerate(found) if number % 4)


def test_a_solution_in_python_is_judged_only_where_it_was_asked_for() -> None:
    asked = {"exercise": "kernel", "text": "def rmsnorm(x, gain):\n    open('/etc/passwd', 'a')\n"}
    with pytest.raises(Refused, match="no such exercise"):
        Workers(1, None).judge(asked)
    judging = Workers(1, None, python=True)
    try:
        found = judging.judge(asked)
    finally:
        judging.close()
    assert not found["passed"]
    protected = judging.unprotected() == ""
    assert ("Permission" in found["html"]) == protected
    assert "line 2: E0655" in found["html"] or not protected


def test_what_the_system_cannot_forbid_is_said_if_python_is_run(
    client: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(Workers, "unprotected", lambda self: "1 protection not available here: x")
    for more in ([], ["--python"]):
        assert main(["play", "--port", str(client.port), *more]) == 2
        assert ("warning: 1 protection" in capsys.readouterr().err) == bool(more)
