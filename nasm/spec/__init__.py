"""What an instruction *is*: operands, rules, costs, effects, and the target they belong to.

Nothing here runs anything and nothing here knows a particular machine.
"""

from nasm import docstrings

docstrings.require()

from nasm.spec import reshape as reshape  # noqa: E402  (it enters the methods of every view)
