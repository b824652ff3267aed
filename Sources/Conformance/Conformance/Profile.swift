/// Part of the protocol that a run asks of a peer: a flow, or an edition of CTAP.
///
/// A case has the flow of its group, and the editions of its rule.
public enum Profile: String, Sendable, CaseIterable {
    /// Sessions that begin with a QR code, over a tunnel service.
    case qr
    /// Links, and state-assisted transactions.
    case linked
    /// The data channel over L2CAP.
    case l2cap
    /// Requests for digital credentials.
    case digitalCredentials = "digital-credentials"
    /// CTAP 2.2.
    case ctap22 = "2.2"
    /// CTAP 2.3.
    case ctap23 = "2.3"

    /// The edition of CTAP; nil of a flow.
    var edition: Rule.Edition? { Rule.Edition(rawValue: rawValue) }
}

extension [Profile] {
    /// True if a run with these profiles has the case: it plays one of the flows, where any is named, and its rule
    /// binds a peer of one of the editions, where any is named.
    public func ask(for testCase: ConformanceCase) -> Bool {
        let editions = compactMap(\.edition)
        let flows = filter { $0.edition == nil }
        return (flows.isEmpty || flows.contains(testCase.profile))
            && (editions.isEmpty || editions.contains(where: testCase.rule.binds))
    }

    /// The names, as a reader is told them: `qr and 2.2`, or `all`.
    public var text: String { isEmpty ? "all" : map(\.rawValue).joined(separator: " and ") }
}
