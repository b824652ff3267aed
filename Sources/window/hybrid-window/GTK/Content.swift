import CGTK

/// The part of a question that is of its kind alone: its input, selection or drawing.
class Content {
    /// The widget, nil if there is none.
    var widget: Widget { nil }
    /// The widget that has the focus at first; nil for the button that answers no.
    var firstFocus: Widget { nil }
    /// The reason why a yes is not possible, as a sentence; empty if it needs none, and nil if one is possible.
    var obstacle: String? { nil }
    /// True if the place for that sentence is kept, so that nothing moves when it comes.
    var keepsPlaceForObstacle: Bool { false }
    /// Called when the obstacle may be another one.
    var changed: () -> Void = {}
    /// Called when the user asks for a yes from within.
    var submitted: () -> Void = {}

    /// The answer of a yes.
    func reply() -> Reply { .answer(.yes) }

    /// Forgets typed input.
    func erase() {}
}

/// The contents of a kind without a state of its own.
final class FixedContent: Content {
    private let fixed: Widget

    init(_ widget: Widget) { fixed = widget }

    override var widget: Widget { fixed }
}

/// An answer of the user.
enum Reply {
    case answer(Answer)
    /// A secret with a terminating zero, where the entry has it.
    case secret(UnsafePointer<CChar>)
}
