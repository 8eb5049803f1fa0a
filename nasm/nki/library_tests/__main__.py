"""``python -m nasm.nki.library_tests``."""

import sys

from nasm.nki.library_tests.test_process import main

if __name__ == "__main__":
    sys.exit(main())
