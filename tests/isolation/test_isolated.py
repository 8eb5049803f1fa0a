"""Programs and kernels of others in child processes: every way out is an outcome."""

from __future__ import annotations

import json
import os
import pickle
import platform
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import nasm
from nasm.apps.cli import main
from nasm.base.problems import Failure
from nasm.isolation import landlock, process
from nasm.isolation.limits import Limits

KERNELS = """\
import os, signal, socket, subprocess, sys, time
import nki, nki.isa as nisa, nki.language as nl


def doubled(x):
    y = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.shared_hbm)
    t = nl.ndarray(x.shape, dtype=x.dtype, buffer=nl.sbuf)
    nisa.dma_copy(dst=t, src=x)
    nisa.tensor_scalar(dst=t, data=t, op0=nl.multiply, operand0=2.0)
    nisa.dma_copy(dst=y, src=t)
    return y


def refused(call):
    try:
        call()
    except OSError:
        return True
    return False


def touch(path):
    open(path, "w").close()


@nki.jit
def good(x):
    print("hello")
    with open("mine", "w") as file:
        file.write("x")
    here = os.path.dirname(__file__)
    tried = {
        "write": lambda: touch(os.path.join(here, "stolen")),
        "chmod": lambda: os.chmod(__file__, 0o777),
        "remove": lambda: os.unlink(os.path.join(here, "secret")),
        "truncate": lambda: os.truncate(__file__, 0),
        "read": lambda: open(os.path.join(os.path.dirname(here), "outside")),
        "network": lambda: socket.socket(),
        "fork": os.fork,
        "program": lambda: subprocess.run(["true"]),
        "parent": lambda: os.kill(os.getppid(), 0),
        "files": lambda: [os.dup2(2, number) for number in (64, 1000)],
        "size": lambda: open("large", "wb").write(bytes(2 << 20)),
    }
    print(sorted(name for name, call in tried.items() if not refused(call)))
    return doubled(x)


@nki.jit
def exits(x):
    sys.exit(0)


@nki.jit
def leaves(x):
    os._exit(0)


@nki.jit
def dies(x):
    os.kill(os.getpid(), signal.SIGSEGV)


@nki.jit
def closes(x):
    os.closerange(0, 64)
    return doubled(x)


@nki.jit
def floods(x):
    os.close(2)
    for _ in range(100):
        print("x" * 10_000)
    return doubled(x)


@nki.jit
def spins(x):
    while True:
        pass


@nki.jit
def sleeps(x):
    time.sleep(1000)


@nki.jit
def eats(x):
    return bytearray(8 << 30)


@nki.jit
def raises(x):
    raise ValueError("no")


@nki.jit
def forges(x):
    for number in range(3, 16):
        try:
            os.write(number, b"a pass" * 100)
        except OSError:
            pass
    os._exit(0)
"""
LIMITS = Limits(cpu=20, deadline=60, memory=4 << 30, file_size=1 << 20)
X = {"x": np.full((4, 8), 3, np.float32)}


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> str:
    base = tmp_path_factory.mktemp("others")
    (base / "outside").write_text("golden", encoding="utf-8")
    path = base / "in" / "k.py"
    path.parent.mkdir()
    path.with_name("secret").touch()
    path.write_text(KERNELS, encoding="utf-8")
    return str(path)


def test_a_kernel_that_keeps_to_the_limits(file: str) -> None:
    outcome = nasm.isolated(f"{file}:good", X, limits=LIMITS)
    assert (outcome.how, outcome.ok, outcome.problems) == ("ran", True, ())
    assert outcome.outputs is not None
    (y,) = outcome.outputs.values()
    assert (y == 6).all()
    assert outcome.stdout.text.startswith("hello\n")
    active = {p.name: p.active for p in outcome.protections}
    assert active["writing files"] is active["reading files"] is landlock.available()
    if sys.platform == "linux" and platform.machine() in ("x86_64", "aarch64"):
        assert active["network"]
        assert active["processes"]
    if all(protection.active for protection in outcome.protections):
        assert outcome.stdout.text == "hello\n[]\n"
        assert outcome.unprotected == ""
    again = pickle.loads(pickle.dumps(outcome))
    assert again.document() == outcome.document() == json.loads(json.dumps(outcome.document()))
    assert sorted(os.listdir(Path(file).parent)) == ["k.py", "secret"]


@pytest.mark.turns(6)
@pytest.mark.parametrize(
    ("name", "how", "said"),
    [
        ("exits", "refused", "the kernel calls sys.exit(0): nothing was run"),
        ("leaves", "exited", "its process exited with 0, and without a result"),
        ("dies", "signal", "its process was ended by the signal SIGSEGV"),
        ("closes", "exited", "without a result"),
        ("spins", "cpu", "it took 1 s of processor time"),
        ("sleeps", "deadline", "it was still running after 6 s"),
        ("eats", "memory", "limit of memory"),
        ("raises", "refused", "ValueError: no"),
        ("forges", "exited", "its process exited with 0, and without a result"),
    ],
)
def test_every_way_out_is_an_outcome_and_none_is_a_pass(
    file: str, name: str, how: str, said: str
) -> None:
    limits = {"spins": Limits(cpu=1), "sleeps": Limits(deadline=6)}
    outcome = nasm.isolated(f"{file}:{name}", X, limits=limits.get(name, LIMITS))
    assert (outcome.how, outcome.ok, outcome.report) == (how, False, None)
    (problem,) = outcome.problems
    assert said in problem.message
    assert said in str(outcome)
    document = json.loads(json.dumps(outcome.document()))
    assert (document["ok"], document["how"]) == (False, how)
    if name in ("exits", "raises"):
        assert problem.span is not None
        assert problem.span.source.name.endswith("k.py")


@pytest.mark.turns(6)
def test_what_it_prints_is_kept_up_to_a_limit(file: str) -> None:
    outcome = nasm.isolated(f"{file}:floods", X, limits=LIMITS)
    assert outcome.ok
    assert len(outcome.stdout.text) == LIMITS.output
    assert outcome.stdout.left_out == 100 * 10_001 - LIMITS.output


@pytest.mark.turns(6)
def test_a_program_is_run_as_in_this_process(tmp_path: Path) -> None:
    text = ".target trn2\n.sbuf t f32[4, 8]\n@vector Memset t, 1.0\n.expect t == 2\n"
    here = nasm.run(text)
    outcome = nasm.isolated(text, limits=LIMITS)
    assert outcome.how == "ran"
    assert outcome.report is not None
    assert outcome.report.trace_hash == here.report.trace_hash
    assert outcome.ok is here.ok is False
    wrong = nasm.isolated(".target trn2\n@sync Nopp\n", limits=LIMITS)
    assert wrong.how == "refused"
    assert "2 | @sync Nopp" in str(wrong)


def test_what_the_caller_gives_and_cannot_be_used_is_a_failure(file: str) -> None:
    for more in ({"python": False}, {"files": False}):
        with pytest.raises(Failure, match="E0656"):
            nasm.isolated(f"{file}:good", X, **more)  # type: ignore[arg-type]
    with pytest.raises(Failure, match="E0801"):
        nasm.isolated("nowhere.nasm")
    with pytest.raises(ValueError, match="limit memory"):
        Limits(memory=0)


@pytest.mark.turns(6)
def test_the_command_says_what_became_of_it(
    file: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    made = str(tmp_path / "y.npy")
    words = ["--isolated", "--json", "--in", "x=ones[4,8]"]
    assert main(["run", f"{file}:good", *words, "--out", f"y={made}"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["status"], document["isolation"]["how"]) == ("finished", "ran")
    assert (np.load(made) == 2).all()
    page = Path(__file__).parents[2] / "docs" / "json.md"
    part = page.read_text(encoding="utf-8").split("## Isolated runs")[1].split("\n## ")[0]
    keys = re.findall(r"^\| `isolation\.(\w+)(?:\[\])?\.?(\w*)`", part, re.MULTILINE)
    assert {key for key, _ in keys} == set(document["isolation"])
    inner = {key for of, key in keys if of == "protections"}
    assert inner == set(document["isolation"]["protections"][0])
    assert main(["run", f"{file}:leaves", *words]) == 1
    document = json.loads(capsys.readouterr().out)
    assert (document["ok"], document["status"]) == (False, "fault")
    assert document["isolation"]["how"] == "exited"


def test_whatever_is_left_behind_is_ended() -> None:
    code = "import os, time\nif os.fork() == 0: time.sleep(1000)\nprint('gone', flush=True)\n"
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    assert child.stdout is not None
    assert child.stderr is not None
    reading, writing = os.pipe()
    os.close(writing)
    pipes = {"stdout": child.stdout.fileno(), "stderr": child.stderr.fileno()}
    began = time.monotonic()
    with open(reading, "rb"), child.stdout, child.stderr:
        ended = process._followed(child, pipes, reading, LIMITS, began + 60, bool)
    assert time.monotonic() - began < 30
    assert (ended.status, ended.late, bytes(ended.printed["stdout"])) == (0, False, b"gone\n")
    deadline = time.monotonic() + 10
    while _alive(child.pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _alive(child.pid)


def _alive(group: int) -> bool:
    """Whether a process of a group is left that is no zombie."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    stats = [p / "stat" for p in Path("/proc").iterdir() if p.name.isdigit()]
    for path in stats:
        try:
            fields = path.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[2]) == group and fields[0] != "Z":
            return True
    return False


def test_a_caller_cancels_what_it_no_longer_wants(monkeypatch: pytest.MonkeyPatch) -> None:
    children: list[subprocess.Popen[bytes]] = []
    start = process._started

    def started(*given: Any) -> subprocess.Popen[bytes]:
        children.append(start(*given))
        return children[-1]

    monkeypatch.setattr(process, "_started", started)
    tile = ".target trn2\n.sbuf a f32[128, 8192]\n"
    looks = iter([False] * 10)
    with pytest.raises(process.Cancelled):
        nasm.isolated(
            f"{tile}@vector\n.for i in 0..9000\nMemset a, 1.0\n.end\n",
            limits=LIMITS,
            cancelled=lambda: next(looks, True),
        )
    (child,) = children
    assert child.returncode is not None
    assert not _alive(child.pid)
