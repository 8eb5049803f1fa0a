.target trn2
.sem filled = 3
.sem posted, cleared
@vector EventSemaphore                                 $filled++
@vector EventSemaphore                                 $posted++
@gpsimd EventSemaphoreRangeClear 3, 3    $posted >= 1  $cleared++
@scalar EventSemaphore $cleared >= 1
@scalar EventSemaphore $filled >= 1
