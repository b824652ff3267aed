import ArgumentParser
import Captures
import CommandLine
import Cryptography
import Encodings
import Glibc
import HybridProtocol
import LinuxSupport
import SystemPackage

/// The options of `inspect` for captures.
struct CaptureOptions: ParsableArguments {
    @Option(
        help: .saying(
            "The QR secret, 16 bytes in hexadecimal, instead of the QR code: decrypts a capture's adverts.",
            valueName: "hex"))
    var secret: String?

    @Option(
        help: .saying(
            "A key log that was written while a capture was made: decrypts its messages.", valueName: "file"),
        completion: .file())
    var keyLog: String?

    @Option(
        help: .saying(
            "Write a capture's messages to this pcapng file for Wireshark, decrypted if there are keys.",
            valueName: "file"), completion: .file())
    var decrypted: String?

    /// True if an option is given that only captures have.
    var isGiven: Bool { secret != nil || keyLog != nil || decrypted != nil }

    private static let longestKeyLog = 1 << 26

    /// The keys of all options.
    ///
    /// - Throws: ``Failure``, ``HybridProtocolError`` for a QR code that cannot be read.
    func keys(qr: String?) throws -> CaptureKeys {
        let keys = CaptureKeys()
        guard qr == nil || secret == nil else {
            throw Failure.usage("--qr and --secret give the same secret", hint: "leave out one of them")
        }
        if let qr { try keys.add(Invitation(url: qr)) }
        if let secret {
            guard let bytes = SecretArray(Hexadecimal.decode(secret)), bytes.count == Invitation.secretByteCount else {
                throw Failure.usage(
                    "--secret is not 16 bytes in hexadecimal", hint: "give 32 digits, or the QR code itself with --qr")
            }
            try keys.add(secret: bytes.span)
        }
        if let keyLog { try read(keyLog, into: keys) }
        return keys
    }

    private func read(_ path: String, into keys: CaptureKeys) throws {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard file >= 0 else { throw Self.failure(path, "cannot be read: \(Errno.last)") }
        defer { close(file) }
        var bytes: SecretArray
        do { bytes = SecretArray(try StandardStreams.read(limit: Self.longestKeyLog, from: file)) } catch let error
            as Errno
        {
            throw Self.failure(path, "cannot be read: \(error)")
        }
        for line in bytes.bytes.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }) {
            keys.add(line: String(decoding: line, as: UTF8.self))
        }
        guard keys.sessionCount > 0 else { throw Self.failure(path, "has no keys of hybrid sessions") }
    }

    private static func failure(_ path: String, _ reason: String) -> Failure {
        Failure(
            .file, code: "key-log", cause: "the key log \(quoted(path)) \(reason)",
            hint: "give the file that --key-log of a client or an authenticator has written")
    }
}
