"""Checks the pages of conformance reports; see tools/report-check/run."""
import argparse
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import chromium
import layout
import pictures
import samples

# The package is there for this script alone; the rest of it needs what is not installed.
AXE = pathlib.Path(importlib.util.find_spec("axe_playwright_python").origin).with_name("axe.min.js").read_text()
# All rules of WCAG 2.2 on levels A and AA, and axe's best practices.
AXE_RUN = """axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa",
    "best-practice"]}).then(result => JSON.stringify({rules: result.passes.length, violations: result.violations.map(violation =>
    ({id: violation.id, help: violation.help, nodes: violation.nodes.slice(0, 3).map(node => node.html + " " + node.failureSummary)}))}))"""
VIEWS = {"light": (1200, "light", "screen"), "dark": (1280, "dark", "screen"), "phone": (360, "light", "screen"),
         "wide-phone": (400, "dark", "screen"), "paper": (794, "dark", "print")}
PICTURE_HEIGHT = 2600
# A page of every case of a role; without a limit nobody would notice that it has grown beyond what is read.
MOST_BYTES = 1 << 20


def faults_in_view(browser, view):
    """What is wrong with the page in one view."""
    browser.emulate(*VIEWS[view])
    wide = browser.value("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    faults = [f"wider than the screen by {wide} pixels"] if wide > 0 and view != "paper" else []
    found = json.loads(browser.value(AXE_RUN))
    if not found["rules"]:
        faults.append("axe has checked nothing")
    for violation in found["violations"]:
        faults.append(f"axe: {violation['id']}: {violation['help']}: {' | '.join(violation['nodes'])}")
    faults += layout.broken(browser) + layout.pictured(browser)
    if view == "paper":
        faults += layout.printed(browser.paper(), browser.value("document.querySelectorAll('.transcript').length"))
        background = browser.value("getComputedStyle(document.body).backgroundColor")
        if background != "rgb(255, 255, 255)":
            faults.append(f"printed on {background}")
        hidden = browser.value("""[...document.querySelectorAll('.finding details table')]
            .filter(table => table.getBoundingClientRect().height === 0).length""")
        if hidden:
            faults.append(f"{hidden} transcripts are not printed")
    return faults


def check(browser, page, kept):
    """The faults of a page."""
    faults = []
    text = page.read_bytes()
    if len(text) > MOST_BYTES:
        faults.append(f"{len(text)} bytes")
    asked, said = browser.open(page.resolve().as_uri())
    faults += [f"asks the network for {url}" for url in asked] + [f"the browser says: {line}" for line in said]
    scripts = browser.value("document.scripts.length + document.querySelectorAll('iframe, object, embed, img, link, form').length")
    if scripts:
        faults.append(f"{scripts} elements that no report has")
    # Inline scripts of a page are against its policy; this one comes from the browser itself.
    browser.value(AXE + ";1")
    for view in VIEWS:
        faults += [f"{view}: {fault}" for fault in faults_in_view(browser, view)]
        if kept and view != "paper":
            (kept / f"{page.parent.name}-{page.stem}-{view}.png").write_bytes(browser.picture(PICTURE_HEIGHT))
    if kept:
        paper = kept / f"{page.parent.name}-{page.stem}.pdf"
        paper.write_bytes(browser.paper())
        subprocess.run(["pdftoppm", "-png", "-r", "60", "-l", "4", str(paper), str(paper.with_suffix(""))], check=True)
    return faults


def main():
    parser = argparse.ArgumentParser(prog="tools/report-check/run", description=__doc__)
    parser.add_argument("page", nargs="*", type=pathlib.Path)
    parser.add_argument("--pictures", type=pathlib.Path, metavar="DIR")
    parser.add_argument("--renew", action="store_true")
    options = parser.parse_args()
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        pages = options.page or [*samples.pages(pathlib.Path(folder) / "pages"), pictures.page(pathlib.Path(folder))]
        browser = chromium.Chromium(folder)
        count = 0
        try:
            for page in pages:
                faults = check(browser, page, options.pictures)
                for fault in faults:
                    print(f"report-check: {page}: {fault}")
                print(f"report-check: {page.parent.name}/{page.name}: {page.stat().st_size} bytes, {len(faults)} faults")
                count += len(faults)
            if not options.page:
                faults = pictures.check(browser, pages[-1], options.renew)
                for fault in faults:
                    print(f"report-check: {fault}")
                count += len(faults)
            # A check that finds nothing anywhere would be worth nothing.
            for page, expected in [] if options.page else samples.damaged(pages[0]):
                faults = check(browser, page, None)
                for what in (what for what in expected if not any(re.search(what, fault) for fault in faults)):
                    print(f"report-check: {page.name}: not found: {what}")
                    count += 1
        finally:
            browser.end()
    version = re.search(r"axe v([\d.]+)", AXE)
    print(f"report-check: {len(pages)} pages, {len(VIEWS)} views each, axe {version and version[1]}: {count} faults")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
