; Threads are t0, t1 and t2.
.target wormhole
@t3 NOP
@vector NOP
