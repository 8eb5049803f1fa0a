"""Numbers that are the same on every host: matrix products, and functions rounded correctly.

IEEE 754 fixes what ``+ - * /`` and the square root give, and how one dtype is rounded to another;
NumPy computes these in the same way everywhere. It leaves open in which order a library adds up a
product of matrices, and the last bits of ``exp`` and its kin: both differ from one processor, or
one version of NumPy, to the next. What is computed here has one right answer, the exact result
rounded once, and that is what comes out, whatever the host's libraries make of the way to it.
"""

from nasm.base.exact.doubles import multiply
from nasm.base.exact.factors import Factor
from nasm.base.exact.libraries import Formula
from nasm.base.exact.products import product, unrounded
from nasm.base.exact.rounding import rounded

__all__ = ["Factor", "Formula", "multiply", "product", "rounded", "unrounded"]
