; deadlock: a thread waits for a semaphore that the other one posts too late
.target wormhole
@t0 SEMWAIT BlockMask=2, SemaphoreMask=1, ConditionMask=1
;-
@t0 SEMPOST SemaphoreMask=2
@t1 SEMWAIT BlockMask=2, SemaphoreMask=2, ConditionMask=1
@t1 SEMPOST SemaphoreMask=1
