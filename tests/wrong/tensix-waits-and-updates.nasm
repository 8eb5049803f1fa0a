; Threads have no semaphores of the assembler.
.target wormhole
.sem done
@t0 NOP $done++
