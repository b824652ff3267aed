package import HybridTransport

/// An event of a module below, of which a program says what is written. Each program has words for those that it meets.
package protocol ReportedEvent: Event {
    /// The report of the event, in the ceremony of a role; nil for an event of no ceremony.
    func report(as role: Role?) -> EventReport
}

/// Report of an event: a line for programs, words for people.
package enum EventReport {
    /// A line for programs, or a sentence for people.
    case line(Line, String)
    /// The same of a stage of a ceremony, with its time since the command began; and what is waited for then, nil for
    /// nothing.
    case stage(Line, String, waitingFor: String?)
    /// A sentence for people.
    case sentence(String)
    /// A warning by its code, and the role whose ceremony it is of.
    case warning(String, String, Role?)
    /// The end of a ceremony: nothing is waited for any more.
    case end
    case nothing
}

extension Reporter {
    /// Reports the events of a role, or of none.
    package func listener(for role: Role? = nil) -> EventListener { { [self] event in report(event, as: role) } }

    /// Reports an event, if this program has words for it.
    package func report(_ event: any Event, as role: Role? = nil) {
        switch (event as? any ReportedEvent)?.report(as: role) {
        case .line(let line, let text): write(line, orSay: text)
        case .stage(let line, let text, let expectation):
            let milliseconds = elapsed.milliseconds
            write(
                Line(line.event, line.fields, ["elapsed_ms": milliseconds]),
                orSay: "\(Self.padded(milliseconds)) ms  \(text)")
            wait(for: expectation, as: role)
        case .sentence(let text): say(text)
        case .warning(let code, let text, let role): warn(code, text, role: role)
        case .end: wait(for: nil, as: role)
        case .nothing, nil: break
        }
    }

    private static func padded(_ milliseconds: Double) -> String {
        let text = String(Int(milliseconds))
        return String(repeating: " ", count: max(0, 7 - text.count)) + text
    }
}
