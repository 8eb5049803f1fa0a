; A mutex of the sync unit: while t0 holds it, t1 waits at its gate; and semaphores, as in ring.nasm.
.target wormhole
@t0
    ATGETM   Index=2
.for n in 0..20
    SFPNOP
.end
    ATRELM   Index=2
@t1
    SFPNOP
    ATGETM   Index=2
    ATRELM   Index=2
.expect cycles(t1) >= 22
