; A configuration of zeros says that tiles are compressed.
.target wormhole
@t0
    UNPACR WhichUnpacker=0
