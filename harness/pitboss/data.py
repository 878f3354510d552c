"""The folder of the data that ships with pitboss: specs, the references, and templates of starter kits."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
#: Where the data can be: in the installed package, beside the package in an archive for another platform, and at the
#: top of the repository.
_DATA_FOLDERS = (_PACKAGE / "_data", _PACKAGE.parent, _PACKAGE.parent.parent)
#: The folder of the data: the first of these that exists.
SHIPPED = next((path for path in _DATA_FOLDERS if (path / "specs").is_dir()), _DATA_FOLDERS[0])
#: The name of the package with the references, in the folder of the data.
REFERENCE = "reference"
