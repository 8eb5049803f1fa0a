; A thread of Blackhole waits for a phase of a stream of the NoC overlay, which RISC-V code moves on:
; registers of an idle stream are memory that cores, threads and waits reach.
.target blackhole
.l1  seen  u32[4]  @ 0x4000 output = zeros
.const CURR_PHASE = 29                      ; STREAM_CURR_PHASE_REG_INDEX
.const HEADER = 34    ; STREAM_PHASE_AUTO_CFG_HEADER, whose lower bits are added
.const STREAM = 5
.const REGISTER = 0xFFB40000 + STREAM * 0x1000
@t1
.cfg STREAM_ID_SYNC_SEC2_BankSel = STREAM
.cfg GPR0 = 0x4000 // 16
.cfg GPR4 = 42
STREAMWAIT  BlockMask=STALL_THCON, TargetValueLo=10, ConditionIndex=PHASE, StreamSelect=2
STOREIND    MemHierSel=1, Size=1, OffsetHalfReg=2, DataReg=4
STREAMWRCFG StreamSelect=2, RegIndex=CURR_PHASE, CfgIndex=76   ; THCON_SEC0_REG6_Source_address = the phase

.rv B
    li   s0, REGISTER + 4 * CURR_PHASE
    li   a0, 7
    sw   a0, 0(s0)
    li   s1, REGISTER + 4 * HEADER
    li   a0, 3
    sw   a0, 0(s1)                             ; 10
    lw   a1, 0(s0)
    li   t0, 0x4000
    sw   a1, 4(t0)

.expect seen[0] == 42
.expect seen[1] == 10
