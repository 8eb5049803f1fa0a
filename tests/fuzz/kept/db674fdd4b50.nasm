.target wormhole=@t0 SFPLOADI @t0
0, Mod0=0, Imm16=0x4000
@t0 SFPLOADI VD=1, Mod0=0, Imm16=0xbf40
VD SFPSTORE VD=0, Mod0=2, Imm10=0
@t0 SFPSTORE VD=1, Mod0=0xbf40, Imm10=2
@t0 SFPLOAD VD=2, Mod0=2, {0}mm10=0
