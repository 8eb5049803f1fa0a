; C = A @ B, a tile of 32 by 32 in bfloat16, from L1 to L1 on Blackhole: as programs/tensix/matmul.nasm, but for the
; files of its macros. The banks have the format that they were unpacked to, and one packer takes four rows at a time.
.target blackhole
.const PHASES = 2
.const FP32 = 0, DST32 = 0             ; -D FP32=1: A and B are f32, the sources tf32; DST32=1: 32 bits in Dst and C
.const IN = f32 if FP32 else bf16, SOURCE = tf32 if FP32 else bf16, OUT = f32 if DST32 else bf16
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/blackhole/math.nasm"
.include "lib/tensix/blackhole/pack.nasm"

.const A_AT = 0x4000, B_AT = 0x8000, C_AT = 0x10000
.l1  A  IN[32, 32]   tiled @ A_AT input = normal(seed=1)
.l1  B  IN[32, 32]   tiled @ B_AT input = normal(seed=2)
.l1  C  OUT[32, 32]  tiled @ C_AT output

formats(SOURCE, wide=DST32)
unpack_pair(B_AT, A_AT, IN, SOURCE)    ; t0: SrcA gets B, SrcB gets A
addr_mods()
acquire_dst()                          ; t1: a Dst of zeros
matmul_tile(PHASES)
release_dst()
pack_tile(C_AT, OUT)                   ; t2: waits for the post

.expect C ~ A @ B  rtol=2e-2 atol=5e-2
