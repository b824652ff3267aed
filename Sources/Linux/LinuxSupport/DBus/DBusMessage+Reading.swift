internal import CLinux

// Decoding of libsystemd's messages. The library has checked alignment, lengths and UTF-8 by then; here the bounds are
// kept, and whatever it reports is an error of ours.

extension DBusMessage {
    /// Reads a message, which must be sealed.
    ///
    /// - Throws: ``DBusError`` with `too-large` or `wrong-type`.
    init(reading message: OpaquePointer) throws(DBusError) {
        func text(_ pointer: UnsafePointer<CChar>?) -> String { pointer.map { String(cString: $0) } ?? "" }
        sender = text(sd_bus_message_get_sender(message))
        path = text(sd_bus_message_get_path(message))
        interface = text(sd_bus_message_get_interface(message))
        member = text(sd_bus_message_get_member(message))
        signature = text(sd_bus_message_get_signature(message, 1))
        body = try DBusReader.body(of: message)
    }
}

/// Reads the body of one message.
struct DBusReader {
    private let message: OpaquePointer
    private var budget = DBusValue.Bounds.values

    private init(_ message: OpaquePointer) { self.message = message }

    static func body(of message: OpaquePointer) throws(DBusError) -> [DBusValue] {
        var reader = DBusReader(message)
        try check(sd_bus_message_rewind(message, 1))
        return try reader.rest(depth: 0)
    }

    /// All values to the end of the container that the message stands in.
    private mutating func rest(depth: Int) throws(DBusError) -> [DBusValue] {
        var values: [DBusValue] = []
        while let value = try next(depth: depth) { values.append(value) }
        return values
    }

    private mutating func next(depth: Int) throws(DBusError) -> DBusValue? {
        var type = CChar(0)
        var contents: UnsafePointer<CChar>?
        guard try Self.check(sd_bus_message_peek_type(message, &type, &contents)) > 0 else { return nil }
        guard budget > 0, depth < DBusValue.Bounds.depth else {
            throw DBusError(.tooLarge, reason: "a message from the bus holds too much")
        }
        budget -= 1
        // Copied, because the library's own text moves on with the message.
        let inner = contents.map { String(cString: $0) } ?? ""
        switch Self.character(type) {
        case "y": return .byte(try basic(type, 0))
        case "b": return .bool(try basic(type, Int32(0)) != 0)
        case "n": return .int16(try basic(type, 0))
        case "q": return .uint16(try basic(type, 0))
        case "i": return .int32(try basic(type, 0))
        case "u": return .uint32(try basic(type, 0))
        case "t": return .uint64(try basic(type, 0))
        case "s": return .string(try text(type))
        case "o": return .objectPath(try text(type))
        // The number is the message's, which closes it.
        case "h": return .file(try DBusFile(copying: try basic(type, Int32(-1))))
        case "v": return try entering(type, inner) { (reader) throws(DBusError) in try reader.single(depth: depth + 1) }
        case "a": return try array(type, inner, depth: depth)
        case "r":
            return try entering(type, inner) { (reader) throws(DBusError) in
                .structure(try reader.rest(depth: depth + 1))
            }
        default: return try passOver(Self.character(type), inner)
        }
    }

    private mutating func single(depth: Int) throws(DBusError) -> DBusValue {
        guard let value = try next(depth: depth) else { throw Self.wrongType }
        return value
    }

    private mutating func array(_ type: CChar, _ inner: String, depth: Int) throws(DBusError) -> DBusValue {
        if inner == "y" { return .bytes(try bytes()) }
        if inner.hasPrefix("{s") || inner.hasPrefix("{o") {
            return try entering(type, inner) { (reader) throws(DBusError) in
                .dictionary(try reader.entries(depth: depth + 1))
            }
        }
        if inner.hasPrefix("{") { return try passOver("a", inner) }
        return try entering(type, inner) { (reader) throws(DBusError) in .array(try reader.rest(depth: depth + 1)) }
    }

    /// The entries of a dictionary. Of two with the same key, which the specification forbids, the last counts.
    private mutating func entries(depth: Int) throws(DBusError) -> [String: DBusValue] {
        var entries: [String: DBusValue] = [:]
        while true {
            var type = CChar(0)
            var contents: UnsafePointer<CChar>?
            guard try Self.check(sd_bus_message_peek_type(message, &type, &contents)) > 0 else { return entries }
            let inner = contents.map { String(cString: $0) } ?? ""
            let (key, value) = try entering(type, inner) { (reader) throws(DBusError) in
                let key = try reader.single(depth: depth)
                return (key, try reader.single(depth: depth))
            }
            guard let key = key.stringValue ?? key.pathValue else { throw Self.wrongType }
            entries[key] = value
        }
    }

    private mutating func entering<Value>(
        _ type: CChar, _ inner: String, _ read: (inout DBusReader) throws(DBusError) -> Value
    ) throws(DBusError) -> Value {
        try Self.check(sd_bus_message_enter_container(message, type, inner))
        let value = try read(&self)
        try Self.check(sd_bus_message_exit_container(message))
        return value
    }

    private mutating func bytes() throws(DBusError) -> [UInt8] {
        var start: UnsafeRawPointer?
        var count = 0
        try Self.check(sd_bus_message_read_array(message, CChar(SD_BUS_TYPE_BYTE), &start, &count))
        guard count <= DBusValue.Bounds.stringBytes else {
            throw DBusError(.tooLarge, reason: "\(count) bytes in one value from the bus")
        }
        guard let start, count > 0 else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: count))
    }

    private func basic<Number: BitwiseCopyable>(_ type: CChar, _ zero: Number) throws(DBusError) -> Number {
        var number = zero
        try Self.check(sd_bus_message_read_basic(message, type, &number))
        return number
    }

    private func text(_ type: CChar) throws(DBusError) -> String {
        var start: UnsafePointer<CChar>?
        try Self.check(sd_bus_message_read_basic(message, type, &start))
        guard let start else { throw Self.wrongType }
        let text = String(cString: start)
        guard text.utf8.count <= DBusValue.Bounds.stringBytes else {
            throw DBusError(.tooLarge, reason: "\(text.utf8.count) bytes in one text from the bus")
        }
        return text
    }

    /// Goes past a value without reading it.
    private func passOver(_ type: Character, _ inner: String) throws(DBusError) -> DBusValue {
        let signature =
            switch type {
            case "a": "a" + inner
            case "r", "(": "(" + inner + ")"
            case "e", "{": "{" + inner + "}"
            default: String(type)
            }
        try Self.check(sd_bus_message_skip(message, signature))
        return .unread(signature: signature)
    }

    private static func character(_ type: CChar) -> Character { Character(UnicodeScalar(UInt8(bitPattern: type))) }

    private static let wrongType = DBusError(.wrongType, reason: "a message from the bus has other types than expected")

    /// The library reports errors as negative numbers.
    @discardableResult
    private static func check(_ result: Int32) throws(DBusError) -> Int32 {
        guard result >= 0 else { throw wrongType }
        return result
    }
}
