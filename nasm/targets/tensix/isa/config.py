"""The configuration unit."""

from nasm.targets.tensix.isa.table import Family
from nasm.targets.tensix.scalar import configuring

UNIT = Family(__name__)

WRCFG = UNIT.row("WRCFG", configuring.WRCFG)
RDCFG = UNIT.row("RDCFG", configuring.RDCFG)
SETC16 = UNIT.row("SETC16", configuring.SETC16)
RMWCIB0 = UNIT.row("RMWCIB0", configuring.RMWCIB0)
RMWCIB1 = UNIT.row("RMWCIB1", configuring.RMWCIB1)
RMWCIB2 = UNIT.row("RMWCIB2", configuring.RMWCIB2)
RMWCIB3 = UNIT.row("RMWCIB3", configuring.RMWCIB3)
