"""robotexclusionrulesparser with its default syntax, GYM2008."""

import rerp
from robotexclusionrulesparser import GYM2008

if __name__ == "__main__":
    rerp.serve(GYM2008)
