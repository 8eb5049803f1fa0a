.target wormhole
.target trn2
    .const start = 0 if part == 0 else (WIDTHS[0] if part == 1 else WIDTHS[0] + WIDTHS[1])
    @vector  Memset  t[:, start : +WIDTHS[part]], FILL[part]
.end
.expect  t[:, 0:24] == FILL[0]
@t0 SFPLOADI VD=0, Mod0=0, Imm16=0x4000
@t0 SFPLOADI VD=0, Mod0=10, Imm16=0x9000
@t0 SFP_STOCH_RND VC=0, VD=2, Mod1=1
