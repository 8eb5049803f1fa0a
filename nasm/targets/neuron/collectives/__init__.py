"""Exchanges between ranks: which links they take, and how long."""
