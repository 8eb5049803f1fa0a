; What is set for the matrix unit of Tensix on every generation, and how Dst is passed on. Thread 1 computes.

; formats(srca): what the matrix unit takes its sources for.
;   srca, srcb  formats that the unpackers write
;   wide        1 for a Dst of 32 bits
.macro formats(srca=bf16, srcb=srca, wide=0)
    .cfg ALU_FORMAT_SPEC_REG0_SrcA = srca
    .cfg ALU_FORMAT_SPEC_REG1_SrcB = srcb
    .cfg ALU_ACC_CTRL_Fp32_enabled = wide
.end

; addr_mod(n): how modifier n, 0 to 7, moves the counters of thread 1; what is not given stays as it is.
;   srca, srcb, dst            what is added to the counter
;   srca_cr, srcb_cr, dst_cr   1 adds it to the carriage return, and goes there
;   clear                      1 sets all three counters to 0
;   fidelity                   what is added to the fidelity phase
;   bias                       1 lets 0 to 3 mean 4 to 7 from then on, or back
.macro addr_mod(n, srca=0, srca_cr=0, srcb=0, srcb_cr=0, dst=0, dst_cr=0, clear=0, fidelity=0, bias=0)
    @t1
    .cfg ADDR_MOD_AB_SEC{n}_SrcAIncr = srca
    .cfg ADDR_MOD_AB_SEC{n}_SrcACR = srca_cr
    .cfg ADDR_MOD_AB_SEC{n}_SrcAClear = clear
    .cfg ADDR_MOD_AB_SEC{n}_SrcBIncr = srcb
    .cfg ADDR_MOD_AB_SEC{n}_SrcBCR = srcb_cr
    .cfg ADDR_MOD_AB_SEC{n}_SrcBClear = clear
    .cfg ADDR_MOD_DST_SEC{n}_DestIncr = dst
    .cfg ADDR_MOD_DST_SEC{n}_DestCR = dst_cr
    .cfg ADDR_MOD_DST_SEC{n}_DestClear = clear
    .cfg ADDR_MOD_DST_SEC{n}_FidelityIncr = fidelity
    .cfg ADDR_MOD_BIAS_SEC{n}_BiasIncr = bias
.end

; at_tile(number): what comes next is computed in this tile of Dst: rows from 64 * number on.
.macro at_tile(number)
    @t1  .write  DEST_TARGET_REG_CFG_MATH_Offset = 64 * number
.end

; release_dst(unit): tell thread 2 that Dst is complete, once a unit is done.
;   unit  MATH for the matrix unit, WAIT_SFPU for the vector unit
.macro release_dst(unit=MATH)
    @t1
    STALLWAIT  BlockMask=STALL_SYNC, ConditionMask=unit
    SEMPOST    SemaphoreMask=SEMAPHORE_1
.end
