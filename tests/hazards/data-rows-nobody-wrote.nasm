; data: rows of Dst are loaded that nothing has written
.target wormhole
@t1 SFPLOADI VD=0, Mod0=0, Imm16=0x3f80
@t1 SFPSTORE VD=0, Mod0=2, Imm10=0
@t1 SFPSTORE VD=0, Mod0=2, Imm10=2
@t1 SFPLOAD  VD=1, Mod0=2, Imm10=4
;= @t1 SFPLOAD  VD=1, Mod0=2, Imm10=0
