"""Chips joined by Ethernet: the queues of the base firmware, as a mock of what it promises."""
