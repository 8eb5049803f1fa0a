; What is played goes to the wait gate, behind the expander of MOPs.
.target wormhole
@t1 .cfg REPLAY0: MOP Template=1
@t1
    REPLAY Index=0, Count=1
