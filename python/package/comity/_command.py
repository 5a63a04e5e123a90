"""Finds the distribution `comity-command`, which contains the command and ``comity.audit``.

The compiled module of `comity-command` contains all classes and functions of the compiled module of `comity`. A process loads
only one of the two modules.
"""

try:
    from comity_command import __path__ as _path
    from comity_command import __version__ as _found
except ModuleNotFoundError:
    _path, _found = [], None

__all__ = ["folders", "require"]


def folders(version: str) -> list[str]:
    """Returns the folders of the compiled module, if the distribution is installed in this version."""
    return list(_path) if _found == version else []


def require(part: str) -> None:
    """Raises ``MissingExtraError`` for a part of the package, unless the distribution is installed in this version."""
    from . import __version__
    from .errors import MissingExtraError

    if _found is None:
        raise MissingExtraError(
            f'{part} is in the extra `command`, which is not installed: run `pip install "comity[command]"`'
        )
    if _found != __version__:
        raise MissingExtraError(
            f"{part} is in `comity-command`, whose version {_found} differs from that of `comity`, {__version__}: run "
            f'`pip install "comity[command]=={__version__}"`'
        )
