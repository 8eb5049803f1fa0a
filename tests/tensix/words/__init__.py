"""Instruction words of Tensix."""
