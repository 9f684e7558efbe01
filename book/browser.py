"""Find a Chromium or Chrome for the tests, installing Debian's where that is allowed, and print its path."""

import os
import shutil
import subprocess
import sys

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
MAC = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"


def find() -> str | None:
    """The path of a browser: $CHROMIUM if set, else the first that is installed."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for name in (*NAMES, MAC) if (path := shutil.which(name))), None)


def install() -> None:
    """Debian's Chromium, where this is Debian and we are root."""
    if os.environ.get("CHROMIUM") or not shutil.which("apt-get") or os.geteuid() != 0:
        return
    quiet = {"stdout": subprocess.DEVNULL, "env": os.environ | {"DEBIAN_FRONTEND": "noninteractive"}}
    subprocess.run(["apt-get", "update", "-qq"], check=False, **quiet)
    subprocess.run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium"], check=False, **quiet)


if __name__ == "__main__":
    if find() is None:
        install()
    if (path := find()) is None:
        sys.exit("The tests need Chromium or Chrome: apt install chromium, or set CHROMIUM=/path/to/it")
    print(f"browser: {path}")
