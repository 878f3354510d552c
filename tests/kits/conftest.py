import os
import subprocess

import pytest


@pytest.fixture
def dotnet(tmp_path_factory):
    """A function that runs dotnet in a folder, without a network, and returns its output.

    The projects there are changed to the framework of this SDK, since the others would be downloaded. The variables are
    properties of MSBuild.
    """
    home = tmp_path_factory.mktemp("home")
    offline = {"RestoreSources": home, "DisableTransitiveFrameworkReferenceDownloads": "true", "NuGetAudit": "false"}
    alone = {"UseAppHost": "false", "UseSharedCompilation": "false", "MSBUILDDISABLENODEREUSE": "1"}
    environment = {**os.environ, **offline, **alone, "HOME": home, "DOTNET_NOLOGO": "1", "TERM": "dumb"}

    def run(folder, *arguments):
        version = subprocess.run(["dotnet", "--version"], check=True, capture_output=True, text=True).stdout
        for project in folder.glob("*.csproj"):
            project.write_text(project.read_text().replace("net8.0", f"net{version.partition('.')[0]}.0"))
        completed = subprocess.run(
            ["dotnet", *arguments], cwd=folder, env=environment, input="", capture_output=True, text=True, timeout=600
        )
        return completed.stdout + completed.stderr

    return run
