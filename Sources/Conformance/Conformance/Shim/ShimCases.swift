/// The cases that a shim cannot play, and why.
enum ShimCases {
    private static let webSocket = "it needs a WebSocket, and a shim gets whole messages"
    private static let http = "it needs HTTP, and a shim gets only a status and a routing ID"
    private static let tls = "it needs TLS, and a shim has none"
    private static let radio = "it needs a radio, and a shim has only service data"
    private static let l2cap = "it needs an L2CAP channel, and a shim has none"
    private static let links = "it needs a link, and this version of the shim protocol has none"
    private static let ctap = "the runner speaks CTAP for the shim, which lacks the feature ctap"
    private static let order = "it depends on when a message arrives, and a shim reads line by line"
    private static let timeout = "it needs a clock: the shim lacks the feature timeout"
    private static let credential = "the shim lacks the feature credential"

    /// Groups that are left out, but for some cases.
    private static let groups: [String: (reason: String, kept: Set<String>)] = [
        "framing": (
            webSocket, ["close-1000", "close-1001", "close-without-code", "end-without-close", "silence"]
        ),
        "upgrade": (http, ["request-hex-case", "late", "closed-unanswered", "silence"]),
        "linked-upgrade": (links, []), "linked-handshake": (links, []), "linked": (links, []), "link": (links, []),
        "contact": (links, []), "wake": (links, []),
        "trust": (tls, []), "l2cap": (l2cap, []), "l2cap-offer": (l2cap, ["tunnel-all-the-same"]),
    ]

    /// Beginnings of the names of cases of these groups that are kept.
    private static let keptPrefixes = ["upgrade": "status-", "l2cap-offer": "none-for-"]

    /// Cases that are left out of groups that are not.
    private static let cases: [String: String] = [
        "authenticator/tunnel/routing-id-field-case": http, "authenticator/tunnel/routing-id-twice": http,
        "authenticator/advert/service": radio, "authenticator/advert/repeated": radio,
        "authenticator/advert/off-the-air": radio, "client/advert/service-fff9": radio,
        "client/advert/service-fde2": radio, "client/advert/other-service": radio, "client/advert/duplicates": radio,
        "authenticator/frame/text": webSocket, "client/frame/text": webSocket,
        "client/first-message/with-handshake": webSocket, "client/message/answer-unasked": order,
        "client/digital-credential/answer-before-request": order,
    ]

    /// Cases of CTAP beside those of the groups `ctap` and `answer`.
    private static let ctapCases: Set<String> = [
        "authenticator/first-message/get-info", "authenticator/first-message/versions",
        "authenticator/first-message/transports", "authenticator/message/get-info-request",
        "client/message/request-user-verification", "client/message/request-canonical",
        "client/message/no-get-info-request", "client/first-message/get-info-with-status",
    ]

    /// The IDs that stand here.
    static let named = ctapCases.union(cases.keys)

    /// Reason why a shim does not play a case; nil if it does.
    static func reasonLeftOut(_ id: String, _ hello: ShimHello) -> String? {
        let parts = id.split(separator: "/").map(String.init)
        guard parts.count == 3 else { return nil }
        let (group, name) = (parts[1], parts[2])
        if let (reason, kept) = groups[group], !kept.contains(name),
            keptPrefixes[group].map({ name.hasPrefix($0) }) != true
        {
            return reason
        }
        if let reason = cases[id] { return reason }
        // A shim is told that its tunnel has ended, in whichever way.
        if ["-reset", "-half-close", "-noise", "fragments"].contains(where: name.hasSuffix) { return webSocket }
        if !hello.features.contains(.ctap), ["ctap", "answer"].contains(group) || ctapCases.contains(id) {
            return ctap
        }
        if !hello.features.contains(.timeout), name.hasSuffix("silence") { return timeout }
        if id.hasPrefix("client/digital-credential/"), !hello.features.contains(.credential) { return credential }
        return nil
    }
}

extension ShimHello {
    /// Reason why the shim does not play a case; nil if it does.
    public func reasonLeftOut(_ testCase: ConformanceCase) -> String? { ShimCases.reasonLeftOut(testCase.id, self) }
}

extension ProgramSettings {
    /// Leaves out the cases that a shim cannot play: they are reported as skipped.
    func playable<Context>(
        _ cases: CaseGroup<Context>.Cases, _ report: (CaseResult) -> Void
    ) -> CaseGroup<Context>.Cases {
        guard let shim else { return cases }
        return cases.filter { scripted in
            guard let reason = ShimCases.reasonLeftOut(scripted.testCase.id, shim) else { return true }
            report(CaseResult(testCase: scripted.testCase, verdict: .skipped(reason), duration: .zero))
            return false
        }
    }
}
