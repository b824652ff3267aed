/// Control cases: the evidence that a refusal means something. A program that fails at everything refuses whatever is
/// wrong, too; so a case that demands a refusal, or that the peer survives, counts only where the same flow comes to
/// its good end when nothing is wrong with it.
extension ConformanceCase {
    /// The ID of the control case: the case that plays the flow of this one, in which nothing is wrong. Nil for a case
    /// that is such a flow itself.
    public var controlCase: String? {
        guard kind != .behaves else { return nil }
        let parts = id.split(separator: "/")
        let group = parts.dropLast().joined(separator: "/")
        return Self.controlCasesOfGroups[group]
            ?? parts.first.flatMap { Role(rawValue: String($0)) }.map { ConformanceRunner.plainCase(of: $0).id }
    }

    /// The control cases of groups whose flow is not the plainest one of their role.
    private static let controlCasesOfGroups = [
        "authenticator/contact": "authenticator/linked/session",
        "authenticator/digital-credential": "authenticator/digital-credential/get",
        "authenticator/l2cap": "authenticator/l2cap/framing-terminated",
        "authenticator/link": "authenticator/update/success",
        "authenticator/linked": "authenticator/linked/session",
        "authenticator/linked-handshake": "authenticator/linked/session",
        "authenticator/linked-upgrade": "authenticator/linked/session",
        "authenticator/wake": "authenticator/linked/session",
        "client/digital-credential": "client/digital-credential/credential",
        "client/l2cap": "client/l2cap/framing-terminated",
        "client/l2cap-offer": "client/l2cap/framing-terminated",
        "client/link": "client/link/kept",
        "client/linked": "client/linked/session",
        "client/linked-handshake": "client/linked/session",
        "client/linked-upgrade": "client/linked/session",
        "tunnel-service/contact": "tunnel-service/wake/tunnel",
        "tunnel-service/listen": "tunnel-service/wake/tunnel",
        "tunnel-service/wake": "tunnel-service/wake/tunnel",
    ]
}
