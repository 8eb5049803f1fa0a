"""NKI 0.1, ``neuronxcc.nki``: calls return tiles, and become calls of today that write them."""
