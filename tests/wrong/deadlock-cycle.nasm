.target trn1
.sem ping, pong
@vector Nop  $pong >= 1  $ping++
@scalar Nop  $ping >= 1  $pong++
