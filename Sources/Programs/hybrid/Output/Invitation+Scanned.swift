import HybridProtocol
import HybridTransport
import PasskeyExchange

extension Invitation {
    /// Parses the text of a QR code, to look at it.
    ///
    /// - Throws: ``HybridTransportError`` for a text that is not a QR code of this transport.
    init(scanned text: String) throws(HybridTransportError) {
        do throws(HybridProtocolError) {
            if InvitationScheme.handOver.isBeginning(of: text) { throw .otherPurpose(.handOver, instead: .fido) }
            self = try Self(url: text)
        } catch {
            throw HybridTransportError(error, reaching: .qrScanned)
        }
    }

    /// Parses it, and reports and logs that it was read: an authenticator's first stage.
    ///
    /// - Throws: ``HybridTransportError`` for a text that is not a QR code of this transport.
    init(scanned text: String, observe: CeremonyObserver) throws(HybridTransportError) {
        try self.init(scanned: text)
        CeremonyLog.note(.qrScanned, of: .authenticator)
        observe(.stage(.qrScanned))
    }
}

extension HandOverInvitation {
    /// Parses the text of a hand-over's QR code, to look at it.
    ///
    /// - Throws: ``HybridTransportError`` for a text that is not a code of a hand-over.
    init(scanned text: String) throws(HybridTransportError) {
        do throws(HybridProtocolError) {
            self = try Self(url: text)
        } catch {
            throw HybridTransportError(error, reaching: .qrScanned)
        }
    }

    /// Parses it, and reports and logs that it was read.
    ///
    /// - Throws: ``HybridTransportError`` for a text that is not a code of a hand-over.
    init(scanned text: String, observe: CeremonyObserver) throws(HybridTransportError) {
        try self.init(scanned: text)
        CeremonyLog.note(.qrScanned, of: .authenticator)
        observe(.stage(.qrScanned))
    }
}
