import Captures
import CommandLine
import HybridProtocol
import LinuxSupport

/// The messages of a capture as packets for Wireshark: of the link type for what upper protocols have to say, each with
/// the name of the dissector that it is for.
///
/// A packet is the tags of Wireshark's exported PDUs, then 4 bytes and the contents: the version 1; the direction, 0
/// from the client and 1 from the authenticator; the carrier, 0 tunnel, 1 L2CAP, 2 advert; the kind, 0 a handshake
/// message, 1 a decrypted message, 2 an advert, opened (16 bytes) or as it was received.
final class DecryptedCapture {
    private let file: PrivateFile
    private let path: String
    private var buffer: [UInt8]

    private static let bufferByteCount = 1 << 16
    private static let version: UInt8 = 1
    /// The tag for a dissector's name, its length and `hybrid`, padded to a multiple of 4; and the end of the tags.
    private static let tags: [UInt8] = [0, 12, 0, 8] + Array("hybrid".utf8) + [0, 0] + [0, 0, 0, 0]

    private enum Kind: UInt8 { case handshake = 0, message = 1, advert = 2 }

    /// Makes the file, in the place of what was there.
    ///
    /// - Throws: ``Failure``.
    init(_ path: String) throws(Failure) {
        do throws(PrivateFile.Problem) { file = try .replacing(path) } catch { throw Self.failure(path, error) }
        self.path = path
        buffer = PcapngWriter.header(.upperPDU)
    }

    /// Writes the packet of an event, if it has one.
    ///
    /// - Throws: ``Failure``.
    func write(_ event: CaptureEvent) throws(Failure) {
        let time = event.time ?? 0
        switch event.kind {
        case .advert(let advert):
            guard advert.service.canBeHybrid(advert.serviceData.count) else { return }
            var contents = advert.serviceData
            if case .opened(let opened) = advert.opening { contents = opened.plaintext.bytes }
            try write(contents, .advert, isFromClient: false, .advert, time)
        case .message(let message):
            switch message.contents {
            case .handshake(let bytes): try write(bytes, message, .handshake, time)
            case .first(let bytes), .message(let bytes, isTyped: _): try write(bytes, message, .message, time)
            case .sealed: break
            }
        default: break
        }
    }

    /// Writes what is left.
    ///
    /// - Throws: ``Failure``.
    func finish() throws(Failure) {
        let bytes = buffer
        buffer = []
        do throws(PrivateFile.Problem) { try file.write(bytes) } catch { throw Self.failure(path, error) }
    }

    private func write(_ bytes: [UInt8], _ message: CapturedMessage, _ kind: Kind, _ time: Int64) throws(Failure) {
        try write(bytes, message.carrier, isFromClient: message.isFromClient, kind, time)
    }

    private func write(
        _ bytes: [UInt8], _ carrier: Carrier, isFromClient: Bool, _ kind: Kind, _ time: Int64
    ) throws(Failure) {
        let head = [Self.version, isFromClient ? 0 : 1, carrier.rawValue, kind.rawValue]
        buffer += PcapngWriter.packet(Self.tags + head + bytes, time: time)
        if buffer.count >= Self.bufferByteCount { try finish() }
    }

    private static func failure(_ path: String, _ problem: PrivateFile.Problem) -> Failure {
        Failure(
            .file, code: "input-output", cause: "\(quoted(path)) \(problem)",
            hint: "check the file given with --decrypted")
    }
}
