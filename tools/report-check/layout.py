"""Finds words that are broken and columns that are cut: in the layout, in a picture of it, and in the print."""
import json
import pathlib
import re
import subprocess
import tempfile

# What a table's first columns hold is short, and what breaks inside a word there cannot be read. The last column holds bytes and
# texts of a peer, which have no words; of its own words none that would fit into a line is broken.
BROKEN = r"""(() => {
    const faults = [];
    for (const details of document.querySelectorAll("details")) details.open = true;
    for (const cell of document.querySelectorAll("th, td")) {
        const room = cell.clientWidth;
        if (cell.scrollWidth > room + 1) faults.push(`wider than its cell: ${cell.textContent.slice(0, 40)}`);
        const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) {
            const text = texts.currentNode;
            if (text.parentElement.closest("code, pre, .id, .says")) continue;
            for (const word of text.data.matchAll(/[\p{L}\p{N}]+(?:\.\p{N}+)*/gu)) {
                if (word[0].length > 24) continue;
                const range = document.createRange();
                range.setStart(text, word.index);
                range.setEnd(text, word.index + word[0].length);
                const vertical = getComputedStyle(text.parentElement).writingMode !== "horizontal-tb";
                const lines = new Set([...range.getClientRects()].filter(box => box.width && box.height)
                    .map(box => Math.round(vertical ? box.left : box.top)));
                if (lines.size > 1) faults.push(`broken inside a word: ${word[0]}`);
            }
        }
    }
    for (const box of document.querySelectorAll("#summary .scroll")) {
        const over = box.scrollWidth - box.clientWidth;
        if (over > 0) faults.push(`the summary is cut by ${over} pixels`);
    }
    return JSON.stringify(faults);
})()"""
# The boxes of the short columns of the longest transcripts, and the height of a line in them.
SHORT = """JSON.stringify([...document.querySelectorAll(".transcript")]
    .sort((one, other) => other.textContent.length - one.textContent.length).slice(0, COUNT).map(table => ({
    line: parseFloat(getComputedStyle(table.querySelector("td")).lineHeight),
    cells: [...table.querySelectorAll("tr > :not(:last-child)")].map(cell => {
        const box = cell.getBoundingClientRect(), style = getComputedStyle(cell);
        return {text: cell.textContent, x: box.left + scrollX, y: box.top + scrollY, width: box.width,
            height: box.height - parseFloat(style.borderBottomWidth)};
    })})))"""
# The rows of a picture, within each box, in which anything is darker or lighter than the box's corner.
INK = """(async () => {
    const bytes = Uint8Array.from(atob(PICTURE), letter => letter.charCodeAt(0));
    const picture = await createImageBitmap(new Blob([bytes], {type: "image/png"}));
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    const context = canvas.getContext("2d");
    context.drawImage(picture, 0, 0);
    return JSON.stringify(BOXES.map(box => {
        const [left, top] = [Math.ceil(box.x), Math.ceil(box.y)];
        const [width, height] = [Math.floor(box.x + box.width) - left, Math.floor(box.y + box.height) - top];
        const data = context.getImageData(left, top, width, height).data;
        const rows = [];
        for (let row = 0; row < height; row++) {
            for (let column = 0; column < width; column++) {
                const place = 4 * (row * width + column);
                if ([0, 1, 2].some(part => Math.abs(data[place + part] - data[part]) > 96)) { rows.push(row); break; }
            }
        }
        return rows.length ? rows.at(-1) - rows[0] + 1 : 0;
    }));
})()"""
PICTURED_COUNT = 3
DIRECTIONS = ("Direction", "Channel")


def broken(browser):
    """Words of tables that stand in two lines, cells that are too narrow, and a summary that is."""
    return _told(json.loads(browser.value(BROKEN)))


def pictured(browser):
    """Cells of the transcripts' short columns whose picture is empty, or shows more than one line."""
    faults = []
    for table in json.loads(browser.value(SHORT.replace("COUNT", str(PICTURED_COUNT)))):
        cells = [cell for cell in table["cells"] if cell["width"] and cell["height"]]
        if len(cells) < len(table["cells"]) or not cells:
            faults.append("a transcript is not there")
            continue
        left, top = min(cell["x"] for cell in cells), min(cell["y"] for cell in cells)
        area = {"x": left, "y": top, "width": max(cell["x"] + cell["width"] for cell in cells) - left,
                "height": max(cell["y"] + cell["height"] for cell in cells) - top, "scale": 1}
        shot = browser.ask("Page.captureScreenshot", format="png", captureBeyondViewport=True, clip=area)["data"]
        boxes = [dict(cell, x=cell["x"] - left, y=cell["y"] - top) for cell in cells]
        heights = json.loads(browser.value(INK.replace("PICTURE", json.dumps(shot)).replace("BOXES", json.dumps(boxes))))
        for cell, height in zip(cells, heights):
            if not cell["text"].strip():
                continue
            if not height:
                faults.append(f"the picture does not show: {cell['text']}")
            elif height > table["line"]:
                faults.append(f"in several lines of the picture: {cell['text']}")
    return _told(faults)


def printed(pdf, count):
    """The columns of transcripts that the print does not name whole: each names its columns at least once."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "page.pdf"
        path.write_bytes(pdf)
        text = subprocess.run(["pdftotext", "-layout", str(path), "-"], capture_output=True, text=True, check=True).stdout
    words = re.findall(r"\w+", text)
    return [f"{words.count(word)} of {count} transcripts are printed with a column named {word}" for word in DIRECTIONS
            if words.count(word) < count]


def _told(faults):
    """The first of each kind."""
    counts = {}
    for fault in faults:
        counts.setdefault(fault.split(":")[0], []).append(fault)
    return [f"{same[0]}" + (f", and {len(same) - 1} more" if len(same) > 1 else "") for same in counts.values()]
