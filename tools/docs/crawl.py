"""Follows every link of a site that DocC has made."""
import dataclasses
import json
import re
import urllib.parse

# Anchors that the pages' script gives its own sections.
SECTIONS = {"topics", "see-also", "relationships", "declarations", "parameters", "return-value", "discussion", "overview",
            "mentions", "possible-values", "app-main", "app-top"}


@dataclasses.dataclass
class Report:
    """What was found: counts, and a sentence for each thing that is broken."""
    pages: int = 0
    links: int = 0
    external: int = 0
    images: int = 0
    files: int = 0
    size: int = 0
    broken: list = dataclasses.field(default_factory=list)
    links_of_index: set = dataclasses.field(default_factory=set)

    def __str__(self):
        return (f"{self.pages} pages, {self.links} internal links, {len(self.broken)} broken, {self.images} pictures; {self.external} "
                f"external links, not fetched; {self.files} files, {self.size / 1e6:.1f} MB")


class Page:
    """A page's data: what it links to, and the anchors that it has."""

    def __init__(self, content):
        self.references = content.get("references", {})
        self.anchors = set(SECTIONS)
        self.used = {}
        self._walk({key: value for key, value in content.items() if key != "references"})

    def _walk(self, value):
        if isinstance(value, list):
            for item in value:
                self._walk(item)
        elif isinstance(value, dict):
            if isinstance(value.get("anchor"), str):
                self.anchors.add(value["anchor"].lower())
            if value.get("type") in ("reference", "image", "video") and isinstance(value.get("identifier"), str):
                self.used[value["identifier"]] = None
            # Groups of topics and other lists of pages, and types in declarations.
            if isinstance(value.get("identifiers"), list):
                self.used |= dict.fromkeys(name for name in value["identifiers"] if "/documentation/" in name)
            if value.get("kind") == "typeIdentifier" and isinstance(value.get("identifier"), str):
                self.used[value["identifier"]] = None
            for key, item in value.items():
                if key not in ("identifier", "identifiers"):
                    self._walk(item)


def crawl(site, index, base_path):
    """Reads all pages of the site, beginning with the path of its index, and follows their links."""
    report = Report()
    files = [path for path in site.rglob("*") if path.is_file()]
    report.files, report.size = len(files), sum(path.stat().st_size for path in files)
    pages = {}
    for path in sorted((site / "data").rglob("*.json")):
        name = "/" + str(path.relative_to(site / "data").with_suffix(""))
        pages[name] = Page(json.loads(path.read_text()))
    report.pages = len(pages)

    reached, queue = {index}, [index]
    for name, page in pages.items():
        if not (site / name[1:] / "index.html").is_file():
            report.broken.append(f"{name}: has no file of HTML")
    while queue:
        name = queue.pop()
        for target in targets(name, pages, site, report):
            if name == index:
                report.links_of_index.add(target)
            if target not in reached:
                reached.add(target)
                queue.append(target)
    # The list of all modules, which the frame of every page leads to.
    for name in sorted(pages.keys() - reached - {"/documentation"}):
        # Of what is below such a page it is said once.
        if name.rpartition("/")[0] not in pages or name.rpartition("/")[0] in reached:
            report.broken.append(f"{name}: no page leads to it")
        list(targets(name, pages, site, report))
    check_navigator(site, pages, report)
    check_assets(site, base_path, report)
    return report


def targets(name, pages, site, report):
    """The pages that one page leads to."""
    page = pages[name]
    for identifier in page.used:
        reference = page.references.get(identifier)
        if reference is None:
            report.broken.append(f"{name}: {identifier} is not resolved")
        elif reference["type"] in ("image", "video"):
            for variant in reference["variants"]:
                report.images += 1
                if not (site / urllib.parse.unquote(variant["url"]).lstrip("/")).is_file():
                    report.broken.append(f"{name}: there is no picture {variant['url']}")
        elif reference["type"] == "unresolvable":
            report.broken.append(f"{name}: {reference.get('title', identifier)} is not resolved")
        elif "url" in reference:
            if target := follow(name, reference["url"], pages, report):
                yield target


def follow(name, link, pages, report):
    """The page that a link leads to, or None if it leads out of the site or nowhere."""
    parts = urllib.parse.urlsplit(link)
    if parts.scheme in ("http", "https", "mailto"):
        report.external += 1
        return None
    report.links += 1
    path = urllib.parse.unquote(parts.path).rstrip("/").lower() or name
    if parts.scheme or path not in pages:
        report.broken.append(f"{name}: {link} leads nowhere")
        return None
    if parts.fragment and urllib.parse.unquote(parts.fragment).lower() not in pages[path].anchors:
        report.broken.append(f"{name}: {link} leads to a page without that heading")
    return path


def check_navigator(site, pages, report):
    """The tree at the side of every page. A page shows the first module's node of its module's path that is not in an article."""
    seen = set()

    def walk(nodes, in_article):
        for node in nodes:
            path, is_article = node.get("path"), in_article or node.get("type") == "article"
            if path:
                follow("the navigator", path, pages, report)
            if node.get("type") == "module" and not is_article and path not in seen:
                seen.add(path)
                if not node.get("children"):
                    report.broken.append(f"the navigator: {path} has nothing below it")
            walk(node.get("children", []), is_article)

    for nodes in json.loads((site / "index/index.json").read_text())["interfaceLanguages"].values():
        walk(nodes, False)


def check_assets(site, base_path, report):
    """What the frames of the pages load. They differ in their titles at most."""
    frames = {}
    for path in site.rglob("index.html"):
        links = re.findall(r'(?:src|href)="([^"#]+)(?:#[^"]*)?"', path.read_text())
        frames.setdefault(tuple(links), path)
    for links, path in frames.items():
        for link in links:
            if link.startswith("/"):
                found = site / link.removeprefix(base_path.rstrip("/")).lstrip("/")
            else:
                found = path.parent / link
            if not found.exists():
                report.broken.append(f"{path.relative_to(site)}: {link} leads nowhere")
