"""robotexclusionrulesparser with the syntax MK1996."""

import rerp
from robotexclusionrulesparser import MK1996

if __name__ == "__main__":
    rerp.serve(MK1996)
