; data: the row of a load follows from a configuration word that is being written
.target wormhole
@t0 SETDMAREG Payload_SigSel=0, RegIndex16b=0
@t0 SETDMAREG Payload_SigSel=0, RegIndex16b=1
@t0 SFPSTORE  VD=9, Mod0=2
@t0 SFPSTORE  VD=9, Mod0=2, Imm10=2
@t0 WRCFG     InputReg=0, CfgIndex=6
;+ @t0 NOP
@t0 SFPLOAD   VD=1, Mod0=2
