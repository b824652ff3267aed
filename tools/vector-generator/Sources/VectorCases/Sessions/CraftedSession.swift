internal import Conformance
internal import HybridProtocol

/// A session of which both sides' keys are known, so that any frame of it can be made.
protocol CraftedSession {
    /// The handshake, and the keys that it leaves.
    var handshake: SessionHandshake { get }
    /// The messages after the handshake.
    var script: SealedScript { get set }

    /// The input of a side's operation.
    func input(_ side: SessionSide) -> CaseFields
    /// The operation that plays a side.
    static func operation(_ side: SessionSide) -> String
    /// The names of its outcome, in the order of the file; a client's operation gives more.
    static func outcome(_ side: SessionSide) -> [String]
}

extension CraftedSession {
    /// The same session with these messages in it.
    func saying(_ steps: [SessionStep], _ construction: TransportConstruction = .current) throws -> Self {
        var session = self
        session.script = try SealedScript(steps, handshake, construction)
        return session
    }

    /// The same session with another frame at its end.
    func replacingLast(by frame: (SealedScript) -> [UInt8]) -> Self {
        var session = self
        session.script = script.replacingLast(by: frame)
        return session
    }

    /// The names that every session's outcome ends with.
    static var outcomeOfHandshake: [String] {
        ["results", "handshake_hash", "client_to_authenticator_key", "authenticator_to_client_key"]
    }
}
