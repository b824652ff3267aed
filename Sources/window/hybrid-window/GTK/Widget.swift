import CGTK

/// A widget of GTK, as its functions give and take it: checked by GTK itself where it is used.
typealias Widget = UnsafeMutablePointer<GtkWidget>?

/// The widget as an object of a class whose structure GTK's headers have.
func object<Class>(_ widget: Widget) -> UnsafeMutablePointer<Class>? {
    UnsafeMutableRawPointer(widget)?.assumingMemoryBound(to: Class.self)
}

/// The widget as an object of a class, or of an interface, whose structure GTK's headers do not have.
func opaque(_ widget: Widget) -> OpaquePointer? { OpaquePointer(widget) }

/// A box whose children stand below each other.
func column(spacing: Int32, style: String) -> Widget {
    let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, spacing)
    gtk_widget_add_css_class(box, style)
    return box
}

/// A text that is never markup, never cut, and broken where it has to be; without hyphens of Pango's, which would
/// be read as part of a name.
func label(_ text: String, style: String? = nil, role: GtkAccessibleRole? = nil) -> Widget {
    let label = gtk_label_new(nil)
    if let role { window_set_role(label, role) }
    let attributes = pango_attr_list_new()
    pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(0))
    gtk_label_set_attributes(opaque(label), attributes)
    pango_attr_list_unref(attributes)
    gtk_label_set_wrap(opaque(label), 1)
    gtk_label_set_wrap_mode(opaque(label), PANGO_WRAP_WORD_CHAR)
    gtk_label_set_xalign(opaque(label), 0)
    if let style { gtk_widget_add_css_class(label, style) }
    setText(text, of: label)
    return label
}

/// Gives a label another text, and that name; without a text it is not there.
func setText(_ text: String, of label: Widget) {
    gtk_label_set_text(opaque(label), text)
    window_set_accessible_name(label, text)
    gtk_widget_set_visible(label, text.isEmpty ? 0 : 1)
}
