; One MVMUL a cycle: 8 * 16 * 16 products and as many sums, 4,096 operations. Tiles of 32 by 32 by 32, both sources kept.
; At 1 GHz 4.096 TFLOP/s with one phase, 2.048 with two, 1.024 with four.
.target wormhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/math.nasm"
.const  PHASES = 1, TILES = 50, BEGIN = 82
.l1  a  bf16[32, 32]  tiled @ 0x4000 input = normal(seed=1)
.l1  b  bf16[32, 32]  tiled @ 0x8000 input = normal(seed=2)

formats()
unpack_pair(0x8000, 0x4000)
addr_mods()
acquire_dst()
@t1
    REPLAY  Index=0, Count=16, Exec=0, Load=1
.for m in [0, 1, 0, 2, 0, 1, 3, 0, 0, 1, 0, 2, 0, 1, 3, 1]
    MVMUL   AddrMod=m
.end
.for tile in 0..TILES * PHASES
    REPLAY  Index=0, Count=16
.end
.expect cycles(t1) >= 16 * PHASES * TILES
.expect cycles(t1) <= 16 * PHASES * TILES + BEGIN
