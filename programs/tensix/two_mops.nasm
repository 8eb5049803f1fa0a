; s = a + b and d = c: two operations, each with templates of its own for the MOP expanders of two threads, which
; their RISC-V cores rewrite in between, as the init functions of kernels do
.target wormhole
.include "lib/tensix/unpack.nasm"
.include "lib/tensix/math.nasm"
.include "lib/tensix/pack.nasm"
.l1  a  bf16[32, 32]  tiled @ 0x4000 input = normal(seed=1)
.l1  b  bf16[32, 32]  tiled @ 0x8000 input = normal(seed=2)
.l1  c  bf16[32, 32]  tiled @ 0xC000 input = normal(seed=3)
.l1  s  bf16[32, 32]  tiled @ 0x10000 output
.l1  d  bf16[32, 32]  tiled @ 0x14000 output

formats()
unpacker(0, 0x4000)
unpacker(1, 0x8000)
addr_mod(0, srca=8, srcb=8, dst=8)
addr_mod(1, clear=1)
acquire_dst(clear=0)

; -- the sum: t0 unpacks two tiles, t1 adds eight rows at a time
@t0
.write MOP1_OuterCount = 1, MOP1_InnerCount = 1
.write MOP1_StartOp: UNPACR WhichUnpacker=0, MultiContextMode=1, FlipSrc=1, Last=1
.write MOP1_Loop0Last: UNPACR WhichUnpacker=1, MultiContextMode=1, FlipSrc=1, Last=1
.write MOP1_LoopOp1: NOP                                 ; NOP means that there is none
.write MOP1_EndOp0: NOP
    SETADCXX  U0=1, U1=1, X1Val=1023, X0Val=0
    MOP       Template=DOUBLE_LOOP
@t1
.write MOP1_OuterCount = 1, MOP1_InnerCount = 8
.write MOP1_StartOp: NOP
.write MOP1_LoopOp: ELWADD AddrMod=0
.write MOP1_LoopOp1: NOP
.write MOP1_Loop0Last: ELWADD AddrMod=1
.write MOP1_EndOp0: SETRWC FlipSrcB=1, FlipSrcA=1
.write MOP1_EndOp1: NOP
    MOP       Template=DOUBLE_LOOP

; -- the copy: t0 unpacks one tile, t1 moves eight rows at a time to the next tile of Dst
@trisc0  LW  CoprocessorDoneCheck                            ; the unpacks are done with the old address
@t0
.write MOP1_StartOp: NOP
.write MOP1_Loop0Last: UNPACR WhichUnpacker=0, MultiContextMode=1, FlipSrc=1, Last=1
.write THCON_SEC0_REG3_Base_address = 0xC000 // 16 - 1  host=1
    STALLWAIT  BlockMask=STALL_UNPACK, ConditionMask=TRISC_CFG    ; else the unpack may be there before the address
    MOP        Template=DOUBLE_LOOP
@trisc1  LW  MOPExpanderDoneCheck                            ; the expander has made all of the first
@t1
.write MOP1_LoopOp: MOVA2D Move8Rows=1, AddrMod=0, DstRow=64
.write MOP1_Loop0Last: MOVA2D Move8Rows=1, AddrMod=1, DstRow=64
.write MOP1_EndOp0: SETRWC FlipSrcA=1
    MOP    Template=DOUBLE_LOOP
release_dst()
pack_tile(0x10000)
pack_from(64, 0x14000)

.expect s ~ a + b  rtol=4e-3
.expect d == c
