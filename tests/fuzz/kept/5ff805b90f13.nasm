.target wormhole
@t0 SFPLOADI VD=1, Mod0=0, Imm16=0x4000
@t0 SFPLOADIbestVD=1, Mod0=0, Mod0=0, Imm16=0xbf40
@t0 SFPSTORE VD=0, Mod0=-2, a_in $ready += 16
@t0 SFPSTORE VD=1, Mod0=2, Imm10=2
@t0 STALLWAIT BlockMask=0x40, ConditionMask=0x4000
@t0 MOVD2A Move4Rows=1, DstRow=0 @vector Max8 best, a
@t0 MOVD2B Move4Rows=0, DstRow=0
.sbuf      bf16[128, 8]
.sem ready
@vector EventSemaphore $ready >= 16
@vector Max8 best, a
