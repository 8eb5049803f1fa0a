; deadlock: t2 waits for semaphore 1, and t1 posts semaphore 2
.target wormhole
@t1 SEMINIT  NewMax=1, SemaphoreMask=0x6
@t1 SEMPOST  SemaphoreMask=0x4
;= @t1 SEMPOST  SemaphoreMask=0x2
@t2 SEMWAIT  BlockMask=0x2, SemaphoreMask=0x2, ConditionMask=1
@t2 SEMGET   SemaphoreMask=0x2
