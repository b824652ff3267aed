import HybridProtocol
import HybridTransport
import PasskeyExchange

extension Invitation {
    /// Parses the text of a QR code, and reports that it was read: an authenticator's first stage.
    ///
    /// - Throws: ``HybridTransportError`` for a text that is not a QR code of this transport.
    init(scanned text: String, observe: CeremonyObserver = { _ in }) throws(HybridTransportError) {
        do throws(HybridProtocolError) {
            if InvitationScheme.handOver.isBeginning(of: text) { throw .otherPurpose(.handOver, instead: .fido) }
            self = try Self(url: text)
        } catch {
            throw HybridTransportError(error, reaching: .qrScanned)
        }
        observe(.stage(.qrScanned))
    }
}

extension HandOverInvitation {
    /// Parses the text of a hand-over's QR code, and reports that it was read.
    ///
    /// - Throws: ``HybridTransportError`` for a text that is not a code of a hand-over.
    init(scanned text: String, observe: CeremonyObserver = { _ in }) throws(HybridTransportError) {
        do throws(HybridProtocolError) {
            self = try Self(url: text)
        } catch {
            throw HybridTransportError(error, reaching: .qrScanned)
        }
        observe(.stage(.qrScanned))
    }
}
