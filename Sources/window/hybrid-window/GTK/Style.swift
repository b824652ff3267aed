import CGTK

/// The style of the window, on top of the theme's, with whose colours it follows light and dark. Where they have less
/// contrast than 4.5 to 1 (WCAG 2.2, 1.4.3), it adds to them.
enum Style {
    /// The height below the texts and contents in which there is nothing: the lower padding of `.content`.
    static let emptyEnd = 12.0

    private static let sheet = """
        .content { padding: 24px 24px 12px 24px; }
        .footer { padding: 12px 24px 24px 24px; }
        .title { font-size: 1.3em; font-weight: bold; }
        .site { font-size: 1.7em; font-weight: bold; padding: 14px 16px; border-radius: 10px;
            background-color: alpha(currentColor, 0.07); }
        .prompt { font-weight: bold; }
        .tell { opacity: 0.8; }
        .hint { font-size: 0.95em; opacity: 0.8; }
        .objection { color: mix(@error_color, @theme_fg_color, 0.65); font-weight: bold; }
        .digits { font-size: 1.7em; letter-spacing: 0.2em; }
        .answer { min-height: 28px; padding: 6px 16px; }
        .answer.suggested-action:not(:disabled) { background-image: none;
            background-color: mix(@theme_selected_bg_color, black, 0.25); }
        .answer:focus { outline: 2px solid alpha(currentColor, 0.6); outline-offset: 2px; }
        .accounts { border: 1px solid alpha(currentColor, 0.2); border-radius: 10px; }
        .accounts row { padding: 12px 14px; border-radius: 10px; }
        .accounts row:not(:selected) .mark { opacity: 0; }
        .good { color: @success_color; }
        .bad { color: @error_color; }
        """

    /// Gives the style to all windows of a display.
    static func apply() {
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, sheet, -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), OpaquePointer(provider), UInt32(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(provider)
    }
}
