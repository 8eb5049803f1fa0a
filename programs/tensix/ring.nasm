; A token goes round three threads by three semaphores, and moves no data. A thread waits at its gate
; while the semaphore of the one before it is 0, takes it, and posts its own. The last thread posts
; what the first waits for in the next round
.target wormhole
.const ROUNDS = 8
.const SYNC = 0x2                     ; what a wait holds back: SEMGET and SEMPOST
.const EMPTY = 1                      ; while one of the chosen semaphores is 0

@t0  SEMINIT  NewMax=1, NewValue=0, SemaphoreMask=3
@t0  SEMINIT  NewMax=1, NewValue=1, SemaphoreMask=4  ; the token lies before thread 0

.for round in 0..ROUNDS
@t0  SEMWAIT  BlockMask=SYNC, SemaphoreMask=4, ConditionMask=EMPTY
@t0  SEMGET   SemaphoreMask=4
@t0  SEMPOST  SemaphoreMask=1
@t1  SEMWAIT  BlockMask=SYNC, SemaphoreMask=1, ConditionMask=EMPTY
@t1  SEMGET   SemaphoreMask=1
@t1  SEMPOST  SemaphoreMask=2
@t2  SEMWAIT  BlockMask=SYNC, SemaphoreMask=2, ConditionMask=EMPTY
@t2  SEMGET   SemaphoreMask=2
@t2  SEMPOST  SemaphoreMask=4
.end

.expect cycles(t2) <= 5 + 9 * ROUNDS  ; three cycles in each thread: wait, take, post
