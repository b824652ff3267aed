"""Compares the picture of a fixed report's page with the one that is kept: what the check of the layout does not know, a reader sees.

Both pictures are small, and their brightness is averaged over blocks of some pixels, so that another rendering of letters makes no
difference. A line that breaks elsewhere shifts what is below it: each band of a picture is looked for near its place in the other one.
"""
import base64
import json
import pathlib
import subprocess

import samples

HERE = pathlib.Path(__file__).resolve().parent
REPORT = HERE / "fixed.json"
KEPT = HERE / "fixed.png"
WIDTH = 900
# What a picture is made smaller by, a side of a block and the height of a band in blocks, and how far a band may have moved.
SCALE = 0.2
BLOCK = 3
BAND = 4
MOVED = 12
# The most by which a band's blocks may differ in the mean, of 255, and the picture's height, as a part of it. Another rendering of letters
# comes to less than 8; a row of a table that is gone, to more than 11.
MOST_DIFFERENCE = 9.5
MOST_HEIGHT = 0.03
BLOCKS = """(async () => {
    const bytes = Uint8Array.from(atob(PICTURE), letter => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    const data = context.getImageData(0, 0, picture.width, picture.height).data;
    const rows = [];
    for (let top = 0; top + BLOCK <= picture.height; top += BLOCK) {
        const row = [];
        for (let left = 0; left + BLOCK <= picture.width; left += BLOCK) {
            let sum = 0;
            for (let y = top; y < top + BLOCK; y++) for (let x = left; x < left + BLOCK; x++) {
                const place = 4 * (y * picture.width + x);
                sum += data[place] + data[place + 1] + data[place + 2];
            }
            row.push(Math.round(sum / (3 * BLOCK * BLOCK)));
        }
        rows.push(row);
    }
    return JSON.stringify(rows);
})()"""


def page(folder):
    """The page of the fixed report."""
    path = folder / "fixed" / "index.html"
    path.parent.mkdir()
    with path.open("wb") as file:
        subprocess.run([samples.HYBRID, "conformance", "page", REPORT], stdout=file, check=True)
    return path


def taken(browser, path):
    """A small picture of a page, from its beginning to its end, with everything opened."""
    browser.open(path.resolve().as_uri())
    browser.emulate(WIDTH)
    browser.value("document.querySelectorAll('details').forEach(details => details.open = true)")
    height = browser.value("document.documentElement.scrollHeight")
    clip = {"x": 0, "y": 0, "width": WIDTH, "height": height, "scale": SCALE}
    return base64.b64decode(browser.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=clip)["data"])


def blocks(browser, picture):
    """The brightness of each block, row by row."""
    shown = json.dumps(base64.b64encode(picture).decode())
    return json.loads(browser.value(BLOCKS.replace("PICTURE", shown).replace("BLOCK", str(BLOCK))))


def differences(kept, found):
    """What is other in a picture: its height, and bands of either that are not near their place in the other."""
    if abs(len(kept) - len(found)) > MOST_HEIGHT * len(kept):
        yield f"the page is {len(found) / len(kept):.2f} times as high as in the picture that is kept"
    for name, one, other in (("is gone", kept, found), ("is new", found, kept)):
        far = [top for top in range(0, len(one) - BAND + 1, BAND) if _nearest(one, other, top) > MOST_DIFFERENCE]
        if far:
            yield f"what stands {_pixels(far[0])} pixels below the top {name}, in {len(far)} bands"


def _pixels(row):
    return round(row * BLOCK / SCALE)


def _nearest(one, other, top):
    """The mean difference of a band from the one most like it, near its place."""
    band = one[top:top + BAND]
    places = range(max(0, top - MOVED), min(len(other) - BAND, top + MOVED) + 1)
    return min((_difference(band, other[place:place + BAND]) for place in places), default=255)


def _difference(one, other):
    pairs = [abs(a - b) for left, right in zip(one, other) for a, b in zip(left, right)]
    return sum(pairs) / len(pairs)


def check(browser, whole, renew):
    """The faults of the fixed report's picture, and of the comparison: what it does not notice, or notices for nothing."""
    picture = taken(browser, whole)
    if renew:
        KEPT.write_bytes(picture)
    kept = blocks(browser, KEPT.read_bytes())
    faults = [f"picture: {each}" for each in differences(kept, blocks(browser, picture))]
    for each in differences(kept, blocks(browser, taken(browser, samples.otherwise_rendered(whole)))):
        faults.append(f"picture: another rendering of letters is taken for another page: {each}")
    parts = list(samples.without_parts(whole))
    for what, damaged in parts:
        if not list(differences(kept, blocks(browser, taken(browser, damaged)))):
            faults.append(f"picture: not noticed: {what}")
    print(f"report-check: picture: {len(kept)} rows of {len(kept[0])} blocks, {len(parts)} parts that are missed when they are gone, "
          f"{len(faults)} faults")
    return faults
