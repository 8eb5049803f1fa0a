"""Views as a text writes them, or a refusal."""

from __future__ import annotations

from nasm.printer.files import UNPRINTABLE
from nasm.problems import Refused
from nasm.spec.spell import spell, spelled
from nasm.spec.view import View


def view_text(view: View) -> str:
    """Text that assembles to a view; raises Refused if there is none."""
    text = spelled(view)
    if not text:
        raise Refused(UNPRINTABLE, f"no text gives this view of {view.tensor.name}: {spell(view)}")
    return text
