.target ,
 Z0Inc=2wormhole W0Inc=1,@t0 INCADCZW U0=1
