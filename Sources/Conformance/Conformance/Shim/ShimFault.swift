/// A line of a shim that is not as <doc:ShimProtocol> has it: the shim's fault, and not the tested implementation's.
/// It is no `CodedError`, since it has the line that is wrong, and no code.
struct ShimFault: Error, CustomStringConvertible {
    /// The number of the line, from 1.
    var line: Int
    let reason: String

    init(_ reason: String, line: Int = 0) {
        self.reason = reason
        self.line = line
    }

    var description: String { "line \(line) of the shim: \(reason)" }
}

/// The first line of a shim: its name, and its abilities.
public struct ShimHello: Sendable, Equatable {
    /// The name of the implementation.
    public let name: String
    /// Its version, if it says one.
    public let version: String?
    /// The roles that it plays.
    public let roles: [ConformanceCase.Role]
    /// The abilities beyond the transport.
    public let features: Set<Feature>
    /// The operations that it does; empty if it has not named any.
    public let operations: [String]

    /// Something that an implementation does beyond the transport.
    public enum Feature: String, Sendable, CaseIterable {
        /// It speaks CTAP itself.
        case ctap
        /// It ends by itself when nothing comes.
        case timeout
        /// A client that asks for a digital credential.
        case credential
    }

    /// The version of the protocol.
    public static let protocolVersion = 1
}

/// The part of a run's cases that a shim plays.
public enum ShimTask: String, Sendable {
    /// An authenticator answers a code.
    case authenticate
    /// A client makes a passkey.
    case register
    /// A client asks for a digital credential.
    case credential
}
