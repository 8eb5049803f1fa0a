"""What an instruction *is*: operands, rules, costs, effects, and the target they belong to.

Nothing here runs anything and nothing here knows a particular machine.
"""

from nasm.base import docstrings

docstrings.require()
