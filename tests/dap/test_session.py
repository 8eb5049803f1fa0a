"""A program driven by a client: launched, stopped, moved on and back, and what it reports."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

import nasm
from tests.dap.client import Client

pytestmark = pytest.mark.turns(3)

ROOT = Path(__file__).parents[2]
HAZARDS = ROOT / "tests" / "hazards"

LONG = """\
.target trn2
.sbuf t f32[128, 4] = zeros
.sem s
@vector Nop
.loop k in 0..2000000
@vector TensorScalar t, t, op0=add, operand0=1.0
.end
@vector Nop $s++
"""

KERNEL = """\
import nki
import nki.isa as nisa
import nki.language as nl


def scaled(tile, by):
    nisa.tensor_scalar(dst=tile, data=tile, op0=nl.multiply, operand0=by)


@nki.jit
def halved(x):
    print("traced")
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    tile = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=tile, src=x)
    scaled(tile, 0.5)
    nisa.dma_copy(dst=y, src=tile)
    return y
"""


def test_it_stops_at_breakpoints_and_ends_with_the_report_of_a_run(
    client: Client, program: Path
) -> None:
    client("initialize", adapterID="nasm")
    client("launch", program="matmul.nasm", cwd=str(program.parent))
    client.event("initialized")
    rows = [{"line": 12}, {"line": 19}, {"line": 99}]
    made = client("setBreakpoints", source={"path": str(program)}, breakpoints=rows)["breakpoints"]
    assert [(one["verified"], one.get("line")) for one in made] == [
        (True, 15),
        (True, 19),
        (False, None),
    ]
    assert made[0]["message"] == "line 12 has no instruction: moved to line 15"
    assert "no instruction on or after line 99" in made[2]["message"]
    client("configurationDone")
    stop = client.stop()
    assert (stop["reason"], stop["hitBreakpointIds"]) == ("breakpoint", [made[0]["id"]])
    assert stop["allThreadsStopped"]
    names = {one["id"]: one["name"].split(":")[0] for one in client("threads")["threads"]}
    assert names == {1: "tensor", 2: "vector", 5: "sync"}
    assert client.top(stop["threadId"])["line"] == 15
    client("continue", threadId=1)
    assert client.top(client.stop()["threadId"])["line"] == 19
    client("continue", threadId=1)
    stop = client.stop()
    assert (stop["reason"], stop["text"]) == ("pause", "the run has ended: finished")
    report = nasm.run(program).report
    assert f"{report.microseconds:,.3f} µs" in client.output()
    assert "C ~ A.T @ B" in client.output()
    client("stepBack", threadId=5)
    assert "stepped" in client.stop()["description"]
    client("continue", threadId=5)
    client.stop()
    client("continue", threadId=5)
    assert client.event("exited") == {"exitCode": 0}
    client.event("terminated")
    client("disconnect")


def test_steps_are_those_of_the_debugger_and_stepping_back_undoes_them(
    client: Client, program: Path
) -> None:
    client.launch(program, stopOnEntry=True)
    assert client.stop()["reason"] == "entry"
    session = nasm.Session(program)
    times = []
    for command, step in (
        ("next", lambda: session.step("sync")),
        ("stepIn", lambda: session.step()),
        ("next", lambda: session.step("sync")),
        ("stepIn", lambda: session.step()),
    ):
        step()
        client(command, threadId=5)
        assert cycle(session) in client.stop()["description"]
        times.append(session.units.moment(session.now))
    for was in reversed(times[:-1]):
        client("stepBack", threadId=5)
        client.stop()
        assert was  # the moments are those of session.back, which its own tests compare
    client("stepBack", threadId=5)
    assert client.stop()["description"].endswith("at cycle 0")
    client("stepOut", threadId=1)
    session.goto("start")
    session.finish("tensor")
    assert cycle(session) in client.stop()["description"]


def cycle(session: nasm.Session) -> str:
    """Where a session is, as a stop says it."""
    return session.units.moment(session.now).partition(", ")[2]


def test_conditions_hit_counts_and_messages_of_breakpoints(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "k.nasm"
    path.write_text((ROOT / "programs" / "matmul_k.nasm").read_text())
    client("initialize", adapterID="nasm", linesStartAt1=False)
    client("launch", program=str(path))
    rows = [
        {"line": 24, "condition": "k == 2"},
        {"line": 23, "hitCondition": ">= 4"},
        {"line": 17, "logMessage": "round {k}: {$a_1} {1 +}"},
        {"line": 27, "hitCondition": "often"},
        {"line": 27, "condition": "k ="},
    ]
    made = client("setBreakpoints", source={"path": str(path)}, breakpoints=rows)["breakpoints"]
    assert [one["verified"] for one in made] == [True, True, True, False, False]
    assert "does not say how often" in made[3]["message"]
    again = client("setBreakpoints", source={"path": str(path)}, breakpoints=rows)["breakpoints"]
    assert again[:3] == made[:3]  # they are what they were, with their counts
    client("configurationDone")
    stop = client.stop()
    assert stop["hitBreakpointIds"] == [made[0]["id"]]
    client.output()
    logged = [m["body"] for m in client.events if m["body"].get("line") == 17]
    assert [one["output"][:8] for one in logged] == [f"round {k}:" for k in range(4)]
    assert "<" in logged[0]["output"]
    frames = client("stackTrace", threadId=stop["threadId"])["stackFrames"]
    assert [frame["line"] for frame in frames][:1] == [24]
    assert "k = 2" in frames[1]["name"]
    assert client("evaluate", expression="k + 1", frameId=frames[0]["id"])["result"] == "3"
    client("continue", threadId=1)
    assert client.stop()["hitBreakpointIds"] == [made[1]["id"]]


def test_functions_data_and_instructions_have_breakpoints(client: Client, program: Path) -> None:
    client.launch(program, stopOnEntry=True)
    client.stop()
    names = [{"name": "TensorCopy"}, {"name": "nowhere"}]
    made = client("setFunctionBreakpoints", breakpoints=names)["breakpoints"]
    assert [one["verified"] for one in made] == [True, False]
    wanted = client("dataBreakpointInfo", name="acc")
    assert (wanted["dataId"], wanted["accessTypes"]) == ("acc", ["write", "read"])
    assert client("dataBreakpointInfo", name="$stored")["accessTypes"] == ["write"]
    assert client("dataBreakpointInfo", name="nothing")["dataId"] is None
    rows = [{"dataId": "acc[0, 0]", "accessType": "write"}, {"dataId": "$stored"}]
    data = client("setDataBreakpoints", breakpoints=rows)["breakpoints"]
    top = client.top(1)
    where = top["instructionPointerReference"]
    listed = client("disassemble", memoryReference=where, instructionOffset=-1, instructionCount=4)
    texts = [one["instruction"].split("  ")[0] for one in listed["instructions"]]
    assert texts == ["", "LoadStationary a", "MultiplyMoving acc, b", ""]
    rows = [{"instructionReference": where, "offset": 1}, {"instructionReference": "0x5"}]
    at = client("setInstructionBreakpoints", breakpoints=rows)["breakpoints"]
    assert [one["verified"] for one in at] == [True, False]
    reasons = []
    for _ in range(5):
        client("continue", threadId=1)
        stop = client.stop()
        reasons.append((stop["reason"], stop.get("hitBreakpointIds")))
    assert reasons[0] == ("instruction breakpoint", [at[0]["id"]])
    assert reasons[1] == ("data breakpoint", [data[0]["id"]])
    assert reasons[2] == ("function breakpoint", [made[0]["id"]])
    assert reasons[3] == ("data breakpoint", [data[1]["id"]])
    client("reverseContinue", threadId=1)
    client("reverseContinue", threadId=1)
    client.stop()
    assert client.stop()["hitBreakpointIds"] == [made[0]["id"]]


def test_hazards_deadlocks_and_nan_are_exceptions(client: Client) -> None:
    path = HAZARDS / "data-nan-at-birth.nasm"
    client("initialize", adapterID="nasm")
    client("launch", program=str(path))
    client("setExceptionBreakpoints", filters=["nan", "deadlock"])
    client("configurationDone")
    stop = client.stop()
    assert stop["reason"] == "exception"
    assert "NaN" in client("exceptionInfo")["description"]
    other = HAZARDS / "deadlock-cycle.nasm"
    client("restart", arguments={"program": str(other)})
    stop = client.stop()
    assert stop["reason"] == "exception"
    found = client("exceptionInfo")
    assert found["exceptionId"] == "E0510"
    assert "deadlock-cycle.nasm" in found["details"]["stackTrace"]
    places = [m["body"] for m in client.events if "E0510" in m.get("body", {}).get("output", "")]
    assert places[0]["source"]["path"] == str(other)
    assert places[0]["line"] > 0


def test_moves_in_the_console_stop_at_hazards_as_others_do(client: Client) -> None:
    client.launch(HAZARDS / "data-read-before-written.nasm", stopOnEntry=True)
    client.stop()
    done = client("evaluate", expression="run", context="repl")["result"]
    assert "for a hazard" in done
    client.stop()
    client("evaluate", expression="goto start", context="repl")
    client.stop()
    client("continue", threadId=1)
    assert client.stop()["reason"] == "exception"
    assert client("exceptionInfo")["exceptionId"].startswith("E05")


def test_a_long_run_answers_is_paused_and_goes_on(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "long.nasm"
    path.write_text(LONG)
    client.launch(path)
    begun = time.monotonic()
    assert client("threads")["threads"]
    made = client("setBreakpoints", source={"path": str(path)}, breakpoints=[{"line": 8}])
    assert made["breakpoints"][0]["verified"]
    assert client.refused("next", {"threadId": 2}) == "the run is moving: pause it first"
    client("pause", threadId=2)
    assert client.stop()["reason"] == "pause"
    assert time.monotonic() - begun < 60
    first = client("evaluate", expression="t[0, 0]")["result"]
    client("continue", threadId=2)
    client("pause", threadId=2)
    client.stop()
    assert float(client("evaluate", expression="t[0, 0]")["result"]) >= float(first)
    client("continue", threadId=2)
    client("disconnect")  # in the middle of it


def test_a_kernel_is_debugged_in_its_python(client: Client, tmp_path: Path) -> None:
    path = tmp_path / "k.py"
    path.write_text(KERNEL)
    client("initialize", adapterID="nasm")
    client("launch", program=f"{path}:halved", inputs={"x": "iota[128,4]"})
    source = {"path": str(path)}
    rows = client("setBreakpoints", source=source, breakpoints=[{"line": 7}])["breakpoints"]
    assert rows[0]["verified"], rows
    client("configurationDone")
    stop = client.stop()
    frames = client("stackTrace", threadId=stop["threadId"])["stackFrames"]
    assert (frames[0]["line"], frames[0]["source"]["path"]) == (7, str(path))


def test_a_recording_and_an_object_are_programs(client: Client, program: Path) -> None:
    session = nasm.Session(program)
    session.step(count=2)
    session.set("a[0, 0]", 3)
    path = program.with_suffix(".nrec")
    path.write_bytes(session.recorded())
    program.unlink()
    client.launch(path)
    stop = client.stop()
    assert cycle(session) in stop["description"]
    source = client.top(stop["threadId"])["source"]
    assert (
        "@tensor  MultiplyMoving  acc, b"
        in client("source", sourceReference=source["sourceReference"])["content"]
    )
    rows = client("setBreakpoints", source=source, breakpoints=[{"line": 19}])["breakpoints"]
    assert rows[0]["verified"]
    assert client("evaluate", expression="a[0, 0]")["result"] == "3.0"
    client("stepBack", threadId=5)
    client.stop()
    assert client("evaluate", expression="a[0, 0]")["result"] == "__"


def test_a_run_without_debugging_prints_its_report_and_leaves(
    client: Client, program: Path
) -> None:
    client.launch(program, lines=[15], noDebug=True)
    assert client.event("exited") == {"exitCode": 0}
    client.event("terminated")
    assert "C ~ A.T @ B" in client.output()


def test_restart_reads_the_file_again_and_keeps_breakpoints(client: Client, program: Path) -> None:
    client.launch(program, lines=[19])
    client.stop()
    text = program.read_text()
    program.write_text(text.replace(".target", "; a line\n.target", 1))
    client("restart")
    stop = client.stop()
    assert client.top(stop["threadId"])["line"] == 19
    program.write_text(text.replace("TensorCopy", "TensorCpy"))
    assert "TensorCpy" in client.refused("restart")
    assert "TensorCpy" in client.output()
    assert client.top(stop["threadId"])["line"] == 19  # it is as it was
