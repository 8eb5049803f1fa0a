"""Views as a text writes them, or a refusal."""

from __future__ import annotations

from nasm.base.problems import Refused
from nasm.language.printing.files import UNPRINTABLE
from nasm.views.spelling import spell, spelled
from nasm.views.view import View


def view_text(view: View) -> str:
    """Text that assembles to a view; raises Refused if there is none."""
    text = spelled(view)
    if not text:
        raise Refused(UNPRINTABLE, f"no text gives this view of {view.tensor.name}: {spell(view)}")
    return text
