; C = A @ B with K = 32 * ROUNDS: a loop of tile products that add up in Dst. SrcA and SrcB have two banks
; each. While the matrix unit works on one, the unpackers fill the other; a flip hands it over. A round
; takes 64 cycles to unpack and 16 a phase to multiply: with four phases, little more for both together
.target wormhole
.const ROUNDS = 8, PHASES = 4

.include "lib/tensix/unpack.nasm"
.include "lib/tensix/math.nasm"
.include "lib/tensix/pack.nasm"

.const A_AT = 0x4000, B_AT = 0x10000, C_AT = 0x20000
.assert ROUNDS <= 24, "the tiles of A lie between 0x4000 and 0x10000"
.l1  A  bf16[32, 32 * ROUNDS]  tiled @ A_AT input = normal(seed=1)
.l1  B  bf16[32 * ROUNDS, 32]  tiled @ B_AT input = normal(seed=2)
.l1  C  f32[32, 32]            tiled @ C_AT output

formats(wide=1)                             ; Dst has 32 bits; with 16 each product rounds the sum
unpack_pair(B_AT, A_AT, tiles=ROUNDS)       ; a tile of each operand, then the next, as soon as banks are free
addr_mods()
acquire_dst()
matmul_tile(PHASES, ROUNDS)                 ; Dst keeps the sum; SETRWC gives both banks back
release_dst()
pack_tile(C_AT, f32)

.expect C ~ A @ B  rtol=2e-3 atol=2e-2
.expect cycles(t2) <= 137 + 131 * ROUNDS // 2    ; one after the other, unpack and multiply would take 130 a round
