"""The tree of a program's text: what was written and where, before anything is evaluated.

Nodes carry character offsets into their source; a statement becomes a
:class:`~nasm.base.source.Span` only when a diagnostic needs to point at it.
"""

# Everything in these files is part of the tree: a list of names would repeat them.
from nasm.language.text.tree.clauses import *  # noqa: F403
from nasm.language.text.tree.expressions import *  # noqa: F403
from nasm.language.text.tree.statements import *  # noqa: F403
