"""The folder of the data that ships with pitboss: specs, their reference, and templates of starter kits."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
#: In a package that was installed in it, in an archive that checks elsewhere beside it, in the repository at the top.
_PLACES = (_PACKAGE / "_data", _PACKAGE.parent, _PACKAGE.parent.parent)
SHIPPED = next((path for path in _PLACES if (path / "specs").is_dir()), _PLACES[0])
#: The package of the reference there.
REFERENCE = "reference"
