"""Texts of programs within HTML, where they are nothing but text."""

from __future__ import annotations

from html import escape

from nasm.base.problems import clean


def shown(text: str) -> str:
    """A text as HTML shows it, with what cannot be seen made visible."""
    return escape(clean(text))
