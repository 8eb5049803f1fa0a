; Three packers at once.
.target wormhole
@t2
    PACR PackerMask=7, Last=1
