; Two expanders: MOP, nine words, two loops; REPLAY, 32 slots. 2 * (3 + 1) instructions of a MOP, 32 of a REPLAY, twice.
.target wormhole
@t1
.cfg MOP1_OuterCount = 2
.cfg MOP1_InnerCount = 4
.cfg MOP1_StartOp: NOP
.cfg MOP1_EndOp0: NOP
.cfg MOP1_LoopOp: SEMPOST SemaphoreMask=SEMAPHORE_0
.cfg MOP1_LoopOp1: NOP
.cfg MOP1_Loop0Last: SEMPOST SemaphoreMask=SEMAPHORE_1
.cfg MOP1_Loop1Last: SEMPOST SemaphoreMask=SEMAPHORE_2
    SEMINIT  NewMax=15, SemaphoreMask=SEMAPHORE_0|SEMAPHORE_1|SEMAPHORE_2
    MOP      Template=DOUBLE_LOOP
    REPLAY   Index=0, Count=32, Exec=1, Load=1
.for n in 0..32
    SFPNOP
.end
    REPLAY   Index=0, Count=32
.expect cycles(t1) >= 8 + 32 + 32
.expect cycles(t1) <= 8 + 32 + 32 + 8
