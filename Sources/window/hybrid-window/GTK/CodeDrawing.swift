import CGTK

/// The drawing of a QR code: black on white in every theme, each module as many whole pixels of the screen.
final class CodeDrawing {
    /// The least pixels of a module.
    private static let leastModule = 4
    /// The most that the drawing demands of a window; it wants twice that, and takes more where there is more.
    private static let largestDemand = 272

    private let modules: ModuleMatrix

    private init(_ modules: ModuleMatrix) { self.modules = modules }

    /// Makes the widget that draws a code.
    static func make(_ modules: ModuleMatrix) -> Widget {
        let area = gtk_drawing_area_new()
        window_set_role(area, GTK_ACCESSIBLE_ROLE_IMG)
        window_set_accessible_name(area, Sentences.code)
        let demand = min(largestDemand, leastModule * modules.sideWithQuietZone)
        gtk_widget_set_size_request(area, -1, Int32(clamping: demand))
        gtk_widget_set_hexpand(area, 1)
        gtk_widget_set_vexpand(area, 1)
        gtk_drawing_area_set_draw_func(
            object(area),
            { area, context, width, height, data in
                guard let data else { return }
                let drawing = Unmanaged<CodeDrawing>.fromOpaque(data).takeUnretainedValue()
                let widget = UnsafeMutableRawPointer(area)?.assumingMemoryBound(to: GtkWidget.self)
                let scale = gtk_widget_get_scale_factor(widget)
                drawing.draw(context, Int(width), Int(height), scale: Int(max(1, scale)))
            },
            Unmanaged.passRetained(CodeDrawing(modules)).toOpaque(),
            { if let data = $0 { Unmanaged<CodeDrawing>.fromOpaque(data).release() } })
        return enlarging(area)
    }

    /// A widget around a drawing, which wants twice the height that the drawing demands, as far as it is wide.
    private static func enlarging(_ area: Widget) -> Widget {
        let frame = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        gtk_box_append(object(frame), area)
        let layout = gtk_custom_layout_new(
            { _ in GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH },
            { frame, orientation, width, minimum, natural, _, _ in
                var least: Int32 = 0
                gtk_widget_measure(gtk_widget_get_first_child(frame), orientation, -1, &least, nil, nil, nil)
                let wanted = orientation == GTK_ORIENTATION_VERTICAL && width > 0 ? min(width, 2 * least) : least
                minimum?.pointee = least
                natural?.pointee = max(least, wanted)
            },
            { frame, width, height, _ in
                var place = GtkAllocation(x: 0, y: 0, width: width, height: height)
                gtk_widget_size_allocate(gtk_widget_get_first_child(frame), &place, -1)
            })
        gtk_widget_set_layout_manager(frame, layout)
        return frame
    }

    /// Draws in pixels of the screen, of which `scale` make one of the widget on each side.
    private func draw(_ context: OpaquePointer?, _ width: Int, _ height: Int, scale: Int) {
        let module = max(1, min(width, height) * scale / modules.sideWithQuietZone)
        let side = module * modules.sideWithQuietZone
        let left = max(0, width * scale - side) / 2
        let top = max(0, height * scale - side) / 2
        cairo_scale(context, 1 / Double(scale), 1 / Double(scale))
        cairo_set_antialias(context, CAIRO_ANTIALIAS_NONE)
        cairo_set_source_rgb(context, 1, 1, 1)
        cairo_rectangle(context, Double(left), Double(top), Double(side), Double(side))
        cairo_fill(context)
        cairo_set_source_rgb(context, 0, 0, 0)
        for row in 0..<modules.side {
            for column in modules.darkColumns(ofRow: row) {
                let x = left + (column + ModuleMatrix.quietZone) * module
                let y = top + (row + ModuleMatrix.quietZone) * module
                cairo_rectangle(context, Double(x), Double(y), Double(module), Double(module))
            }
        }
        cairo_fill(context)
    }
}
