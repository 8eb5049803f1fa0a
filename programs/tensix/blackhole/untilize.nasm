; A tile of 32 by 32 in bfloat16 becomes rows of numbers: copied to Dst, and packed by two interfaces that read rows of
; neighbouring faces. On Wormhole a tile stays a tile (programs/tensix/tilize.nasm goes the other way).
.target blackhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/blackhole/math.nasm"
.include "lib/tensix/blackhole/pack.nasm"

.const A_AT = 0x4000, C_AT = 0x10000
.l1  A  bf16[32, 32]  tiled @ A_AT input = normal(seed=1)
.l1  C  bf16[32, 32]  @ C_AT output

formats()
unpack_tile(A_AT)                      ; t0
acquire_dst()                          ; t1
copy_tile()
release_dst()
pack_untilized(C_AT)                   ; t2: waits for the post

.expect C == A
