; The words of the MOP expander are zeros: they are no instructions.
.target wormhole
@t1
    MOP Template=1
    MOP Template=0, Count1=2
