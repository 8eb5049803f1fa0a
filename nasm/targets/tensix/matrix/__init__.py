"""The matrix unit, and the unpackers and packers that feed and empty it."""
