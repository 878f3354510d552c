"""Folders and archives as they are handed in, for the tests of what is found in them."""

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
