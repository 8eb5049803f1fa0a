"""How much memory there is, by whatever limits it, and what is refused for want of it."""

from __future__ import annotations

import resource
import subprocess
import sys
from pathlib import Path

import pytest

import nasm
from nasm.base import host_memory
from nasm.base.problems import Failure, Refused

MIB, GIB = 2**20, 2**30


@pytest.fixture
def computer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A computer with 8 GiB available and no limits, whose files can be written."""
    monkeypatch.setattr(host_memory, "PROC", str(tmp_path / "proc"))
    monkeypatch.setattr(host_memory, "CGROUPS", str(tmp_path / "groups"))
    monkeypatch.setattr(resource, "getrlimit", lambda _: (resource.RLIM_INFINITY,) * 2)
    write(tmp_path, "proc/meminfo", f"MemTotal: 99999 kB\nMemAvailable: {8 * MIB} kB\n")
    return tmp_path


def write(computer: Path, name: str, text: object) -> None:
    path = computer / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"{text}\n", encoding="utf-8")


def test_without_limits_it_is_what_the_computer_has_available(computer: Path) -> None:
    assert host_memory.available() == (8 * GIB, "this computer has available")


def test_without_a_word_of_the_kernel_it_is_the_physical_memory(
    computer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (computer / "proc/meminfo").unlink()
    sizes = {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1000}
    monkeypatch.setattr(host_memory.os, "sysconf", sizes.__getitem__)
    assert host_memory.available() == (4_096_000, "this computer has")


def test_nothing_is_said_where_nothing_tells(
    computer: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (computer / "proc/meminfo").unlink()
    monkeypatch.delattr(host_memory.os, "sysconf")
    assert host_memory.available() is None
    host_memory.room_for([("all", 2**80)])


@pytest.mark.parametrize("at", ["a/b", "a", ""])
def test_a_control_group_and_those_above_it_leave_what_they_do_not_hold(
    computer: Path, at: str
) -> None:
    write(computer, "proc/self/cgroup", "0::/a/b")
    for folder in ("a/b", "a"):
        write(computer, f"groups/{folder}/memory.max", "max")
    write(computer, f"groups/{at}/memory.max", 3 * GIB)
    write(computer, f"groups/{at}/memory.current", 2 * GIB)
    assert host_memory.available() == (GIB, "the control group (container) leaves")
    # the cache of files goes when memory is wanted
    write(computer, f"groups/{at}/memory.stat", f"anon 5\ninactive_file {GIB // 2}\nslab 7")
    assert host_memory.available() == (GIB + GIB // 2, "the control group (container) leaves")
    write(computer, f"groups/{at}/memory.current", 4 * GIB)
    assert host_memory.available() == (0, "the control group (container) leaves")


def test_control_groups_of_version_1_are_asked_too(computer: Path) -> None:
    write(computer, "proc/self/cgroup", "7:cpu,cpuacct:/x\n4:memory:/docker/1")
    write(computer, "groups/memory/docker/1/memory.limit_in_bytes", 2 * GIB)
    write(computer, "groups/memory/docker/1/memory.usage_in_bytes", GIB)
    write(computer, "groups/memory/memory.limit_in_bytes", 9223372036854771712)
    assert host_memory.available() == (GIB, "the control group (container) leaves")
    # within a container its group is the root of what can be seen
    write(computer, "proc/self/cgroup", "4:memory:/elsewhere")
    write(computer, "groups/memory/memory.limit_in_bytes", 3 * GIB)
    assert host_memory.available() == (3 * GIB, "the control group (container) leaves")


@pytest.mark.parametrize(("kind", "name", "field"), [("AS", "-v", 0), ("DATA", "-d", 5)])
def test_limits_of_the_shell_leave_what_is_not_used(
    computer: Path, monkeypatch: pytest.MonkeyPatch, kind: str, name: str, field: int
) -> None:
    wanted = getattr(resource, f"RLIMIT_{kind}")
    none = resource.RLIM_INFINITY
    monkeypatch.setattr(
        resource, "getrlimit", lambda which: (GIB if which == wanted else none, none)
    )
    pages = ["0"] * 7
    pages[field] = "1000"
    write(computer, "proc/self/statm", " ".join(pages))
    left = GIB - 1000 * resource.getpagesize()
    assert host_memory.available() == (left, f"the limit of the shell (ulimit {name}) leaves")


def test_a_refusal_names_the_largest_needs_and_who_limits(computer: Path) -> None:
    needs = [("c", 2 * GIB), ("a", 4 * GIB), ("d", MIB), ("b", 3 * GIB)]
    with pytest.raises(Refused) as refused:
        host_memory.room_for(needs, "buy some")
    assert refused.value.code == "E0808"
    assert refused.value.message == (
        "this needs 9.0 GiB of memory: 4.0 GiB for a, 3.0 GiB for b and 2.0 GiB for c, and "
        "smaller needs; this computer has available 8.0 GiB"
    )
    host_memory.room_for([("all", 8 * GIB)])


# -- programs


def having(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    for module in ("nasm.base.host_memory", "nasm.machine.memory_needs"):
        monkeypatch.setattr(f"{module}.available", lambda: (size, "this test has"))


def load(*lines: str) -> nasm.Session:
    return nasm.Session("\n".join([".target trn2", *lines, ""]))


STORE = f".hbm X u8[{64 * MIB}]"


@pytest.mark.turns(3)
@pytest.mark.parametrize(
    ("needed", "said", "lines"),
    [
        # the tensor and its shadow memory
        (128, "64.0 MiB for the tensors", [f"{STORE} output", "@sync Nop"]),
        # initialised as a whole it needs no shadow memory
        (64, "64.0 MiB for the tensors", [f"{STORE} = zeros", "@sync Nop"]),
        # a quarter of it is overwritten: its bytes and shadow memory are kept
        (
            97,
            "32.0 MiB for keeping what is overwritten",
            [
                f".hbm X u8[128, {MIB // 2}] = zeros",
                ".sbuf x u8[128, 8192] = zeros",
                "@sync DmaCopy X[:, 0:131072], X[:, 131072:262144]",
            ],
        ),
        (
            64 + 24,
            "24.0 MiB for '.expect X == 0'",
            [f"{STORE} = zeros", "@sync Nop", ".expect X == 0"],
        ),
        (
            64 + 24 + 1024,
            "1.0 GiB for '.expect cumsum(X) == 0'",
            [f"{STORE} = zeros", "@sync Nop", ".expect cumsum(X) == 0"],
        ),
    ],
)
def test_what_a_program_needs_is_reported_before_it_is_taken(
    needed: int, said: str, lines: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    having(monkeypatch, (needed - 1) * MIB)
    with pytest.raises(Failure, match="E0808") as failure:
        load(*lines)
    assert said in str(failure.value)
    assert "this test has" in str(failure.value)
    having(monkeypatch, (needed + 2) * MIB)
    load(*lines)


def test_an_expectation_that_turns_out_too_large_is_an_error_of_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    session = load(".hbm X u8[1024, 1024] = zeros", "@sync Nop", ".expect cumsum(X) == 0")
    having(monkeypatch, MIB)
    report = session.run(hashes=False)
    (problem,) = report.problems
    assert problem.code == "E0808"
    assert problem.span is not None
    assert problem.span.text == "cumsum(X)"


@pytest.mark.turns(3)
def test_a_limit_of_the_shell_is_met_with_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "large.nasm"
    path.write_text(".target trn1\n.hbm X u8[3_000_000_000] output\n@sync Nop\n", encoding="utf-8")
    code = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (4 * 2**30,) * 2); "
        "from nasm.apps.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "run", str(path)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2
    assert (
        "error[E0808]: this needs 5.6 GiB of memory: 2.8 GiB for the " in done.stderr + done.stdout
    )
    assert "the limit of the shell (ulimit -v) leaves" in done.stderr + done.stdout


def test_without_a_limit_an_error_of_the_interpreter_says_nothing_of_memory(computer: Path) -> None:
    assert host_memory.lacking(MemoryError())
    assert not host_memory.lacking(SystemError("bad argument"))
