"""Sources from what a Python program has: a path, or the text itself."""

from __future__ import annotations

from pathlib import Path

from nasm.problems import Failure, Problem
from nasm.source import Source

Text = str | Path | Source


def source_of(text_or_path: Text) -> Source:
    """A Source of a path, or of a text (anything with a newline is a text)."""
    if isinstance(text_or_path, Source):
        return text_or_path
    if isinstance(text_or_path, str) and "\n" in text_or_path:
        return Source("<text>", text_or_path)
    try:
        return Source(str(text_or_path), Path(text_or_path).read_text(encoding="utf-8"))
    except OSError as problem:
        reason = problem.strerror or str(problem)
        raise Failure(Problem("E0801", f"cannot read {text_or_path}: {reason}")) from None
    except UnicodeDecodeError:
        raise Failure(Problem("E0801", f"{text_or_path} is not UTF-8 text")) from None
