; L1 ends at 0x16e000.
.target wormhole
@t0 .cfg GPR1 = 0x16e00
@t0
    LOADIND Size=1, ResultReg=2, AddrReg=1
