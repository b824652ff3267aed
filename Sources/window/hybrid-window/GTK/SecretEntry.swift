import CGTK
import Glibc

/// An entry for a passphrase or a PIN, or two for a new one. GTK keeps the text in memory that it wipes, and offers
/// neither to copy it nor to remember it.
final class SecretEntry: Content {
    private let box = column(spacing: 8, style: "entries")
    private var entries: [Widget] = []

    init(_ request: Question.SecretRequest) {
        super.init()
        for prompt in request.twice ? [request.prompt, Sentences.again] : [request.prompt] { add(prompt) }
        if let objection = request.objection { addObjection(objection, to: box, of: entries.first ?? nil) }
    }

    override var widget: Widget { box }
    override var firstFocus: Widget { entries.first ?? nil }

    override var obstacle: String? {
        guard let first = texts.first, first.pointee != 0 else { return "" }
        guard strlen(first) <= SecretAnswer.mostBytes else { return Sentences.tooLong }
        guard texts.allSatisfy({ strcmp($0, first) == 0 }) else {
            return texts.last?.pointee == 0 ? "" : Sentences.different
        }
        return nil
    }

    override var keepsPlaceForObstacle: Bool { entries.count > 1 }

    override func reply() -> Reply { texts.first.map { .secret($0) } ?? .answer(.no) }

    override func erase() {
        for entry in entries { gtk_editable_set_text(opaque(entry), "") }
    }

    private var texts: [UnsafePointer<CChar>] { entries.compactMap { gtk_editable_get_text(opaque($0)) } }

    private func add(_ prompt: String) {
        let name = label(prompt, style: "prompt")
        let entry = gtk_password_entry_new()
        window_set_labelled_by(entry, name)
        gtk_box_append(object(box), name)
        gtk_box_append(object(box), entry)
        connect(opaque(entry), "changed") { [weak self] in self?.changed() }
        connect(opaque(entry), "activate") { [weak self] in self?.activated(entry) }
        entries.append(entry)
    }

    /// Goes on to the next entry, and from the last one to the answer.
    private func activated(_ entry: Widget) {
        if entry == entries.last { submitted() } else { gtk_widget_grab_focus(entries.last ?? nil) }
    }
}

/// Says below an entry what was wrong with the answer before.
func addObjection(_ objection: String, to box: Widget, of entry: Widget) {
    gtk_box_append(object(box), label(objection, style: "objection", role: GTK_ACCESSIBLE_ROLE_ALERT))
    window_set_invalid(entry, 1)
}
