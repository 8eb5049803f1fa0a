"""Tenstorrent Tensix (Wormhole B0): the coprocessor of one tile."""
