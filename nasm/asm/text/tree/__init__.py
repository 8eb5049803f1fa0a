"""The tree of a program's text: what was written and where, before anything is evaluated.

Nodes carry character offsets into their source; a statement becomes a
:class:`~nasm.source.Span` only when somebody needs to point at it.
"""

# Whatever stands in one of these files is part of the tree: a list of names would repeat them.
from nasm.asm.text.tree.clauses import *  # noqa: F403
from nasm.asm.text.tree.expressions import *  # noqa: F403
from nasm.asm.text.tree.statements import *  # noqa: F403
