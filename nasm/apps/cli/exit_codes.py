"""What the command ends with; what else ends it has codes of its own (`nasm/base/signals.py`)."""

from typing import Final

OK: Final = 0
BROKEN: Final = 1
"""The text was read, and what it promises does not hold; or it is not formatted."""
REFUSED: Final = 2
"""The text, the command line or a file is wrong."""
DEFECT: Final = 70
"""nasm has a defect."""
