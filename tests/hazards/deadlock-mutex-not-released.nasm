; deadlock: a thread ends with a mutex that another one wants
.target wormhole
@t0 ATGETM Index=3
;+ @t0 ATRELM Index=3
@t1 NOP
@t1 ATGETM Index=3
