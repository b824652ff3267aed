import CGTK

/// An entry for a fixed number of ASCII digits, which takes nothing else.
final class DigitsEntry: Content {
    private let box = column(spacing: 8, style: "entries")
    private let entry = gtk_entry_new()
    private let count: Int

    init(_ count: Int, objection: String?, title: String) {
        self.count = count
        super.init()
        gtk_entry_set_max_length(object(entry), Int32(clamping: count))
        gtk_entry_set_input_purpose(object(entry), GTK_INPUT_PURPOSE_DIGITS)
        gtk_editable_set_width_chars(opaque(entry), 1)
        gtk_widget_add_css_class(entry, "digits")
        window_set_accessible_name(entry, title)
        gtk_box_append(object(box), entry)
        if let objection { addObjection(objection, to: box, of: entry) }
        Self.takeOnlyDigits(gtk_editable_get_delegate(opaque(entry)))
        connect(opaque(entry), "changed") { [weak self] in self?.changed() }
        connect(opaque(entry), "activate") { [weak self] in self?.submitted() }
    }

    override var widget: Widget { box }
    override var firstFocus: Widget { entry }
    override var obstacle: String? { text.utf8.count == count ? nil : "" }
    override func reply() -> Reply { .answer(.digits(text)) }
    override func erase() { gtk_editable_set_text(opaque(entry), "") }

    private var text: String { gtk_editable_get_text(opaque(entry)).map { String(cString: $0) } ?? "" }

    /// Inserts only the digits of each text that is typed or pasted.
    private static func takeOnlyDigits(_ text: OpaquePointer?) {
        typealias Insertion =
            @convention(c) (
                OpaquePointer?, UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<Int32>?, UnsafeMutableRawPointer?
            ) -> Void
        let insertion: Insertion = { text, inserted, count, position, _ in
            let bytes = UnsafeBufferPointer(start: inserted, count: Int(max(0, count)))
            let digits = bytes.filter { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
            guard digits.count < bytes.count else { return }
            g_signal_stop_emission_by_name(UnsafeMutableRawPointer(text), "insert-text")
            guard !digits.isEmpty else { return }
            gtk_editable_insert_text(
                text, String(decoding: digits, as: UTF8.self), Int32(clamping: digits.count), position)
        }
        g_signal_connect_data(
            UnsafeMutableRawPointer(text), "insert-text", unsafeBitCast(insertion, to: GCallback.self), nil, nil,
            GConnectFlags(rawValue: 0))
    }
}
