"""The languages of the catalogues, as tools/catalogue/run makes them."""
import gettext
import importlib.util
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
DOMAIN = "hybrid-transport"


class Language:
    """A language: its sentences, and the environment of a program that speaks it."""

    def __init__(self, name, folder=None):
        self.name, self.suffix, self.environment = name, f"-{name}" if name else "", {}
        self.catalogue = gettext.NullTranslations()
        if name:
            places = pathlib.Path(folder) / "locale"
            for what in ("--compile", "--pseudo"):
                subprocess.run([ROOT / "tools/catalogue/run", what, places], check=True)
            self.catalogue = gettext.translation(DOMAIN, places, [name])
            self.environment = {"LANGUAGE": name, "TEXTDOMAINDIR": str(places), "LC_ALL": "C.UTF-8"}

    def say(self, form, *values):
        """A sentence with its values; a value of several parts is a sentence in it, with its own."""
        text = self.catalogue.gettext(form)
        for number, value in enumerate(values):
            text = text.replace(f"{{{number}}}", self.say(*value) if isinstance(value, tuple) else value)
        return text

    def ask(self, form, *sentences):
        """A question for consent, whose values are sentences: with its English until it is reviewed."""
        question = self.say(form, *[(each,) for each in sentences])
        reviewer = self.catalogue.info().get("x-consent-reviewer", "") if self.name else "English"
        return question if reviewer else f"{question} / {ENGLISH.say(form, *sentences)}"

    @staticmethod
    def left(text):
        """The words of English in a text between brackets."""
        specification = importlib.util.spec_from_file_location("languages", ROOT / "Tests/CommandLineTests/Peers/languages.py")
        languages = importlib.util.module_from_spec(specification)
        specification.loader.exec_module(languages)
        return languages.left(text, languages.FOREIGN)


ENGLISH = Language("")
