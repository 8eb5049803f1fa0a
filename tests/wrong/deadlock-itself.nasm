.target trn2
.sem turn
@vector EventSemaphore  $turn >= 1  $turn++
