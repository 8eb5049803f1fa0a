; data: a product is read in the cycle after the multiplication, which has it in two
.target wormhole
@t1 SFPLOADI VD=0, Mod0=0, Imm16=0x3fc0
@t1 SFPMAD   VA=0, VB=0, VC=9, VD=1
;+ @t1 SFPNOP
@t1 SFPMOV   VC=1, VD=2
