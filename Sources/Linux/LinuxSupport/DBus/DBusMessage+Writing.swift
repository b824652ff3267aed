internal import CSystemd
internal import SystemPackage

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
