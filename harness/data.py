"""Where the data is that comes with pitboss: specs, the code of their reference, and templates of starter kits."""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent
#: In a package that was installed beside its code; in the repository at its top.
SHIPPED = _PACKAGE / "_data" if (_PACKAGE / "_data").is_dir() else _PACKAGE.parent
#: The package of the reference there.
REFERENCE = "reference"
