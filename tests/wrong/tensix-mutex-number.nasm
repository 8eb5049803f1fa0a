; There are mutexes 0, 2, 3 and 4.
.target wormhole
@t0 ATGETM Index=1
