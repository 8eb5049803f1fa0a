"""What an editor asks of a text: pure functions of it, and a server that answers with them.

Nothing here raises for a text, whatever it says. Only ``server`` knows the protocol.
"""
