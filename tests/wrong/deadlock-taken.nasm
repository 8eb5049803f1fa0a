.target trn2
.sem credit
@sync   EventSemaphore                $credit += 1
@vector EventSemaphore  $credit >= 1  $credit -= 1
@scalar Nop
@scalar Nop
@scalar Nop
@scalar Nop
@scalar Nop
@scalar Nop
@scalar Nop
@scalar EventSemaphore  $credit >= 1  $credit -= 1
