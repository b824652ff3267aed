internal import Conformance
internal import Encodings
internal import HybridProtocol

// Sessions over the BLE channel (the article L2CAP of HybridProtocol), and suffixes that were changed on the way.

extension SessionCases {
    private static let psm: UInt64 = 0x00F2

    mutating func addOverL2CAP() throws {
        try playOverL2CAP("sign-in", "request, reply, shutdown", messages.signIn)
        try playOverL2CAP("declined", "the phone's answer is a status alone", messages.refusal)
        try changeSuffix("garbage", [0xFF, 0xFF])
        try changeSuffix("other-psm", Self.suffix(0x80))
        try changeSuffix("channel-0", [0xA1, 0x00, 0x01])
    }

    private mutating func playOverL2CAP(_ slug: String, _ comment: String, _ steps: [SessionStep]) throws {
        let session = try session("l2cap/\(slug)", channels: [.webSocket, .ble], saying: steps)
        try accept(
            .authenticator, "l2cap-\(slug)", "\(comment); key 6 of the QR code offers L2CAP", rule: "HT-BLE-16",
            session: session, flags: [.optional])
        try accept(
            .client, "l2cap-\(slug)", "\(comment); the advert names a PSM, which no key depends on", rule: "HT-BLE-16",
            session: session, changing: ["advert": .hex(session.advert + Self.suffix(Self.psm))], flags: [.optional])
    }

    private mutating func changeSuffix(_ slug: String, _ suffix: [UInt8]) throws {
        let session = try session("l2cap/\(slug)", channels: [.webSocket, .ble], saying: messages.refusal)
        try accept(
            .client, "l2cap-\(slug)", "a suffix that somebody changed (\(slug)) changes nothing else",
            rule: "HT-ADV-25", session: session, changing: ["advert": .hex(session.advert + suffix)], flags: [.tamper])
    }

    private static func suffix(_ psm: UInt64) -> [UInt8] {
        let suffix: CBORValue = [1: .unsigned(psm)]
        return suffix.encoded()
    }
}
