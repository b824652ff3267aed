import ArgumentParser
import CommandLine
import Encodings
import Glibc
import HybridProtocol
import HybridTransport
import LinuxSupport
import SystemPackage

/// The session whose adverts are opened.
struct SessionOption: ParsableArguments {
    @Option(help: .saying("Decrypt the adverts of a QR code's session; - reads standard input.", valueName: "url"))
    var qr: String?

    @Option(
        help: .saying(
            "Decrypt the adverts of the session with this QR secret, 32 hexadecimal digits; - reads standard input.",
            valueName: "hex"))
    var secret: String?

    @Option(
        help: .saying(
            "Decrypt the adverts of the session with the QR secret in the file's first line.", valueName: "file"),
        completion: .file())
    var secretFile: String?

    private static let standardInput = "-"
    private static let hint: Sentence = "give a QR code with --qr, or its secret of 32 hexadecimal digits"
    /// More than any QR code or secret has: a line that is cut off would be refused in any case.
    private static let longestLine = Invitation.urlPrefix.utf8.count + QRDigits.maximumDigitCount + 1_024

    func validate() throws {
        guard [qr, secret, secretFile].count(where: { $0 != nil }) <= 1 else {
            throw ValidationError.saying("give one of --qr, --secret and --secret-file")
        }
    }

    /// The source of the session's keys; nil if no session was named.
    ///
    /// - Throws: ``Failure``, `CancellationError`.
    func chosen() throws -> SessionSecret? {
        if let qr {
            return .code(qr == Self.standardInput ? try Self.typed(InvitationScheme.fido.prompt) : qr)
        }
        if let secret {
            return try Self.secret(
                secret == Self.standardInput
                    ? try Self.typed("the QR secret, \(2 * Invitation.secretByteCount) hexadecimal digits") : secret)
        }
        guard let secretFile else { return nil }
        let file = open(secretFile, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { throw Self.failure(secretFile, Errno.last) }
        defer { close(file) }
        return try Self.secret(try Self.line(of: file, secretFile))
    }

    private static func secret(_ text: String) throws -> SessionSecret {
        guard let bytes = Hexadecimal.decode(text), bytes.count == Invitation.secretByteCount else {
            throw Failure.usage("a QR secret has \(2 * Invitation.secretByteCount) hexadecimal digits", hint: hint)
        }
        return .bytes(bytes)
    }

    private static func typed(_ prompt: Sentence) throws -> String {
        StandardStreams.prompt(prompt)
        return try line(of: STDIN_FILENO, "standard input")
    }

    private static func line(of file: Int32, _ name: String) throws -> String {
        do {
            return try StandardStreams.readLine(limit: longestLine, from: file).trimmingWhitespace()
        } catch let error as Errno {
            throw failure(name, error)
        }
    }

    private static func failure(_ name: String, _ error: Errno) -> Failure {
        Failure(.file, code: "input-output", cause: "\(name) cannot be read: \(error)", hint: hint)
    }
}

/// The source of a session's keys.
enum SessionSecret: Sendable {
    case code(String)
    /// 16 bytes.
    case bytes([UInt8])
}

/// Opens the adverts of one session.
final class AdvertOpener {
    private var key: AdvertKey

    /// - Throws: ``HybridProtocolError`` for a QR code that is none.
    init(_ secret: SessionSecret) throws(HybridProtocolError) {
        switch secret {
        case .code(let url): key = try Invitation(url: url).advertKey()
        case .bytes(let bytes): key = try KeySchedule.advertKey(from: bytes.span)
        }
    }

    /// The plaintext of the advert; nil for one of another session.
    func open(_ advert: ReceivedAdvert) -> AdvertPlaintext? { try? key.open(advert.serviceData.span).plaintext }
}
