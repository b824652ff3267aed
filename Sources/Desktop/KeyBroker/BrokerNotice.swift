/// Notice of the broker to its caller, besides reports: a message of one byte.
///
/// The connection is a socket of whole messages (SOCK_SEQPACKET). A report is a message of 64 bytes, in both
/// directions; the caller sends nothing else, and the broker ends the connection of one that does. After a refusal the
/// connection ends.
package enum BrokerNotice: UInt8, Sendable, CaseIterable {
    /// The key is there.
    case started = 0x00
    /// The last program that had the key open has closed it.
    case closed = 0x01
    /// Refused: this user has as many keys as one may have.
    case tooMany = 0x10
    /// Refused: the kernel offers no /dev/uhid.
    case notAvailable = 0x11
    /// Refused: no key is made for this user.
    case notPermitted = 0x12
    /// Refused: the broker failed; its log says why.
    case failed = 0x13

    /// The broker's socket.
    package static let socketPath = "/run/hybrid/key.socket"
}
