"""The two networks of a chip: where tiles are, the ways of packets, and what crosses when."""
