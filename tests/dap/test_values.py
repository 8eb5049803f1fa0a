"""What a client shows of values, asks for and sets."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.dap.client import Client

pytestmark = pytest.mark.turns(3)

LARGE = """\
.target trn2
.hbm X f32[1000000, 64]
.hbm n i32[3] = [1, -2, 3]
.sbuf t bf16[128, 300] = iota
.sem s
.event e
@scalar RegisterMove %r0, 7 $s += 2
@vector Nop $s >= 9
"""


@pytest.fixture
def large(client: Client, tmp_path: Path) -> Client:
    path = tmp_path / "large.nasm"
    path.write_text(LARGE)
    client.launch(path, stopOnEntry=True)
    client.stop()
    return client


def test_a_tensor_is_read_in_slices(large: Client) -> None:
    frame = large.top(3)["id"]
    tensors = large.scope(frame, "Tensors")
    assert tensors["X"]["value"] == "float32[1000000, 64] in hbm, not written"
    inside = large.inside(tensors["X"]["variablesReference"])
    assert list(inside)[:3] == ["statistics", "[0:10000]", "[10000:20000]"]
    assert len(inside) == 101
    deeper = large.inside(inside["[990000:1000000]"]["variablesReference"])
    last = large.inside(deeper["[999900:1000000]"]["variablesReference"])
    assert last["[999999]"]["value"].startswith("__, __")
    tile = large.inside(tensors["t"]["variablesReference"])
    row = large.inside(
        large.inside(tile["[0:100]"]["variablesReference"])["[1]"]["variablesReference"]
    )
    assert list(row) == ["[0:100]", "[100:200]", "[200:300]"]
    element = large.inside(row["[200:300]"]["variablesReference"])["[299]"]
    assert (element["value"], element["evaluateName"]) == ("600.0", "t[1, 299]")
    found = large.inside(tile["statistics"]["variablesReference"])
    assert (found["elements"]["value"], found["least"]["value"]) == ("38,400", "0")


def test_bits_are_shown_on_request(large: Client) -> None:
    reference = large.scope(large.top(3)["id"], "Tensors")["n"]["variablesReference"]
    hexadecimal = large("variables", variablesReference=reference, format={"hex": True})
    assert [one["value"] for one in hexadecimal["variables"]][1:] == [
        "00000001",
        "fffffffe",
        "00000003",
    ]


def test_semaphores_registers_and_engines(large: Client) -> None:
    large("stepIn", threadId=3)
    large.stop()
    frame = large.top(3)["id"]
    assert large.scope(frame, "Semaphores")["$s"]["value"] == "2  (vector waiting)"
    assert large.scope(frame, "")["%r0"]["value"] == "7"
    engines = large.scope(frame, "Engines")
    assert "waits for $s >= 9" in engines["vector"]["value"]
    assert large.inside(engines["vector"]["variablesReference"])["next"]["value"].startswith("Nop")


def test_what_is_set_changes_the_run_and_is_undone_by_going_back(large: Client) -> None:
    large("stepIn", threadId=3)
    large.stop()
    scopes = large("scopes", frameId=large.top(3)["id"])["scopes"]
    references = {one["name"]: one["variablesReference"] for one in scopes}
    made = large("setVariable", variablesReference=references["Semaphores"], name="$s", value="9")
    assert made["value"] == "9"
    assert large.event("invalidated")["areas"] == ["all"]
    assert large("setExpression", expression="t[0, 0:2]", value="1.5")["value"].endswith(
        "{1.5, 1.5}"
    )
    assert large("evaluate", expression="t[0, 1]")["result"] == "1.5"
    frame = large.top(3)["id"]
    first = next(one for one in large("scopes", frameId=frame)["scopes"])
    made = large(
        "setVariable", variablesReference=first["variablesReference"], name="%r0", value="$s + 1"
    )
    assert made["value"] == "10"
    large("evaluate", expression="undo", context="repl")
    large.stop()
    assert large("evaluate", expression="@scalar.%r0")["result"] == "7"
    large("continue", threadId=2)
    assert large.stop()["text"] == "the run has ended: finished"


def test_expressions_in_watches_hovers_and_the_console(large: Client) -> None:
    assert large("evaluate", expression="max(t[1])", context="watch")["result"] == "600"
    found = large("evaluate", expression="t + 1", context="watch")
    inside = large.inside(found["variablesReference"])
    row = large.inside(
        large.inside(inside["[0:100]"]["variablesReference"])["[2]"]["variablesReference"]
    )
    assert row["[0:100]"]["evaluateName"] == "(t + 1)[2, 0:100]"
    assert large("evaluate", expression="s", context="hover")["result"] == "0"
    assert "nothing is called 'zz'" in large.refused(
        "evaluate", {"expression": "zz", "context": "hover"}
    )
    why = large("evaluate", expression="why t[0, 1]", context="repl")["result"]
    assert "iota" in why
    assert "what every engine" not in why
    large("evaluate", expression="@vector Memset t, 2.0", context="repl")
    assert large.stop()["reason"] == "goto"
    assert large("evaluate", expression="t[0, 0]")["result"] == "2.0"
    for word, text in (("load", "restart the session"), ("quit", "stop the session")):
        assert text in large.refused("evaluate", {"expression": word, "context": "repl"})
    for text in ("foo bar(", "", "step 1 2 3", "(" * 500, "t[", "print", "\0", "x" * 5000):
        answer = large.response(large.send("evaluate", {"expression": text, "context": "repl"}))
        assert answer["success"] is False or "error" in answer["body"]["result"], text
    targets = large("completions", text="print t", column=8)["targets"]
    assert {"label": "t", "start": 6, "length": 1}.items() <= targets[0].items()


def test_places_of_a_line(client: Client, program: Path) -> None:
    client.launch(program, stopOnEntry=True)
    client.stop()
    source = {"path": str(program)}
    lines = client("breakpointLocations", source=source, line=10, endLine=18)["breakpoints"]
    assert [one["line"] for one in lines] == [15, 16, 17, 18]
    (target,) = client("gotoTargets", source=source, line=21)["targets"]
    assert target["label"] == "sync pc 3"
    client("goto", threadId=5, targetId=target["id"])
    assert client.stop()["text"] == "sync continues at pc 3"
    assert client.top(5)["line"] == 21
    (loaded,) = client("loadedSources")["sources"]
    assert loaded["path"] == str(program)
    assert client("nasm/page")["html"].startswith("<!DOCTYPE html>")
