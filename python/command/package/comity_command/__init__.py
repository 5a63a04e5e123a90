"""The command ``comity`` and ``comity.audit``: the extra `command` of the package ``comity``, which loads the module here."""

# <!-- version -->
__version__ = "0.1.0"
# <!-- end of version -->
