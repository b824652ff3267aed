"""Compares the Swift code of the articles with the programs that the project builds."""
import re

# The landing page of the first is the reference's, which shows no code; the example of the other stands at PasskeyAuthenticator.
WITHOUT_EXAMPLE = {"HybridProtocol", "Vault"}


def check(catalogues, sources, products):
    """What is wrong with the code blocks of these catalogues' articles; `sources` is the folder of the example programs."""
    programs = [path.read_text() for path in sorted(sources.glob("*/main.swift"))]
    wrong, count = [], 0
    for catalogue in catalogues:
        for article in sorted(catalogue.rglob("*.md")):
            named, shown = [], 0
            for block in re.findall(r"^```swift\n(.*?)^```$", article.read_text(), re.M | re.S):
                count += 1
                if ".product(" in block:
                    named += re.findall(r'\.product\(name: "(\w+)", package: "hybrid-transport"\)', block)
                elif any(("\n" + program).find("\n" + block) >= 0 for program in programs):
                    shown += 1
                else:
                    wrong.append(f"{article.name}: shows code that is not, line for line, in a program of {sources.name}")
            for name in set(named) - set(products):
                wrong.append(f"{article.name}: {name} is not a product")
            name = article.stem
            if article.parent.stem == name and name in set(products) - WITHOUT_EXAMPLE:
                if name not in named:
                    wrong.append(f"{article.name}: does not say how to depend on the product {name}")
                if not shown:
                    wrong.append(f"{article.name}: shows no example")
    found = {article.stem for catalogue in catalogues for article in catalogue.glob("*.md") if article.stem == catalogue.stem}
    wrong += [f"the product {name} has no overview" for name in products if name not in found]
    return wrong, count
