"""Helpers of the tests that import downloads of a class: write the files of a download, and import it."""

from pitboss.submissions.importers.importing import imported_class

C = "int main(void) { return 0; }\n"


def write_class_files(folder, files):
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def import_and_read(path, stages, **options):
    """Import a download; returns the imported class, and the contents of each submission by its person's name."""
    with imported_class(path, stages, **options) as intake:
        return intake, {submission.person.name: contents(submission.path) for submission in intake.submissions}


def contents(path):
    """The names and texts of a file, or of all files below a folder; None if there is no submission."""
    if path is None:
        return None
    if path.is_file():
        return {path.name: path.read_bytes().decode("utf-8", "replace")}
    files = sorted(file for file in path.rglob("*") if file.is_file())
    return {str(file.relative_to(path)): file.read_bytes().decode("utf-8", "replace") for file in files}


def submission_of(intake, name):
    (submission,) = [submission for submission in intake.submissions if submission.person.name == name]
    return submission
