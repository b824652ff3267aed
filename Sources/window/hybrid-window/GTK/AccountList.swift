import CGTK

/// The accounts to choose from: at first none is selected.
final class AccountList: Content {
    private static let spacing: Int32 = 10

    private let list = gtk_list_box_new()

    init(_ accounts: [String]) {
        super.init()
        gtk_list_box_set_selection_mode(opaque(list), GTK_SELECTION_SINGLE)
        gtk_widget_add_css_class(list, "accounts")
        for account in accounts { gtk_list_box_append(opaque(list), Self.row(account)) }
        connect(opaque(list), "selected-rows-changed") { [weak self] in self?.changed() }
    }

    override var widget: Widget { list }
    override var obstacle: String? { place == nil ? Sentences.choose : nil }
    override func reply() -> Reply { place.map { .answer(.account($0)) } ?? .answer(.no) }

    /// Gives the focus to the selected account, or else to the first, which that does not select.
    func takeFocus() {
        let selected = gtk_list_box_get_selected_row(opaque(list))
        let row = selected ?? gtk_list_box_get_row_at_index(opaque(list), 0)
        gtk_widget_grab_focus(UnsafeMutableRawPointer(row)?.assumingMemoryBound(to: GtkWidget.self))
        if selected == nil { gtk_list_box_unselect_all(opaque(list)) }
    }

    private var place: Int? {
        gtk_list_box_get_selected_row(opaque(list)).map { Int(gtk_list_box_row_get_index($0)) }
    }

    private static func row(_ account: String) -> Widget {
        let box = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, spacing)
        let name = label(account)
        gtk_widget_set_hexpand(name, 1)
        gtk_box_append(object(box), name)
        let mark = gtk_image_new_from_icon_name("object-select-symbolic")
        gtk_widget_add_css_class(mark, "mark")
        gtk_box_append(object(box), mark)
        let row = gtk_list_box_row_new()
        gtk_list_box_row_set_child(object(row), box)
        window_set_accessible_name(row, account)
        return row
    }
}
