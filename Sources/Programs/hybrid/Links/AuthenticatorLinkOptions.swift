import ArgumentParser
import CommandLine
import DesktopAuthenticator
import Glibc
import HybridTransport
import LinuxSupport

/// Decision about linking the client of a QR code.
enum LinkChoice: String, ExpressibleByArgument, CaseIterable {
    case ask, yes, no
}

/// The options of an authenticator that may be linked.
struct AuthenticatorLinkOptions: ParsableArguments {
    @Option(
        help: .saying(
            """
            Whether to link a client that offers it, which can then ask this machine without a QR code: ask (at the \
            terminal), yes or no.
            """, valueName: "whether"))
    var link: LinkChoice = .ask

    @Option(help: .saying("The client's name in the list of links.", valueName: "name"))
    var linkName: String?

    @Option(
        help: .saying("This machine's name at linked clients. (default: its host name)", valueName: "name"))
    var deviceName: String?

    /// Name of this machine for linked clients.
    private var ownName: String { deviceName ?? Self.hostName }

    /// Names of the two ends of a link.
    var names: LinkOfferer.Names {
        LinkOfferer.Names(device: ownName) { [linkName] site in
            linkName ?? site.map { "a client used for \($0)" } ?? "a client"
        }
    }

    static var hostName: String {
        var buffer = [CChar](repeating: 0, count: Int(HOST_NAME_MAX) + 1)
        guard gethostname(&buffer, buffer.count - 1) == 0 else { return "a computer" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

/// The place of an authenticator's links.
struct LinkedClientsOption: ParsableArguments {
    @Option(
        help: .saying(
            """
            The file of linked clients. (default: $XDG_DATA_HOME/hybrid/linked-clients, or \
            ~/.local/share/hybrid/linked-clients)
            """, valueName: "file"), completion: .file())
    var links: String?

    /// - Throws: ``LinkFileError`` `no-directory`.
    func file() throws(LinkFileError) -> AuthenticatorLinkFile {
        if let links { return AuthenticatorLinkFile(path: links) }
        return AuthenticatorLinkFile(path: try AuthenticatorLinkFile.defaultPath())
    }
}
