"""robotexclusionrulesparser with its syntax GYM2008, its default."""

import rerp
from robotexclusionrulesparser import GYM2008

if __name__ == "__main__":
    rerp.serve(GYM2008)
