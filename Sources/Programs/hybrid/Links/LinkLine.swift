import CommandLine
import Encodings
import HybridProtocol
import HybridTransport
import LinuxSupport

/// A link as it is listed, by either end: everything but its secret.
struct LinkLine {
    /// The ID, in hexadecimal digits.
    let id: String
    /// Name of the other end.
    let name: String
    /// The host of the tunnel service that a client's link names.
    let tunnelService: String?
    /// Seconds since 1970.
    let created: Int64
    /// Seconds since 1970; absent if never.
    let lastUsed: Int64?

    /// The number of digits of the ID in a list: enough to identify a link.
    private static let shortIDLength = 8

    init(_ entry: ClientLinkFile.Entry) {
        id = Hexadecimal.encode(entry.id)
        name = entry.link.link.name
        tunnelService = entry.link.link.domain.host()
        created = entry.created
        lastUsed = entry.lastUsed
    }

    init(_ entry: AuthenticatorLinkFile.Entry) {
        id = entry.linkID.hex
        name = entry.name
        tunnelService = nil
        created = entry.created
        lastUsed = entry.lastUsed
    }

    private var shortID: String { String(id.prefix(Self.shortIDLength)) }

    /// One line for people, within a sentence.
    var summary: String { "\(shortID)  \(quoted(name))" }

    /// The link as a line of `--json`.
    var json: Line {
        Line(
            "link",
            ["id": id, "name": name, "tunnel_service": tunnelService, "created": created, "last_used": lastUsed])
    }

    /// The columns of a list.
    static var columns: [Reporter.Column<Self>] {
        [
            ("LINK", \.shortID), ("NAME", { quoted($0.name) }), ("LINKED", { LocalTime.text($0.created) }),
            ("LAST USED", { $0.lastUsed.map(LocalTime.text) ?? "never" }),
        ]
    }
}

extension Reporter {
    /// Lists links.
    func list(_ lines: [LinkLine], orSay nothing: Sentence) {
        writeTable(lines, LinkLine.columns, \.json)
        if lines.isEmpty { say(nothing) }
    }
}
