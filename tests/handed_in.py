"""Writes folders and archives as students hand them in."""

import io
import tarfile
import warnings
import zipfile


def write_files(folder, *names, text="int main(void) { return 0; }\n"):
    """Write files with these names and this text into a folder, which is returned."""
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def zip_same_text(path, *names, text="int main(void) { return 0; }\n"):
    """Write a zip file whose members have these names and this text; returns its path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, text)
    return path


def zipped(path, *members, **options):
    """Write a zip file with these members, pairs of a name and a content; a name may occur twice."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with warnings.catch_warnings(), zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, **options) as archive:
        warnings.simplefilter("ignore")
        for name, content in members:
            archive.writestr(name, content)
    return path


def tarred(path, *members, mode="w"):
    """Write a tar file with these members, pairs of a name and a content; None makes a symbolic link to /etc/passwd."""
    with tarfile.open(path, mode) as archive:
        for name, content in members:
            member = tarfile.TarInfo(name)
            if content is None:
                member.type, member.linkname = tarfile.SYMTYPE, "/etc/passwd"
            member.size = len(content or b"")
            archive.addfile(member, io.BytesIO(content or b""))
    return path
