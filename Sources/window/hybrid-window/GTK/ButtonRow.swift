import CGTK

/// The layout of the buttons: beside each other, equally wide, where their words have room; otherwise below each
/// other, so that no word is cut.
enum ButtonRow {
    private static let spacing: Int32 = 12

    /// Makes a row of buttons.
    static func make(_ buttons: [Widget]) -> Widget {
        let row = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)
        for button in buttons { gtk_box_append(object(row), button) }
        let layout = gtk_custom_layout_new(
            { _ in GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH },
            { row, orientation, size, minimum, natural, _, _ in
                let (least, wanted) = ButtonRow.measure(row, orientation, size)
                minimum?.pointee = least
                natural?.pointee = wanted
            },
            { row, width, height, _ in ButtonRow.allocate(row, width, height) })
        gtk_widget_set_layout_manager(row, layout)
        return row
    }

    private static func buttons(_ row: Widget) -> [Widget] {
        var buttons: [Widget] = []
        var next = gtk_widget_get_first_child(row)
        while let button = next {
            buttons.append(button)
            next = gtk_widget_get_next_sibling(button)
        }
        return buttons
    }

    private static func size(
        _ button: Widget, _ orientation: GtkOrientation, _ other: Int32
    ) -> (least: Int32, wanted: Int32) {
        var (least, wanted): (Int32, Int32) = (0, 0)
        gtk_widget_measure(button, orientation, other, &least, &wanted, nil, nil)
        return (least, wanted)
    }

    /// The width of each button if they stand beside each other; nil if a width is too small for that.
    private static func shared(_ width: Int32, _ buttons: [Widget]) -> Int32? {
        let count = Int32(clamping: max(1, buttons.count))
        let share = (width - spacing * (count - 1)) / count
        return buttons.allSatisfy { size($0, GTK_ORIENTATION_HORIZONTAL, -1).wanted <= share } ? share : nil
    }

    private static func measure(
        _ row: Widget, _ orientation: GtkOrientation, _ width: Int32
    ) -> (least: Int32, wanted: Int32) {
        let buttons = buttons(row)
        let gaps = spacing * Int32(clamping: max(0, buttons.count - 1))
        guard orientation == GTK_ORIENTATION_VERTICAL else {
            let sizes = buttons.map { size($0, orientation, -1) }
            let widest = sizes.map(\.wanted).max() ?? 0
            return (sizes.map(\.least).max() ?? 0, widest * Int32(clamping: buttons.count) + gaps)
        }
        if width < 0 || shared(width, buttons) != nil {
            let share = width < 0 ? -1 : shared(width, buttons) ?? -1
            let height = buttons.map { size($0, orientation, share).wanted }.max() ?? 0
            return (height, height)
        }
        let height = buttons.map { size($0, orientation, width).wanted }.reduce(gaps, +)
        return (height, height)
    }

    private static func allocate(_ row: Widget, _ width: Int32, _ height: Int32) {
        let buttons = buttons(row)
        let share = shared(width, buttons)
        var (x, y): (Int32, Int32) = (0, 0)
        for button in buttons {
            let wanted = size(button, GTK_ORIENTATION_VERTICAL, share ?? width).wanted
            var place = GtkAllocation(x: x, y: y, width: share ?? width, height: share == nil ? wanted : height)
            gtk_widget_size_allocate(button, &place, -1)
            if let share { x += share + spacing } else { y += wanted + spacing }
        }
    }
}
