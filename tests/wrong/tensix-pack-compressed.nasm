; A configuration of zeros says that tiles are compressed.
.target wormhole
@t2
    PACR PackerMask=1, Last=1
