; fault: the stack of flags has room for eight entries
.target wormhole
.for i in 0..8
@t1 SFPPUSHC
.end
@t1 SFPPUSHC
;-
