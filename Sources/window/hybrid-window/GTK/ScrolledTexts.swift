import CGTK

/// A widget that scrolls another up and down, and wants the height that this has at the width that there is:
/// GtkScrolledWindow by itself measures texts as if no line were wrapped.
enum ScrolledTexts {
    /// The height beyond which a window does not grow by itself.
    private static let mostHeight: Int32 = 620

    /// Puts a scrolled window with its child into a frame.
    static func frame(_ scrolled: Widget) -> Widget {
        let frame = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        gtk_box_append(object(frame), scrolled)
        let layout = gtk_custom_layout_new(
            { _ in GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH },
            { frame, orientation, width, minimum, natural, _, _ in
                let scrolled = gtk_widget_get_first_child(frame)
                var (least, wanted): (Int32, Int32) = (0, 0)
                gtk_widget_measure(scrolled, orientation, width, &least, &wanted, nil, nil)
                minimum?.pointee = least
                if orientation == GTK_ORIENTATION_VERTICAL {
                    let viewport = gtk_scrolled_window_get_child(opaque(scrolled))
                    gtk_widget_measure(
                        gtk_widget_get_first_child(viewport), orientation, width, nil, &wanted, nil, nil)
                    wanted = min(wanted, ScrolledTexts.mostHeight)
                }
                natural?.pointee = max(least, wanted)
            },
            { frame, width, height, _ in
                var place = GtkAllocation(x: 0, y: 0, width: width, height: height)
                gtk_widget_size_allocate(gtk_widget_get_first_child(frame), &place, -1)
            })
        gtk_widget_set_layout_manager(frame, layout)
        gtk_widget_set_vexpand(frame, 1)
        return frame
    }
}
