"""Python in a browser lacks processes, threads, timers and some modules: nothing asks for them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from nasm.apps.play.in_browser import answer

PROGRAMS = Path(__file__).parents[2] / "programs"

LACKING = """
import os, subprocess, sys, threading, signal, time
for name in ("resource", "pwd", "fcntl", "grp", "termios", "ssl", "lzma", "sqlite3", "curses",
             "_multiprocessing", "prompt_toolkit", "wcwidth"):
    sys.modules[name] = None
for module, name in ((signal, "setitimer"), (signal, "pthread_kill"), (time, "thread_time")):
    delattr(module, name)
def lacking(*_, **__):
    raise RuntimeError("can't start new thread")
threading.Thread.start = os.fork = subprocess.Popen.__init__ = lacking
sys.argv = ["play"]
from nasm.apps.play.in_browser import answer
for line in sys.stdin:
    what, asked = line.split(" ", 1)
    print(answer(what, asked))
"""
"""What Pyodide 314 lacks, as was found out in it, what earlier versions and hosts of it lack, and
packages that the page leaves out."""


def browser(questions: list[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    """The answers of a Python that lacks what that of a browser lacks."""
    lines = "".join(f"{what} {json.dumps(asked)}\n" for what, asked in questions)
    done = subprocess.run(
        [sys.executable, "-c", LACKING], input=lines, capture_output=True, text=True, check=False
    )
    assert not done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(questions)
    return answers


def test_questions_and_runs_need_nothing_that_a_browser_lacks() -> None:
    texts = [(PROGRAMS / name).read_text() for name in ("matmul.nasm", "tensix/exp.nasm")]
    place = {"line": 14, "character": 10}
    questions = [
        (what, {"text": text, **place})
        for text in texts
        for what in ("about", "check", "complete", "explain", "format", "run")
    ]
    for (what, _), found in zip(questions, browser(questions), strict=True):
        assert "error" not in found
        content = found["content"]
        if what == "check":
            assert not [each for each in content["problems"] if each["severity"] == "error"]
        if what == "run":
            assert content["ok"]
            assert content["page"].startswith("<!DOCTYPE html>")


def solution(name: str) -> str:
    return next((PROGRAMS / "exercises" / name / "solutions").iterdir()).read_text()


def test_exercises_are_judged_where_there_are_no_processes() -> None:
    right = [
        ("judge", {"exercise": name, "text": solution(name)}) for name in ("add", "kernel", "model")
    ]
    spun = "def rmsnorm(x, gain):\n    print('printed')\n    raise SystemExit(3)\n"
    wrong = [
        ("judge", {"exercise": "add", "text": "", "hints": 1}),
        ("judge", {"exercise": "kernel", "text": spun}),
        ("judge", {"exercise": "kernel", "text": "import nothing_there\n"}),
    ]
    asked = [*right, *wrong, *right[1:2], ("exercise", {"exercise": "kernel"})]
    found = browser(asked)
    contents = [each["content"] for each in found]
    assert [each["passed"] for each in contents[:-1]] == [True] * 3 + [False] * 3 + [True]
    assert "sys.exit(3)" in contents[4]["html"]
    assert "line 1: E0655" in contents[5]["html"]
    assert contents[-1]["language"] == "python"


def test_every_exercise_of_the_course_is_listed() -> None:
    about = json.loads(answer("about", "{}"))["content"]
    there = sorted(path.parent.name for path in PROGRAMS.glob("exercises/*/exercise.toml"))
    assert sorted(name for name, _ in about["exercises"]) == there
    assert about["elsewhere"] == 0


def test_errors_are_sentences() -> None:
    for what, asked in (("run", "{}"), ("check", '{"text": 1}'), ("nothing", '{"text": ""}')):
        assert set(json.loads(answer(what, asked))) == {"error"}
    refused = json.loads(answer("run", json.dumps({"text": "@nothing Nop\n"})))["content"]
    assert refused["status"] == "refused"
    assert refused["page"] is None
