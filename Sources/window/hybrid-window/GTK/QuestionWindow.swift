import CGTK

/// The window: one question at a time, and when each may be answered.
final class QuestionWindow {
    private static let width: Int32 = 440
    /// The least width, at which a QR code can still be scanned.
    private static let leastWidth: Int32 = 280
    /// The time for which a good outcome is shown if nobody moves, in milliseconds.
    private static let goodOutcomeTime: UInt32 = 5_000
    /// The frames after which the first has been painted.
    private static let framesUntilShown = 3

    private let window = gtk_window_new()
    private let answered: (Reply, Question) -> Void
    private var question: Question?
    private var page: QuestionPage?
    private var gate = YesGate()
    private var isAttended = false
    /// The height that the window has of itself; another one is the user's wish.
    private var fittedHeight: Int32 = 0

    /// Makes a window that is not shown yet.
    ///
    /// - Parameter answered: called with each answer.
    init(answered: @escaping (Reply, Question) -> Void) {
        self.answered = answered
        gtk_window_set_title(object(window), Sentences.windowTitle)
        gtk_window_set_icon_name(object(window), "dialog-password")
        let events = gtk_event_controller_legacy_new()
        gtk_event_controller_set_propagation_phase(events, GTK_PHASE_CAPTURE)
        connectDeciding(events, "event") { [weak self] in self?.takes($0) ?? false }
        gtk_widget_add_controller(window, events)
        connectDeciding(opaque(window), "close-request") { [weak self] _ in
            self?.close()
            return true
        }
    }

    /// True while an outcome is on screen.
    var showsOutcome: Bool {
        guard case .outcome = question?.kind else { return false }
        return gtk_widget_get_visible(window) != 0
    }

    /// The width that the window has, or will have: before it is on screen GTK says 0.
    private var width: Int32 {
        let width = gtk_widget_get_width(window)
        return gtk_widget_get_mapped(window) != 0 && width > 0 ? width : Self.width
    }

    /// Shows a question in the place of the one before.
    func show(_ question: Question) {
        erase()
        let page = QuestionPage(question)
        (self.question, self.page, gate, isAttended) = (question, page, YesGate(), false)
        connect(opaque(page.no), "clicked") { [weak self] in self?.sayNo() }
        if page.yes != nil { connect(opaque(page.yes), "clicked") { [weak self] in self?.sayYes() } }
        page.content.submitted = { [weak self] in self?.sayYes() }
        page.content.changed = { [weak self] in self?.refresh() }
        let adjustment = OpaquePointer(page.adjustment)
        for signal in ["changed", "value-changed"] {
            connect(adjustment, signal) { [weak self, weak page] in self?.look(at: page) }
        }
        let width = width
        gtk_widget_set_size_request(page.root, Self.leastWidth, -1)
        gtk_window_set_child(object(window), page.root)
        gtk_window_set_default_size(object(window), width, -1)
        gtk_window_set_default_widget(object(window), page.no)
        gtk_window_set_focus(object(window), page.content.firstFocus ?? page.no)
        gtk_window_set_focus_visible(object(window), 1)
        refresh()
        gtk_window_present(object(window))
        settle(page, width)
    }

    /// Shows a sentence below the question.
    func tell(_ sentence: String) {
        guard let page, let question else { return }
        let isFitted = gtk_widget_get_height(window) == fittedHeight
        page.tell(sentence)
        guard question.yes == nil, !showsOutcome else { return }
        if isFitted { gtk_window_set_default_size(object(window), width, -1) }
        var frames = 0
        eachFrame(of: page.root) { [weak self, weak page] in
            frames += 1
            guard frames > Self.framesUntilShown else { return true }
            if let self, isFitted { self.fittedHeight = gtk_widget_get_height(self.window) }
            page?.scrollToEnd()
            return false
        }
    }

    /// Forgets typed input.
    func erase() { page?.content.erase() }

    /// Begins the pause, once the first frame of a page has been painted.
    ///
    /// - Parameter width: the width for which the window's height was asked; the screen may have had less.
    private func settle(_ page: QuestionPage, _ width: Int32) {
        var (frames, asked, last) = (0, width, width)
        eachFrame(of: page.root) { [weak self, weak page] in
            guard let self, gtk_widget_get_mapped(self.window) != 0 else { return true }
            let actual = gtk_widget_get_width(self.window)
            // The first frames may have another width than the display will give the window.
            frames = actual == last ? frames + 1 : 0
            last = actual
            if frames > Self.framesUntilShown, actual > 0, actual != asked {
                gtk_window_set_default_size(object(self.window), actual, -1)
                (frames, asked) = (0, actual)
            }
            guard frames > Self.framesUntilShown else { return true }
            self.fittedHeight = gtk_widget_get_height(self.window)
            after(milliseconds: YesGate.pause) { [weak page] in
                guard let page, page === self.page else { return }
                self.gate.settle()
                self.look(at: page)
                self.closeWhenUnattended(page)
            }
            return false
        }
    }

    private func closeWhenUnattended(_ page: QuestionPage) {
        guard case .outcome(good: true) = question?.kind else { return }
        after(milliseconds: Self.goodOutcomeTime) { [weak self, weak page] in
            guard let self, let page, page === self.page, !self.isAttended else { return }
            self.close()
        }
    }

    /// Notices whether all of a page has been on screen.
    private func look(at page: QuestionPage?) {
        guard let page, page === self.page, gate.isSettled else { return }
        if page.isAtEnd { gate.see() }
        refresh()
    }

    private func refresh() {
        guard let page else { return }
        let obstacle = page.content.obstacle
        if page.yes != nil { gtk_widget_set_sensitive(page.yes, gate.takesYes && obstacle == nil ? 1 : 0) }
        guard !gate.isAnswered, page.yes != nil else { return page.hint("") }
        page.hint(gate.isSettled && !gate.isSeen ? Sentences.scroll : obstacle ?? "")
    }

    private func sayYes() {
        guard let page, gate.takesYes, page.content.obstacle == nil else { return }
        answer(page.content.reply())
    }

    private func sayNo() {
        guard gate.takesNo else { return }
        if showsOutcome { close() } else { answer(.answer(.no)) }
    }

    private func answer(_ reply: Reply) {
        guard let question, let page, !gate.isAnswered else { return }
        gate.answer()
        page.disable()
        answered(reply, question)
        page.content.erase()
        refresh()
    }

    /// Closes the window, which is a no unless there was an answer.
    private func close() {
        gtk_widget_hide(window)
        answer(.answer(.no))
    }
}

// Input, before any widget has it.
extension QuestionWindow {
    /// True if an event goes no further.
    private func takes(_ event: OpaquePointer?) -> Bool {
        let kind = gdk_event_get_event_type(event)
        guard Self.isInput(kind) else {
            if gate.isSettled, kind == GDK_MOTION_NOTIFY { isAttended = true }
            return false
        }
        guard gate.isSettled else { return true }
        isAttended = true
        return kind == GDK_KEY_PRESS && takesKey(gdk_key_event_get_keyval(event))
    }

    private static func isInput(_ kind: GdkEventType) -> Bool {
        switch kind {
        case GDK_KEY_PRESS, GDK_KEY_RELEASE, GDK_BUTTON_PRESS, GDK_BUTTON_RELEASE, GDK_TOUCH_BEGIN,
            GDK_TOUCH_UPDATE, GDK_TOUCH_END, GDK_SCROLL, GDK_PAD_BUTTON_PRESS, GDK_PAD_BUTTON_RELEASE:
            true
        default: false
        }
    }

    private func takesKey(_ key: guint) -> Bool {
        guard Int32(clamping: key) != GDK_KEY_Escape else {
            sayNo()
            return true
        }
        guard let page, let adjustment = page.adjustment else { return false }
        if let list = page.content as? AccountList, takesTab(key, page, list) { return true }
        // Lists and entries have these keys for themselves.
        let focus = gtk_window_get_focus(object(window))
        guard focus == nil || focus == page.no || focus == page.yes else { return false }
        let step = gtk_adjustment_get_page_size(adjustment) * Self.shareOfPage
        let value = gtk_adjustment_get_value(adjustment)
        switch Int32(clamping: key) {
        case GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down: gtk_adjustment_set_value(adjustment, value + step)
        case GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up: gtk_adjustment_set_value(adjustment, value - step)
        case GDK_KEY_End, GDK_KEY_KP_End: page.scrollToEnd()
        case GDK_KEY_Home, GDK_KEY_KP_Home: gtk_adjustment_set_value(adjustment, 0)
        default: return false
        }
        return true
    }

    /// Moves the focus between the accounts and the buttons: GTK would go through all accounts, and select each.
    private func takesTab(_ key: guint, _ page: QuestionPage, _ list: AccountList) -> Bool {
        let key = Int32(clamping: key)
        guard key == GDK_KEY_Tab || key == GDK_KEY_KP_Tab || key == GDK_KEY_ISO_Left_Tab else { return false }
        let focus = gtk_window_get_focus(object(window))
        let isForward = key != GDK_KEY_ISO_Left_Tab
        let canSayYes = gtk_widget_is_sensitive(page.yes) != 0
        switch focus {
        case page.no where isForward && canSayYes: gtk_widget_grab_focus(page.yes)
        case page.no: list.takeFocus()
        case page.yes where isForward: list.takeFocus()
        case page.yes: gtk_widget_grab_focus(page.no)
        default: gtk_widget_grab_focus(isForward || !canSayYes ? page.no : page.yes)
        }
        return true
    }

    /// The part of a page by which the keys for a page scroll, so that the last lines stay.
    private static let shareOfPage = 0.9
}
