"""Python in a browser lacks processes, threads, timers and some modules: nothing asks for them."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from nasm.apps.play.in_browser import answer

PROGRAMS = Path(__file__).parents[2] / "programs"

LACKING = """
import os, subprocess, sys, threading, signal, time
for name in ("resource", "pwd", "prompt_toolkit", "wcwidth"):
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
"""What Pyodide 314 lacks, as was found out in it, and packages that the page leaves out."""


def test_questions_and_runs_need_nothing_that_a_browser_lacks() -> None:
    texts = [(PROGRAMS / name).read_text() for name in ("matmul.nasm", "tensix/exp.nasm")]
    place = {"line": 14, "character": 10}
    questions = [
        (what, {"text": text, **place})
        for text in texts
        for what in ("about", "check", "complete", "explain", "format", "run")
    ]
    lines = "".join(f"{what} {json.dumps(asked)}\n" for what, asked in questions)
    done = subprocess.run(
        [sys.executable, "-c", LACKING], input=lines, capture_output=True, text=True, check=False
    )
    assert not done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(questions)
    for (what, _), found in zip(questions, answers, strict=True):
        assert "error" not in found
        content = found["content"]
        if what == "check":
            assert not [each for each in content["problems"] if each["severity"] == "error"]
        if what == "run":
            assert content["ok"]
            assert content["page"].startswith("<!DOCTYPE html>")


def test_errors_are_sentences() -> None:
    for what, asked in (("run", "{}"), ("check", '{"text": 1}'), ("nothing", '{"text": ""}')):
        assert set(json.loads(answer(what, asked))) == {"error"}
    refused = json.loads(answer("run", json.dumps({"text": "@nothing Nop\n"})))["content"]
    assert refused["status"] == "refused"
    assert refused["page"] is None
