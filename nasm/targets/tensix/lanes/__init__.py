"""The vector unit: 32 lanes of 32 bits, by the topics of its instructions."""
