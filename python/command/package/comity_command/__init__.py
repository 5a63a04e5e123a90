"""The extra `command` of the package ``comity``. The compiled module in this folder contains the command and ``comity.audit``."""

# <!-- version -->
__version__ = "0.1.0"
# <!-- end of version -->
