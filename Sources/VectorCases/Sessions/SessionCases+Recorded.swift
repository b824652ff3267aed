// Sessions with a real browser.

extension SessionCases {
    mutating func addRecorded() throws {
        for session in RecordedSession.all {
            try layer.valid(
                session.slug, "Chromium \(RecordedSession.browser) as the client, domain \(session.domainID)",
                rule: "0",
                "session.authenticator", session.input,
                expecting: [
                    "tunnel_id", "eid_key", "advert", "psk", "message_2", "handshake_hash",
                    "client_to_authenticator_key", "authenticator_to_client_key", "results",
                ],
                flags: [.recorded],
                source: "recorded for this project with Chromium \(RecordedSession.browser); "
                    + "tools/vectors/sources/\(session.recordName)")
        }
    }
}
