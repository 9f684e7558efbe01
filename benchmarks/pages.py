"""What the pages weigh, and what a move of a slider costs: the built book in a real Chromium.

make html && make bench
"""

import gzip
import re
import sys
import threading
from pathlib import Path
from statistics import median

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "book"))

from browser import find  # noqa: E402
from serve import server  # noqa: E402

SITE = ROOT / "_build" / "html"
MOVES = """figure => {
    const input = figure.querySelector("input, select"), form = figure.querySelector("form"), times = [];
    const last = input.options ? input.options.length - 1 : Number(input.max);
    for (let round = 0; round < 5; round++) for (let value = 0; value <= last; value++) {
        input.value = value;
        const start = performance.now();
        input.dispatchEvent(new Event("input", { bubbles: true }));
        times.push(performance.now() - start);
    }
    return times;
}"""


def main() -> None:
    pages = [SITE / "index.html", *sorted((SITE / "chapters").glob("*.html"))]
    if not pages[0].exists():
        sys.exit("There is no built book: run make html first")
    site = server(str(SITE))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        for path in pages:
            html = path.read_text(encoding="utf-8")
            print(f"{path.relative_to(SITE)}: {len(gzip.compress(html.encode())) / 1000:.0f} kB gzipped")
            figures = re.findall(r'<figure class="explore" id="([^"]+)".*?</figure>', html, re.S)
            if not figures:
                continue
            tab = browser.new_page()
            tab.goto(f"http://127.0.0.1:{site.server_port}/{path.relative_to(SITE).as_posix()}")
            throttle = tab.context.new_cdp_session(tab)
            throttle.send("Emulation.setCPUThrottlingRate", {"rate": 6})
            for name in figures:
                body = re.search(rf'<figure class="explore" id="{name}".*?</figure>', html, re.S)[0]
                weight = len(gzip.compress(body.encode())) / 1000
                times = tab.eval_on_selector(f"#{name}", MOVES)
                cost = f"{median(times):.2f} ms of script at 6 times throttle (slowest {max(times):.1f})"
                print(f"  {name}: {weight:.1f} kB gzipped, a move costs {cost}")
            tab.close()
        browser.close()
    site.shutdown()


if __name__ == "__main__":
    main()
