.target trn2
.event full
.sem posted, cleared
@vector EventSemaphore                   $full = 1
@vector EventSemaphore                   $posted++
@gpsimd EventSemaphore    $posted >= 1   $full = 0
@gpsimd EventSemaphore                   $cleared++
@scalar EventSemaphore    $cleared >= 1
@scalar EventSemaphore    $full == 1
