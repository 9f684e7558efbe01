"""What the pages weigh, and what a slider costs: the built book in a real Chromium.

A page's first view is all that opening it transfers, compressed (book/weight.py, which also holds the budgets).
Its first reaction is the time from the navigation to the first change of a figure whose slider is moved as soon as
it can be, as the median of three visits with an empty cache, without a network to wait for.

make html && make bench
"""

import gzip
import re
import sys
import threading
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "book"))

from browser import find  # noqa: E402
from serve import server  # noqa: E402
from weight import BUDGET, BUDGETS, first_view  # noqa: E402

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


FIRST_MOVE = """(() => {
    const wait = () => {
        const figure = document.querySelector("figure.explore:has(form:not([hidden])):not(.explore-ask)");
        if (!figure) return requestAnimationFrame(wait);
        const input = figure.querySelector("input, select");
        new MutationObserver((_, observer) => {
            observer.disconnect();
            requestAnimationFrame(() => setTimeout(() => { window.firstReaction = performance.now(); }));
        }).observe(figure.querySelector(".explore-view"), { subtree: true, childList: true, attributes: true,
            characterData: true });
        input.value = Number(input.value) ? 0 : 1;
        input.dispatchEvent(new Event("input", { bubbles: true }));
    };
    wait();
})()"""


def first_reaction(browser: Browser, address: str, throttle: int) -> float:
    """Milliseconds from the navigation to the first change that a slider makes."""
    times = []
    for _ in range(3):
        context = browser.new_context()
        tab = context.new_page()
        tab.context.new_cdp_session(tab).send("Emulation.setCPUThrottlingRate", {"rate": throttle})
        tab.add_init_script(FIRST_MOVE)
        tab.goto(address)
        times.append(tab.wait_for_function("window.firstReaction", timeout=60_000).json_value())
        context.close()
    return median(times)


def print_table(browser: Browser, address: str, pages: list[Path]) -> None:
    heads = f"{'first view':>10} {'budget':>7} {'of it page':>10} {'first reaction':>15} {'at 6x throttle':>15}"
    print(f"{'page':40} {heads}")
    for path in pages:
        name = path.relative_to(SITE).as_posix()
        view, budget = first_view(SITE, path), BUDGETS.get(name, BUDGET)
        sizes = f"{sum(view.values()) / 1000:7.0f} kB {budget / 1000:4.0f} kB {view[name] / 1000:7.0f} kB"
        times = "no slider".rjust(15)
        if '<script type="application/json">' in path.read_text(encoding="utf-8"):
            times = "".join(f"{first_reaction(browser, f'{address}/{name}', rate):13.0f} ms" for rate in (1, 6))
        print(f"{name:40} {sizes} {times}", flush=True)
    print()


def main() -> None:
    pages = [SITE / "index.html", *sorted((SITE / "chapters").glob("*.html"))]
    if not pages[0].exists():
        sys.exit("There is no built book: run make html first")
    site = server(str(SITE))
    threading.Thread(target=site.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find(), args=["--no-sandbox", "--disable-gpu"])
        print_table(browser, f"http://127.0.0.1:{site.server_port}", pages)
        for path in pages:
            html = path.read_text(encoding="utf-8")
            bodies = re.findall(r'<figure class="explore".*?</figure>', html, re.S)
            figures = {re.search(r'id="([^"]+)"', body)[1]: body for body in bodies if "explore-controls" in body}
            if not figures:
                continue
            print(path.relative_to(SITE))
            tab = browser.new_page()
            tab.goto(f"http://127.0.0.1:{site.server_port}/{path.relative_to(SITE).as_posix()}")
            throttle = tab.context.new_cdp_session(tab)
            throttle.send("Emulation.setCPUThrottlingRate", {"rate": 6})
            for name, body in figures.items():
                weight = len(gzip.compress(body.encode())) / 1000
                times = tab.eval_on_selector(f"#{name}", MOVES)
                cost = f"{median(times):.2f} ms of script at 6 times throttle (slowest {max(times):.1f})"
                print(f"  {name}: {weight:.1f} kB gzipped, a move costs {cost}")
            tab.close()
        browser.close()
    site.shutdown()


if __name__ == "__main__":
    main()
