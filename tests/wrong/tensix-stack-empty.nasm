; There is nothing on the stack of flags.
.target wormhole
@t1
    SFPPOPC
