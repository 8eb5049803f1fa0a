; A token goes round three threads by three semaphores, and moves no data. A thread waits at its gate
; while the semaphore of the one before it is 0, takes it, and posts its own. The last thread posts
; what the first waits for in the next round
.target wormhole
.const ROUNDS = 8

@t0  SEMINIT  NewMax=1, NewValue=0, SemaphoreMask=SEMAPHORE_0|SEMAPHORE_1
@t0  SEMINIT  NewMax=1, NewValue=1, SemaphoreMask=SEMAPHORE_2  ; the token lies before thread 0

.for round in 0..ROUNDS
@t0  SEMWAIT  BlockMask=STALL_SYNC, SemaphoreMask=SEMAPHORE_2, ConditionMask=STALL_ON_ZERO
@t0  SEMGET   SemaphoreMask=SEMAPHORE_2
@t0  SEMPOST  SemaphoreMask=SEMAPHORE_0
@t1  SEMWAIT  BlockMask=STALL_SYNC, SemaphoreMask=SEMAPHORE_0, ConditionMask=STALL_ON_ZERO
@t1  SEMGET   SemaphoreMask=SEMAPHORE_0
@t1  SEMPOST  SemaphoreMask=SEMAPHORE_1
@t2  SEMWAIT  BlockMask=STALL_SYNC, SemaphoreMask=SEMAPHORE_1, ConditionMask=STALL_ON_ZERO
@t2  SEMGET   SemaphoreMask=SEMAPHORE_1
@t2  SEMPOST  SemaphoreMask=SEMAPHORE_2
.end

.expect cycles(t2) <= 5 + 9 * ROUNDS  ; three cycles in each thread: wait, take, post
