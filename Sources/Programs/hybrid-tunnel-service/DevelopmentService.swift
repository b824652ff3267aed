import CommandLine
import Cryptography
import LinuxSupport
import TunnelService

/// Setup that `tunnel-service --dev` makes by itself: a certificate in memory, a file with the authority to trust, and
/// the commands of the two other roles.
struct DevelopmentService {
    /// The address to listen on by default.
    static let address = "127.0.0.1:8443"
    /// The hosts that it may listen on: the names and addresses in its certificate.
    static let hosts = ["127.0.0.1", "::1", "localhost"]

    /// True if it may listen there.
    static func serves(_ place: ListeningPlace) -> Bool {
        if case .address(let address) = place { hosts.contains(address.host) } else { false }
    }

    /// The simulated radio of the commands that it prints.
    private static let radio = "udp:127.0.0.1:9999"

    /// The certificate and its key, which is in no file.
    let identity: TLSIdentity
    private let authority: [UInt8]

    /// Makes a certificate for this machine's own names, valid for a day.
    ///
    /// - Throws: `CryptographyError`.
    init() throws {
        let made = try LocalCertificate()
        authority = made.authorityPEM
        identity = TLSIdentity(
            certificateChainPEM: made.certificatePEM,
            privateKeyPEM: made.privateKeyPEM.span.withUnsafeBufferPointer { Array($0) })
    }

    /// Writes the authority's certificate, for clients to trust, for the service at this port, in the place of an
    /// older one.
    ///
    /// - Returns: the file's path.
    /// - Throws: ``Failure`` without a home directory, or if it cannot be written there.
    func writeCertificate(port: Int) throws -> String {
        let file = AtomicFile(path: try Self.file("certificate-\(port).pem"))
        do throws(AtomicFileError) {
            try file.replace(with: authority.span, file.lock(makingDirectory: true))
        } catch {
            throw Failure(
                .file, error, hint: "set XDG_STATE_HOME to a directory that can be written, or make room in this one")
        }
        return file.path
    }

    /// The commands for two other terminals.
    static func commands(port: Int, certificate: String) throws -> Sentence {
        let common = """
            --radio \(radio) \\
                  --tunnel wss://localhost:\(port) --ca \(quoted(certificate))
            """
        return """

            A client, in a second terminal; its first line is the text of a QR code:

              hybrid client register --rp-id example.com --user alice --qr url \(common)

            An authenticator, in a third, with a vault of its own; it asks for that text:

              hybrid authenticator answer - --vault \(quoted(try file("passkeys.vault"))) \(common)


            """
    }

    private static func file(_ name: String) throws(Failure) -> String {
        guard let state = UserDirectory.state.path() else {
            throw Failure(
                .file, code: "no-home", cause: "there is no place for the certificate",
                hint: "set HOME or XDG_STATE_HOME to an absolute path")
        }
        return "\(state)/hybrid/dev/\(name)"
    }

    /// A word for a shell: as it is if nothing in it means more than itself.
    private static func quoted(_ path: String) -> String {
        let plain = path.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."), UInt8(ascii: "-"),
                UInt8(ascii: "_"):
                true
            default: false
            }
        }
        let pieces = path.split(separator: "'", omittingEmptySubsequences: false)
        return plain ? path : "'" + pieces.joined(separator: "'\\''") + "'"
    }
}
