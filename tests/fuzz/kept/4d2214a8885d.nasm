.target trn2
.target wormhole
@t0 CONV3S2 addr_mode=1, dst=1 
