"""What assistive technology is told of a program, over AT-SPI."""
import gi

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi, GLib  # noqa: E402

from checks import until  # noqa: E402

Atspi.init()
Atspi.set_timeout(5000, 15000)


# The roles of what a person reads.
TEXTS = ("heading", "label", "static", "push button", "list item", "alert", "notification")


class Application:
    """The tree of a program's widgets."""

    def __init__(self, process):
        self.process = process

    def _root(self):
        desktop = Atspi.get_desktop(0)
        desktop.clear_cache()
        for place in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(place)
            if child and child.get_process_id() == self.process:
                return child
        return None

    def all(self):
        """Each widget as (role, name, node), in the order in which they are told."""
        while GLib.MainContext.default().iteration(False):
            pass
        found, left = [], []
        try:
            root = self._root()
            left = [root] if root else []
            while left:
                node = left.pop(0)
                node.clear_cache()
                found.append((node.get_role_name(), node.get_name(), node))
                left[:0] = [child for child in map(node.get_child_at_index, range(node.get_child_count())) if child]
        except GLib.Error:
            # It changes meanwhile, or has ended.
            return []
        return found

    def texts(self):
        """Each text that can be read, in the order in which it is told: its role, its name, and its box in the window."""
        found = []
        for role, name, node in self.all():
            # The text of a button is a label in it, which does not know that the button is of no use yet.
            holders = [node, node.get_parent()]
            if role in TEXTS and name and all(self.has(each, Atspi.StateType.VISIBLE) and self.has(each, Atspi.StateType.SENSITIVE)
                                              for each in holders):
                box = node.get_component_iface().get_extents(Atspi.CoordType.WINDOW)
                found.append((role, name, (box.x, box.y, box.width, box.height)))
        return found

    def find(self, role, name=None):
        """The first widget of a role and a name; None without one."""
        for its_role, its_name, node in self.all():
            if role in (None, its_role) and name in (None, its_name):
                return node
        return None

    def has(self, node, state):
        try:
            node.clear_cache()
            return node.get_state_set().contains(state)
        except GLib.Error:
            return False

    def can_press(self, name):
        """True if a button can be pressed."""
        node = self.find("push button", name)
        return node is not None and self.has(node, Atspi.StateType.SENSITIVE)

    def is_focused(self, role, name=None):
        return any(self.has(node, Atspi.StateType.FOCUSED) for its_role, its_name, node in self.all()
                   if its_role == role and name in (None, its_name))

    def takes_keys(self, screen, role="password text", key="x"):
        """Waits until an entry takes what is typed: until its pause is over. Nothing stays in it."""
        def typed():
            screen.xdotool("key", key)
            return self._length(role)
        taken = until(typed)
        screen.xdotool("key", "ctrl+a", "BackSpace")
        return bool(taken) and until(lambda: self._length(role) == 0)

    def _length(self, role):
        node = self.find(role)
        try:
            return node.get_text_iface().get_character_count() if node else None
        except (GLib.Error, AttributeError):
            return None

    def press(self, name):
        """Presses a button as assistive technology does; false if it cannot."""
        node = self.find("push button", name)
        try:
            return node is not None and node.get_action_iface().do_action(0)
        except (GLib.Error, AttributeError):
            return False

    def centre(self, name):
        """The centre of a button, in its window."""
        box = self.find("push button", name).get_component_iface().get_extents(Atspi.CoordType.WINDOW)
        return box.x + box.width // 2, box.y + box.height // 2
