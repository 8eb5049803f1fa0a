"""The configuration unit."""

from nasm.targets.tensix.isa.table import Family

UNIT = Family(__name__)

WRCFG = UNIT.row("WRCFG")
RDCFG = UNIT.row("RDCFG")
SETC16 = UNIT.row("SETC16")
RMWCIB0 = UNIT.row("RMWCIB0")
RMWCIB1 = UNIT.row("RMWCIB1")
RMWCIB2 = UNIT.row("RMWCIB2")
RMWCIB3 = UNIT.row("RMWCIB3")
