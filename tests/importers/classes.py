"""What the tests of the intake have in common: a download on disk, and its rows in short."""

from pitboss.submissions.importers.importing import imported_class

C = "int main(void) { return 0; }\n"


def put(folder, files):
    """Write these files, by their names and contents."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def rows(path, stages, **options):
    """The kind of a download, its rows by name (key, the files below the path with their text), and what belongs to nobody."""
    with imported_class(path, stages, **options) as intake:
        return intake, {one.person.name: contents(one.path) for one in intake.handed}


def contents(path):
    """A file's name and text, or those of all below a folder; None without any."""
    if path is None:
        return None
    if path.is_file():
        return {path.name: path.read_bytes().decode("utf-8", "replace")}
    found = sorted(one for one in path.rglob("*") if one.is_file())
    return {str(one.relative_to(path)): one.read_bytes().decode("utf-8", "replace") for one in found}


def of(intake, name):
    (found,) = [one for one in intake.handed if one.person.name == name]
    return found
