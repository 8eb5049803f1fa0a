; Nothing was recorded in the places that are played.
.target wormhole
@t1
    REPLAY Index=4, Count=2
