internal import CLinux
internal import Glibc
internal import SystemPackage

/// A message as it came from the bus, read as a whole.
///
/// Source: D-Bus Specification 0.43, "Message Protocol".
package struct DBusMessage: Sendable {
    /// The sender's unique name, authenticated by the bus. Empty for the bus's own on a connection without one.
    package let sender: String
    package let path: String
    package let interface: String
    package let member: String
    /// The types of ``body``.
    package let signature: String
    package let body: [DBusValue]
}

/// A signal to be sent to every listener.
package struct DBusSignal: Sendable {
    package let path: String
    package let interface: String
    package let member: String
    package let body: [DBusValue]

    package init(_ member: String, of interface: String, at path: String, _ body: [DBusValue] = []) {
        self.path = path
        self.interface = interface
        self.member = member
        self.body = body
    }
}

/// A method call to be sent.
package struct DBusCall: Sendable {
    package let destination: String
    package let path: String
    package let interface: String
    package let member: String
    package let body: [DBusValue]
    /// True if the bus starts the service if it does not run. A service that its user has stopped stays stopped, unless
    /// it is made to be started by its first call.
    package let startsService: Bool

    /// - Parameters:
    ///   - member: the method.
    ///   - interface: the interface that has the method.
    ///   - path: the object's path.
    ///   - destination: the name of the object's service on the bus.
    ///   - body: the arguments.
    ///   - startsService: see ``startsService``.
    package init(
        _ member: String, of interface: String, at path: String, in destination: String, _ body: [DBusValue] = [],
        startsService: Bool = false
    ) {
        self.destination = destination
        self.path = path
        self.interface = interface
        self.member = member
        self.body = body
        self.startsService = startsService
    }

    package var name: String { "\(interface).\(member)" }
}

/// The answer to a call of one of our own methods.
package enum DBusAnswer: Sendable {
    case reply([DBusValue])
    /// An error. Its text is the first value of the message, as everywhere; the details follow it.
    case refusal(name: String, text: String, details: [DBusValue] = [])
    /// An answer that takes time, for instance because somebody is asked. Its task is cancelled when the caller leaves
    /// the bus or the connection ends; then nobody waits for it.
    indirect case later(@Sendable () async -> DBusAnswer)

    package static let unknownMethod = Self.refusal(
        name: SD_BUS_ERROR_UNKNOWN_METHOD, text: "there is no such method here")
    package static let unknownObject = Self.refusal(
        name: SD_BUS_ERROR_UNKNOWN_OBJECT, text: "there is no such object here")
    package static let unknownInterface = Self.refusal(
        name: SD_BUS_ERROR_UNKNOWN_INTERFACE, text: "there is no such interface here")
    package static let unknownProperty = Self.refusal(
        name: SD_BUS_ERROR_UNKNOWN_PROPERTY, text: "there is no such property here")
    package static let readOnlyProperty = Self.refusal(
        name: SD_BUS_ERROR_PROPERTY_READ_ONLY, text: "the property cannot be set")
    package static let accessDenied = Self.refusal(name: SD_BUS_ERROR_ACCESS_DENIED, text: "access is denied")
    package static let limitsExceeded = Self.refusal(
        name: SD_BUS_ERROR_LIMITS_EXCEEDED, text: "too many calls wait for an answer")

    /// Refusal of arguments.
    package static func invalidArguments(_ text: String) -> Self {
        .refusal(name: SD_BUS_ERROR_INVALID_ARGS, text: text)
    }
}

/// An open file that a peer has passed over the bus (`h`). It is closed when its last owner lets go of it.
package final class DBusFile: Sendable, Hashable {
    /// The file's number, as long as this object lives.
    package let number: Int32

    /// Takes a second reference to a file, which stays open.
    ///
    /// - Throws: ``DBusError`` with `failed` if the system has no file left.
    init(copying number: Int32) throws(DBusError) {
        self.number = fcntl(number, F_DUPFD_CLOEXEC, 0)
        guard self.number >= 0 else { throw DBusError(.failed, reason: "no file descriptor is left") }
    }

    deinit { close(number) }

    /// True for the same object.
    package static func == (left: DBusFile, right: DBusFile) -> Bool { left === right }

    /// Hashes the object's identity.
    package func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension DBusValue {
    /// Appends the value to a message that is being made.
    ///
    /// - Throws: ``DBusError`` with `failed`: the library refused, for instance a malformed path.
    func append(to message: OpaquePointer) throws(DBusError) {
        switch self {
        case .bool(let value): try Self.append(Int32(value ? 1 : 0), as: signature, to: message)
        case .byte(let value): try Self.append(value, as: signature, to: message)
        case .int16(let value): try Self.append(value, as: signature, to: message)
        case .uint16(let value): try Self.append(value, as: signature, to: message)
        case .int32(let value): try Self.append(value, as: signature, to: message)
        case .uint32(let value): try Self.append(value, as: signature, to: message)
        case .uint64(let value): try Self.append(value, as: signature, to: message)
        case .string(let text), .objectPath(let text):
            try Self.check(sd_bus_message_append_basic(message, Self.type(signature), text))
        case .bytes(let bytes):
            try Self.check(
                bytes.withUnsafeBytes {
                    sd_bus_message_append_array(message, CChar(SD_BUS_TYPE_BYTE), $0.baseAddress, $0.count)
                })
        case .array(let elements):
            try Self.inside(message, "a", of: String(signature.dropFirst())) { () throws(DBusError) in
                for element in elements { try element.append(to: message) }
            }
        case .emptyArray(let element): try Self.inside(message, "a", of: element) { () throws(DBusError) in }
        case .structure(let members):
            let contents = String(signature.dropFirst().dropLast())
            try Self.inside(message, "r", of: contents) { () throws(DBusError) in
                for member in members { try member.append(to: message) }
            }
        case .strings(let entries):
            try Self.inside(message, "a", of: "{ss}") { () throws(DBusError) in
                for (key, value) in entries {
                    try Self.inside(message, "e", of: "ss") { () throws(DBusError) in
                        try DBusValue.string(key).append(to: message)
                        try DBusValue.string(value).append(to: message)
                    }
                }
            }
        case .dictionary(let entries):
            try Self.inside(message, "a", of: "{sv}") { () throws(DBusError) in
                for (key, value) in entries {
                    try Self.inside(message, "e", of: "sv") { () throws(DBusError) in
                        try DBusValue.string(key).append(to: message)
                        try DBusValue.variant(value).append(to: message)
                    }
                }
            }
        case .variant(let value):
            try Self.inside(message, "v", of: value.signature) { () throws(DBusError) in try value.append(to: message) }
        case .file, .unread:
            throw DBusError(.failed, reason: "a value of type \(signature) cannot be sent")
        }
    }

    private static func append(_ number: some BitwiseCopyable, as signature: String, to message: OpaquePointer)
        throws(DBusError)
    {
        var number = number
        try check(sd_bus_message_append_basic(message, type(signature), &number))
    }

    private static func inside(
        _ message: OpaquePointer, _ container: String, of contents: String, _ body: () throws(DBusError) -> Void
    ) throws(DBusError) {
        try check(sd_bus_message_open_container(message, type(container), contents))
        try body()
        try check(sd_bus_message_close_container(message))
    }

    /// The first character of a signature, which is the type.
    private static func type(_ signature: String) -> CChar { signature.utf8.first.map { CChar(bitPattern: $0) } ?? 0 }

    private static func check(_ result: Int32) throws(DBusError) {
        guard result >= 0 else {
            throw DBusError(.failed, reason: "a message could not be made: \(Errno(rawValue: -result))")
        }
    }
}
