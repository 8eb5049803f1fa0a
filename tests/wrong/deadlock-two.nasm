.target trn2
.sem ping, pong, never, last
@vector EventSemaphore  $pong >= 1   $ping++
@scalar EventSemaphore  $ping >= 1   $pong++
@gpsimd EventSemaphore  $never >= 1  $last++
@sync   EventSemaphore  $last >= 1
