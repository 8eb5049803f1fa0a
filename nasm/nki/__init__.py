"""AWS's kernel language NKI: a kernel is run, each of its calls recorded, and a program made of it.

    import nasm.nki
    with nasm.nki.installed():
        import their_module
    result = nasm.nki.run(their_module.kernel, a, b)

What stands in ``nki``, ``nki.isa`` and ``nki.language`` there is made of the rows of the table of
instructions; the names are AWS's.
"""

from nasm.nki.hook import installed

__all__ = ["installed"]
