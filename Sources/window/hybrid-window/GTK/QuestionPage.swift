import CGTK

/// The widgets of one question: its texts and contents, which scroll, and below them the buttons.
final class QuestionPage {
    private static let spacing: Int32 = 16
    private static let iconSize: Int32 = 56
    private static let spinnerSize: Int32 = 32

    let root = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
    let content: Content
    let no: Widget
    let yes: Widget
    private let scrolled = gtk_scrolled_window_new()
    private let texts = column(spacing: spacing, style: "content")
    private let told = label("", style: "tell", role: GTK_ACCESSIBLE_ROLE_STATUS)
    private let hint = label("", style: "hint", role: GTK_ACCESSIBLE_ROLE_STATUS)

    init(_ question: Question) {
        content = Self.content(of: question)
        no = Self.button(question.no)
        yes = question.yes.flatMap { Self.button($0) }
        gtk_scrolled_window_set_policy(opaque(scrolled), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC)
        gtk_scrolled_window_set_child(opaque(scrolled), texts)
        gtk_box_append(object(root), ScrolledTexts.frame(scrolled))
        fill(question)
        let footer = column(spacing: Self.spacing, style: "footer")
        gtk_box_append(object(footer), hint)
        if content.keepsPlaceForObstacle { gtk_widget_set_visible(hint, 1) }
        if yes != nil { gtk_widget_add_css_class(yes, "suggested-action") }
        gtk_box_append(object(footer), ButtonRow.make(yes == nil ? [no] : [no, yes]))
        gtk_box_append(object(root), footer)
    }

    /// The way through the texts and contents.
    var adjustment: UnsafeMutablePointer<GtkAdjustment>? {
        gtk_scrolled_window_get_vadjustment(opaque(scrolled))
    }

    /// True if the end of the texts and contents is on screen.
    var isAtEnd: Bool {
        let (size, value) = (gtk_adjustment_get_page_size(adjustment), gtk_adjustment_get_value(adjustment))
        return size > 1 && gtk_adjustment_get_upper(adjustment) - value - size < Style.emptyEnd + 1
    }

    func scrollToEnd() { gtk_adjustment_set_value(adjustment, gtk_adjustment_get_upper(adjustment)) }

    func tell(_ sentence: String) {
        setText(sentence, of: told)
        gtk_widget_set_visible(told, 1)
    }

    /// Shows a sentence above the buttons. Its place stays, so that no button moves when it goes.
    func hint(_ sentence: String) {
        let isThere = gtk_widget_get_visible(hint) != 0
        setText(sentence, of: hint)
        if isThere { gtk_widget_set_visible(hint, 1) }
    }

    /// Disables the buttons and the content, once the question is answered.
    func disable() {
        for widget in [no, yes, content.widget] where widget != nil { gtk_widget_set_sensitive(widget, 0) }
    }

    private func fill(_ question: Question) {
        let isOutcome = if case .outcome = question.kind { true } else { false }
        if isOutcome { gtk_box_append(object(texts), content.widget) }
        let title = label(question.title, style: "title", role: GTK_ACCESSIBLE_ROLE_HEADING)
        gtk_box_append(object(texts), title)
        if let site = question.site { gtk_box_append(object(texts), label(site, style: "site")) }
        let paragraphs = question.lines.map { label($0) }
        if !paragraphs.isEmpty {
            let lines = column(spacing: Self.spacing / 2, style: "lines")
            for paragraph in paragraphs { gtk_box_append(object(lines), paragraph) }
            gtk_box_append(object(texts), lines)
        }
        if isOutcome {
            for text in [title] + paragraphs { gtk_label_set_selectable(opaque(text), 1) }
        } else if content.widget != nil {
            gtk_box_append(object(texts), content.widget)
        }
        gtk_box_append(object(texts), told)
        if question.yes == nil, !isOutcome { gtk_widget_set_visible(told, 1) }
    }

    private static func content(of question: Question) -> Content {
        switch question.kind {
        case .code(let modules): FixedContent(CodeDrawing.make(modules))
        case .approval: FixedContent(nil)
        case .choice(let accounts): AccountList(accounts)
        case .secret(let request): SecretEntry(request)
        case .digits(let count, let objection): DigitsEntry(count, objection: objection, title: question.title)
        case .step: FixedContent(spinner())
        case .outcome(let good): FixedContent(icon(good))
        }
    }

    private static func spinner() -> Widget {
        let spinner = gtk_spinner_new()
        gtk_widget_set_size_request(spinner, spinnerSize, spinnerSize)
        gtk_widget_set_halign(spinner, GTK_ALIGN_CENTER)
        window_set_accessible_name(spinner, Sentences.waiting)
        gtk_spinner_start(opaque(spinner))
        return spinner
    }

    private static func icon(_ good: Bool) -> Widget {
        let icon = gtk_image_new_from_icon_name(good ? "object-select-symbolic" : "dialog-error-symbolic")
        gtk_image_set_pixel_size(opaque(icon), iconSize)
        gtk_widget_set_halign(icon, GTK_ALIGN_START)
        gtk_widget_add_css_class(icon, good ? "good" : "bad")
        window_set_accessible_name(icon, good ? Sentences.success : Sentences.failure)
        return icon
    }

    private static func button(_ word: String) -> Widget {
        let button = gtk_button_new()
        let name = label(word)
        gtk_label_set_xalign(opaque(name), 0.5)
        gtk_label_set_justify(opaque(name), GTK_JUSTIFY_CENTER)
        gtk_button_set_child(object(button), name)
        gtk_widget_add_css_class(button, "answer")
        window_set_accessible_name(button, word)
        return button
    }
}
