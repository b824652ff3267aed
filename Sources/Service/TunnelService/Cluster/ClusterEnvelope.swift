import Encodings
import HybridProtocol

/// A message between nodes as it goes over the bus: with its process, its place among that process's messages, and a
/// code that only who has the contact secret can make (TS-CON-54).
struct ClusterEnvelope {
    /// The way of a message, which its code covers.
    struct Route {
        /// The subject to which it is sent.
        var subject: String
        /// The subject to which answers go; empty if it is no question.
        var reply = ""
        /// The code of the question that it answers; empty if it is no answer.
        var question: [UInt8] = []
    }

    /// The process that has sent a message, and the place among its messages.
    struct Sender: Sendable, Equatable {
        /// The random name of the process: 16 bytes.
        let process: [UInt8]
        /// One more than that of the message that it sent before.
        let counter: UInt64
    }

    /// The sender.
    let sender: Sender
    /// The encoded ``ClusterMessage``.
    let contents: [UInt8]
    /// The code: 32 bytes.
    let code: [UInt8]

    /// The version that is spoken.
    static let version: UInt64 = 2
    /// The length of the name of a process, bytes.
    static let processByteCount = 16

    private static let context = "hybrid node message 2"
    private static let limits = CBORLimits(maxDepth: 2, maxItems: 64, maxBytes: ClusterMessage.maximumByteCount)

    private enum Key {
        static let version = 0
        static let process = 1
        static let counter = 2
        static let contents = 3
        static let code = 4
    }

    /// Closes a message in, with a code under the current contact secret.
    init(_ contents: [UInt8], from sender: Sender, on route: Route, by issuer: ContactTokenIssuer) {
        self.sender = sender
        self.contents = contents
        code = issuer.nodeCode(of: Self.covered(sender, contents, route))
    }

    /// Reads an envelope, of which nothing is believed yet. Keys that it does not know are passed over.
    init(decoding bytes: [UInt8]) throws(ClusterMessage.Violation) {
        guard bytes.count <= ClusterMessage.maximumByteCount,
            let fields = (try? CBORValue.decode(bytes.span, limits: Self.limits))?.mapValue,
            let version = fields[Key.version]?.unsignedValue
        else { throw .malformed }
        guard version == Self.version else { throw .version }
        guard let process = fields[Key.process]?.bytesValue, process.count == Self.processByteCount,
            let counter = fields[Key.counter]?.unsignedValue, let contents = fields[Key.contents]?.bytesValue,
            let code = fields[Key.code]?.bytesValue, code.count == ContactTokenIssuer.nodeCodeByteCount
        else { throw .malformed }
        sender = Sender(process: process, counter: counter)
        self.contents = contents
        self.code = code
    }

    /// The envelope in canonical CBOR.
    var encoded: [UInt8] {
        var map = CBORMap()
        map[Key.version] = .unsigned(Self.version)
        map[Key.process] = .bytes(sender.process)
        map[Key.counter] = .unsigned(sender.counter)
        map[Key.contents] = .bytes(contents)
        map[Key.code] = .bytes(code)
        return CBORValue.map(map).encoded()
    }

    /// The message, if a node of this service has sent it on this way.
    ///
    /// - Throws: `forged`, or the error for contents that cannot be read.
    func message(on route: Route, by issuer: ContactTokenIssuer) throws(ClusterMessage.Violation) -> ClusterMessage {
        guard issuer.isNodeCode(code, of: Self.covered(sender, contents, route)) else { throw .forged }
        return try ClusterMessage(decoding: contents)
    }

    /// The bytes that the code covers.
    private static func covered(_ sender: Sender, _ contents: [UInt8], _ route: Route) -> [UInt8] {
        CBORValue.array([
            .text(context), .text(route.subject), .text(route.reply), .bytes(route.question), .bytes(sender.process),
            .unsigned(sender.counter), .bytes(contents),
        ]).encoded()
    }
}
