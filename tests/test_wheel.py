import re
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder, ROOT], check=True, timeout=300
    )
    (path,) = folder.glob("*.whl")
    return path


@pytest.mark.slow
def test_the_wheel_contains_specs_templates_and_schemas(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert "pitboss/_data/specs/blackjack/play.yaml" in names
    assert any(name.startswith("pitboss/_data/student_templates/") for name in names)
    assert "pitboss/_data/reference/blackjack/play.py" in names
    assert "pitboss/py.typed" in names
    assert {f"pitboss/_data/docs/{path.name}" for path in (ROOT / "docs").glob("*.schema.json")} <= {*names}
    assert [name for name in names if name.endswith("/licenses/LICENSE")]
    assert not [name for name in names if not name.startswith(("pitboss/", "pitboss-"))]


@pytest.mark.slow
def test_the_installed_wheel_works_outside_the_checkout(wheel, tmp_path):
    venv.create(tmp_path / "venv", with_pip=True)
    python = tmp_path / "venv" / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "-q", wheel], check=True, timeout=300)
    work_folder = tmp_path / "work"
    work_folder.mkdir()
    (work_folder / "play.c").write_text((ROOT / "examples" / "blackjack" / "ada" / "play.c").read_text())
    pitboss = tmp_path / "venv" / "bin" / "pitboss"

    def run_pitboss(*arguments):
        return subprocess.run(
            [pitboss, *arguments], cwd=work_folder, capture_output=True, text=True, timeout=120, check=False
        )

    check_result = run_pitboss("check", "play")
    assert (check_result.returncode, check_result.stderr) == (0, "")
    assert re.search(r"^  play  accepted  (\d+) of \1$", check_result.stdout, re.MULTILINE), check_result.stdout
    assert "\nblackjack: Blackjack, the seeded ladder (C)\n" in run_pitboss("assignments").stdout
    assert run_pitboss("verify", "shuffle", "-a", "blackjack").returncode == 0
    schemas = [line.split(maxsplit=1)[1] for line in run_pitboss("schema").stdout.splitlines()]
    assert all(Path(path).is_file() for path in schemas), schemas
    assert run_pitboss("--version").stdout == "pitboss 0.2.0\n"
    # The wheel was installed without extras, and the archive for Gradescope installs none either.
    review_result = run_pitboss("review", "book")
    assert (
        review_result.returncode,
        "needs starlette and uvicorn, which are not installed" in review_result.stderr,
    ) == (2, True)
    assert run_pitboss("gradescope", "blackjack", "-o", "archive.zip").returncode == 0
    requirements_text = zipfile.ZipFile(work_folder / "archive.zip").read("requirements.txt").decode()
    assert "msgspec==" in requirements_text
    assert not re.search("^(distributed|lizard|starlette|uvicorn)==", requirements_text, re.MULTILINE)
