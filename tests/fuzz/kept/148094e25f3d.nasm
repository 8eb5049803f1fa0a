.target wormhole
.cfg   = bf16
.cfg  SEM1_max = 2
@t1
.cfg    GPR4 = 7
.cfg    MOP1_OuterCount = 2
.cfg    MOP1_InnerCount = 1
.cfg    MOP1_LoopOp:    NOP
.cfg    MOP1_Loop0Last: SEMPOST SemaphoreMask=18446744073709551615
.cfg    MOP1_Loop1Last: SEMPOST SemaphoreMask=2
.write  ALU_FORMAT_SPEC_REG0_SrcA = f16     ; RMWCIB2
.write  ADDR_MOD_SET_Base = 1               ; SETC16
.write  PRNG_SEED_Seed_Val = 7 register=60  ; SETDMAREG, SETDMAREG, WRCFG
