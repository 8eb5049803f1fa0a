; A configuration of zeros says that tiles are compressed.
.target wormhole
.cfg UNP0_ADDR_BASE_REG_1_Base = 256
@t0
    UNPACR WhichUnpacker=0
