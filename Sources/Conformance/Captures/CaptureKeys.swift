package import HybridProtocol

/// Keys with which a capture is read: of a QR code for its adverts, of a key log for the messages.
package final class CaptureKeys {
    private var advertKey: AdvertKey?
    /// The tunnel of the QR code.
    package private(set) var tunnelID: TunnelID?
    private var sessions: [[UInt8]: SessionKeys] = [:]

    /// The number of sessions of a key log that are taken: 100,000.
    package static let maxSessions = 100_000

    /// Keys of one session.
    final class SessionKeys {
        let keys: TrafficKeys

        init?(_ line: some StringProtocol) {
            guard let keys = TrafficKeys(line: line) else { return nil }
            self.keys = keys
        }
    }

    package init() {}

    /// Takes the QR secret.
    ///
    /// - Parameter secret: 16 bytes.
    /// - Throws: ``HybridProtocolError``, `wrongLength`.
    package func add(secret: Span<UInt8>) throws(HybridProtocolError) {
        guard secret.count == Invitation.secretByteCount else {
            throw HybridProtocolError(
                .wrongLength, reason: "a QR secret has \(Invitation.secretByteCount) bytes, not \(secret.count)")
        }
        advertKey = try KeySchedule.advertKey(from: secret)
        tunnelID = try KeySchedule.tunnelID(from: secret)
    }

    /// Takes a QR code.
    ///
    /// - Throws: ``HybridProtocolError``.
    package func add(_ invitation: borrowing Invitation) throws(HybridProtocolError) {
        advertKey = try invitation.advertKey()
        tunnelID = try invitation.tunnelID()
    }

    /// Takes a line of a key log; other lines than those of hybrid sessions are ignored.
    package func add(line: some StringProtocol) {
        guard sessions.count < Self.maxSessions, let keys = SessionKeys(line) else { return }
        sessions[keys.keys.session] = keys
    }

    /// The number of sessions whose keys are there.
    package var sessionCount: Int { sessions.count }

    /// The keys of a session; nil if they are not there.
    func session(_ id: [UInt8]) -> SessionKeys? { sessions[id] }

    /// Opens service data.
    func open(_ serviceData: [UInt8], of service: AdvertService) -> CapturedAdvert.Opening {
        guard service.canBeHybrid(serviceData.count), advertKey != nil else { return .notTried }
        do throws(HybridProtocolError) {
            guard let opened = try advertKey?.open(serviceData.span) else { return .notTried }
            return .opened(opened)
        } catch {
            return error.code == .badTag ? .foreign : .invalid(error)
        }
    }
}
