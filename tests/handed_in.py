"""Folders and archives as they are handed in, for the tests of what is found in them."""

import io
import tarfile
import warnings
import zipfile


def put(folder, *names, text="int main(void) { return 0; }\n"):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def packed(path, *names, text="int main(void) { return 0; }\n"):
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, text)
    return path


def zipped(path, *members, **options):
    """A zip file with these names and contents, which may be there twice."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        warnings.simplefilter("ignore")
        for name, content in members:
            archive.writestr(name, content)
    return path


def tarred(path, *members, mode="w"):
    """A tar file with these names and contents; None is a link to a file of the system."""
    with tarfile.open(path, mode) as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            if content is None:
                member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            member.size = len(content or b"")
            archive.addfile(member, io.BytesIO(content or b""))
    return path
