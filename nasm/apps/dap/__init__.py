"""A debug adapter: the Debug Adapter Protocol, on a :class:`~nasm.debugger.session.Session`.

The published specification of the protocol is at microsoft.github.io/debug-adapter-protocol.
"""
