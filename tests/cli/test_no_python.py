"""Python is run only where it is named as Python, and may be run."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nasm.base.problems import Failure
from nasm.nki.kernel_argument import split
from nasm.nki.loading import load

EVIL = "from pathlib import Path\nPath('ran').touch()\n\n\ndef good(x):\n    return x\n"
VERBS = ("run", "nki", "profile", "diff", "check", "print", "list", "asm", "repl")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("evil.py").write_text(EVIL, encoding="utf-8")
    return tmp_path


def test_a_file_that_is_called_like_a_kernel_is_that_file(ran: Any, folder: Path) -> None:
    assert split("evil.py:good") == ("evil.py", "good")
    Path("evil.py:good").touch()
    assert split("evil.py:good") is None
    for verb in VERBS:
        ran(verb, "evil.py:good")
    assert ran("check", "evil.py:good", "evil.py").code == 2
    assert not Path("ran").exists()


@pytest.mark.parametrize("option", ["--no-python", "--no-files"])
def test_no_verb_runs_python_where_it_is_forbidden(ran: Any, folder: Path, option: str) -> None:
    for verb in VERBS:
        more = ["evil.py:good"] if verb == "diff" else []
        done = ran(verb, option, "evil.py:good", *more)
        assert done.code == 2, verb
        assert "evil.py:good is Python, and Python may not be run" in done.err + done.out, verb
    assert "evil.py is Python" in ran("nki", option, "evil.py").err
    assert not Path("ran").exists()


def test_python_forbids_it_too(folder: Path) -> None:
    with pytest.raises(Failure, match="E0656"):
        load("evil.py:good", {}, {}, python=False)
    assert not Path("ran").exists()


def test_the_kernels_of_a_file_are_listed_without_running_it(ran: Any, folder: Path) -> None:
    Path("some.py").write_text(
        f"{EVIL}\n@nki.jit\ndef one(x): ...\n\n\n@jit(mode='x')\ndef two(x): ...\n", "utf-8"
    )
    done = ran("check", "some.py")
    assert (done.code, "hint: write some.py:one or some.py:two" in done.err) == (2, True)
    assert not Path("ran").exists()


@pytest.mark.parametrize("content", [b"def f(:\n", b"\0", b"\xff\xfe", b"(" * 10_000])
def test_a_file_that_is_no_python_is_none_either(ran: Any, folder: Path, content: bytes) -> None:
    Path("some.py").write_bytes(content)
    assert "it has none: nki.jit makes a kernel" in ran("check", "some.py").err


EXPECTS = """\
.target trn2
.hbm x f32[4, 4] input = iota
.hbm y f32[4, 4] output
@sync DmaCopy y, x
@sync .drain
.expect y ~ evil.py:good(x)
"""


@pytest.mark.parametrize("option", ["--no-python", "--no-files", "--isolated"])
def test_no_verb_calls_the_function_of_an_expectation(ran: Any, folder: Path, option: str) -> None:
    Path("k.nasm").write_text(EXPECTS, encoding="utf-8")
    for verb in VERBS if option != "--isolated" else ("run",):
        done = ran(verb, option, "k.nasm", *(["k.nasm"] if verb == "diff" else []))
        if verb in ("run", "repl"):
            assert "evil.py:good is Python, and Python may not be run" in done.err + done.out, verb
    assert not Path("ran").exists()


def test_what_does_not_run_with_values_calls_none(ran: Any, folder: Path) -> None:
    Path("k.nasm").write_text(EXPECTS, encoding="utf-8")
    for verb in ("check", "print", "list", "asm"):
        done = ran(verb, "k.nasm")
        refused = verb == "asm"  # no object file holds Python
        assert (done.code, "E0229" in done.err) == (2 * refused, refused), verb
    assert not Path("ran").exists()


def test_the_command_calls_the_function_of_an_expectation(ran: Any, folder: Path) -> None:
    Path("k.nasm").write_text(EXPECTS, encoding="utf-8")
    Path("evil.py").write_text(EVIL.replace("return x", "print('told'); return x"), "utf-8")
    done = ran("run", "--json", "k.nasm")
    assert (done.code, done.out.startswith("{"), "told" in done.out) == (0, True, False)
    assert Path("ran").exists()
