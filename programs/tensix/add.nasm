; c = a + b, a tile of 32 by 32: three threads unpack, add and pack
.target wormhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/math.nasm"
.include "lib/tensix/pack.nasm"
.l1  a  bf16[32, 32]  tiled @ 0x4000   input = normal(seed=1)
.l1  b  bf16[32, 32]  tiled @ 0x8000   input = normal(seed=2)
.l1  c  bf16[32, 32]  tiled @ 0x10000  output

formats()                    ; SrcA, SrcB and Dst are bf16
unpack_pair(0x4000, 0x8000)  ; t0: a to SrcA, b to SrcB
acquire_dst()
eltwise()                    ; t1: Dst = SrcA + SrcB, eight rows a cycle
release_dst()                ; posts semaphore 1 when the matrix unit is done
pack_tile(0x10000)           ; t2: waits for the post, and packs Dst to c

.expect c ~ a + b  rtol=4e-3
.expect cycles(t2) <= 114
