internal import Conformance

// Sessions with a real browser.

extension SessionCases {
    mutating func addRecorded(_ sources: VectorSources) throws {
        for session in try sources.recorded() {
            let name = session.fileName.split(separator: ".").first ?? ""
            try layer.valid(
                CaseSlug(String(name)).text,
                "Chromium \(session.browser) as the client, domain \(session.domainID)",
                rule: session.domainID < 0x100 ? "HT-CTAP-1" : "HT-DOM-5",
                operation: "session.authenticator", input: session.input,
                expecting: [
                    "tunnel_id", "eid_key", "advert", "psk", "message_2", "handshake_hash",
                    "client_to_authenticator_key", "authenticator_to_client_key", "results",
                ],
                flags: [.recorded],
                source: "recorded for this project with Chromium \(session.browser); "
                    + "tools/vectors/sources/\(session.fileName)")
        }
    }
}
