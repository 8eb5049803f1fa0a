"""What clients and users get wrong is refused in a sentence, and the adapter goes on."""

from __future__ import annotations

import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from nasm.apps.dap.state import HANDLERS
from tests.dap.client import Client
from tests.dap.test_session import KERNEL

pytestmark = pytest.mark.turns(4)

COMMAND = [sys.executable, "-m", "nasm", "dap"]


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({}, "'program' is missing"),
        ({"program": 7}, "'program' is a text, found 7"),
        ({"program": "none.nasm"}, "cannot read none.nasm"),
        ({"program": "none.nrec"}, "cannot read none.nrec"),
        ({"program": "none.py:kernel"}, "none.py"),
        ({"program": "-"}, "no file that can be launched"),
        ({"program": "--help"}, "no file that can be launched"),
        ({"program": "matmul.nasm", "args": ["--nonsense"]}, "no option --nonsense"),
        ({"program": "matmul.nasm", "args": ["-x", "f"]}, ""),
        ({"program": "matmul.nasm", "target": "trn9"}, "trn9"),
        ({"program": "matmul.nasm", "defines": {"N": [1]}}, "a text or a number"),
        ({"program": "matmul.nasm", "defines": {"Q": 1}}, "Q"),
        ({"program": "matmul.nasm", "inputs": {"A": "none.npy"}}, "none.npy"),
        ({"program": "matmul.nasm", "cwd": "/no/such"}, "there is no folder"),
    ],
)
def test_a_launch_that_cannot_be(
    client: Client, program: Path, arguments: dict[str, Any], text: str
) -> None:
    client("initialize", adapterID="nasm")
    if text:
        said = client.refused("launch", {"cwd": str(program.parent), **arguments})
        assert text in said
        assert "defect" not in said
        assert "no program is launched" in client.refused("configurationDone")
    client("launch", program=str(program))
    said = client.refused("launch", {"program": str(program)})
    assert said.startswith("a program is launched already")
    client("configurationDone")
    client.stop()


def test_a_program_with_errors_is_shown_with_their_places(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "wrong.nasm"
    path.write_text(".target trn2\n.sbuf t f32[4\n@vector Memst t, 1\n@vector Memset u, 1\n")
    client("initialize", adapterID="nasm")
    assert "wrong.nasm:2" in client.refused("launch", {"program": str(path)})
    lines = [m["body"].get("line") for m in client.events if m["event"] == "output"]
    assert {2, 3}.issubset(lines)
    assert all(
        m["body"]["source"]["path"] == str(path) for m in client.events if "line" in m["body"]
    )


def test_every_request_is_refused_before_a_launch_and_with_wrong_arguments(
    client: Client, program: Path
) -> None:
    quiet = {"initialize", "disconnect", "threads", "terminate", "cancel", "restart", "launch"}
    for name in sorted(set(HANDLERS) - quiet):
        answer = client.response(client.send(name, {"source": {"path": str(program)}}))
        assert "defect" not in str(answer)
        assert not answer["success"] or name.startswith("set")
    client.launch(program, stopOnEntry=True)
    client.stop()
    wrong: tuple[Any, ...] = (None, [], 7, "x", {"threadId": "x"}, {"threadId": 99},
        {"frameId": -1, "variablesReference": 10**30, "expression": 7, "line": [], "source": 3},
        {"breakpoints": [7]}, {"breakpoints": [{"line": -5, "condition": 7}], "source": {}},
        {"breakpoints": [{"name": "", "dataId": "", "instructionReference": ""}]},
        {"source": {"path": str(program)}, "line": 10**20, "lines": ["x"]},
        {"memoryReference": "zz", "instructionCount": 3, "text": "x", "column": -9})  # fmt: skip
    for name in sorted(set(HANDLERS) - {"disconnect", "terminate", "launch", "restart"}):
        for arguments in wrong:
            answer = client.response(client.send(name, arguments))
            assert "defect" not in str(answer), (name, arguments, answer)
    assert "there is no request 'nonsense'" in client.refused("nonsense")
    assert client("evaluate", expression="1 + 1")["result"] == "2"


def test_rubbish_between_messages_is_ignored_and_a_damaged_frame_ends_it(client: Client) -> None:
    client("initialize", adapterID="nasm")
    for body in (b"{", b"[1, 2]", b"7", b'{"type": "event"}', b'{"type": "request"}', b"\xff\xfe"):
        client.post(b"Content-Length: %d\r\n\r\n" % len(body) + body)
    assert client("threads")["threads"] == []
    assert "a message that is no request was ignored" in client.output()
    client.post(b"POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{}")
    with pytest.raises(AssertionError, match="the adapter is gone"):
        client("threads")


def test_the_command_serves_on_streams_and_leaves_in_the_middle_of_a_run(program: Path) -> None:
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        client = Client(process.stdout, process.stdin)
        client.launch(program)
        client.stop()
        client("disconnect")
        assert process.wait(60) == 0
    text = ".target trn2\n.sbuf t f32[128, 4]\n.loop k in 0..9999999\n@vector Memset t, 1.0\n.end\n"
    program.write_text(text)
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        client = Client(process.stdout, process.stdin)
        client.launch(program)
        client("threads")
        process.stdin.close()  # the client is killed
        assert process.wait(60) == 0


def test_what_a_kernel_prints_is_output_and_not_in_the_way(tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(KERNEL)
    with subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        client = Client(process.stdout, process.stdin)
        client.launch(f"{path}:halved", inputs={"x": "iota[128,4]"}, stopOnEntry=True)
        client.stop()
        printed = [m["body"] for m in client.events if m["event"] == "output"]
        assert {"category": "stdout", "output": "traced\n"} in printed
        client("disconnect")


def test_the_command_serves_clients_on_a_port_one_after_the_other(program: Path) -> None:
    with subprocess.Popen(
        [*COMMAND, "--port", "0", "--no-python"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline().decode()
            port = int(line.rpartition(":")[2])
            for _ in range(2):
                with socket.create_connection(("127.0.0.1", port), 30) as connection:
                    streams = connection.makefile("rb"), connection.makefile("wb")
                    client = Client(*streams)
                    client.launch(program, stopOnEntry=True)
                    client.stop()
                    (program.parent / "k.py").write_text("raise SystemExit(9)\n")
                    client("disconnect")
            with socket.create_connection(("127.0.0.1", port), 30) as connection:
                client = Client(connection.makefile("rb"), connection.makefile("wb"))
                client("initialize", adapterID="nasm")
                said = client.refused("launch", {"program": f"{program.parent}/k.py:f"})
                assert "Python" in said
        finally:
            process.terminate()
            assert process.wait(60) == 143
