; Bits that no document gives a meaning.
.target wormhole
@t0
    .word 0x26007c00
    .word 0xff000000
