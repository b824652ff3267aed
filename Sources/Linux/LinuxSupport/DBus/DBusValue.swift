/// A value on the message bus.
///
/// Types that are not used here are passed over when they are read: see ``unread(signature:)``. A variant is read as
/// the value in it.
///
/// Source: D-Bus Specification 0.43, "Type System".
package indirect enum DBusValue: Sendable, Hashable {
    case bool(Bool)
    case byte(UInt8)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case uint64(UInt64)
    case string(String)
    case objectPath(String)
    /// `ay`.
    case bytes([UInt8])
    /// An array of anything else. It is written with its first element's type; where there is none, as
    /// ``emptyArray(of:)``.
    case array([DBusValue])
    /// An array without elements, by the type of such elements. Only to be written: it is read as an ``array(_:)``.
    case emptyArray(of: String)
    /// A dictionary whose keys are strings or object paths. It is written as `a{sv}`.
    case dictionary([String: DBusValue])
    /// A dictionary of strings, `a{ss}`. Only to be written: it is read as a ``dictionary(_:)``.
    case strings([String: String])
    /// A struct, which has at least one member.
    case structure([DBusValue])
    /// Only to be written.
    case variant(DBusValue)
    /// An open file. Only to be read.
    case file(DBusFile)
    /// A value of a type that is not used here.
    case unread(signature: String)

    /// The bounds within which foreign messages are read.
    package enum Bounds {
        /// Number of values that one message may hold. The state of some thousand devices fits; D-Bus itself allows 128
        /// MiB.
        static let values = 500_000
        /// Levels to which containers may be nested; BlueZ needs 6.
        static let depth = 8
        /// The longest string, in bytes of UTF-8.
        static let stringBytes = 65_536
    }

    /// The type as it stands in signatures; of values that can be written.
    package var signature: String {
        switch self {
        case .bool: "b"
        case .byte: "y"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .uint64: "t"
        case .string: "s"
        case .objectPath: "o"
        case .bytes: "ay"
        case .array(let elements): "a" + (elements.first?.signature ?? "s")
        case .emptyArray(let element): "a" + element
        case .dictionary: "a{sv}"
        case .strings: "a{ss}"
        case .structure(let members): "(" + members.map(\.signature).joined() + ")"
        case .variant: "v"
        case .file: "h"
        case .unread(let signature): signature
        }
    }

    package var boolValue: Bool? { if case .bool(let value) = self { value } else { nil } }
    package var byteValue: UInt8? { if case .byte(let value) = self { value } else { nil } }
    package var stringValue: String? { if case .string(let value) = self { value } else { nil } }
    package var bytesValue: [UInt8]? { if case .bytes(let value) = self { value } else { nil } }
    package var dictionaryValue: [String: DBusValue]? { if case .dictionary(let value) = self { value } else { nil } }
    /// The strings of an array of nothing else.
    package var stringsValue: [String]? {
        guard case .array(let elements) = self else { return nil }
        let strings = elements.compactMap(\.stringValue)
        return strings.count == elements.count ? strings : nil
    }
    /// An object path, as text.
    package var pathValue: String? { if case .objectPath(let value) = self { value } else { nil } }
    package var uint16Value: UInt16? { if case .uint16(let value) = self { value } else { nil } }
    package var int32Value: Int32? { if case .int32(let value) = self { value } else { nil } }
    package var uint32Value: UInt32? { if case .uint32(let value) = self { value } else { nil } }
    package var uint64Value: UInt64? { if case .uint64(let value) = self { value } else { nil } }
    package var fileValue: DBusFile? { if case .file(let value) = self { value } else { nil } }
    /// The members of a struct.
    package var structureValue: [DBusValue]? { if case .structure(let members) = self { members } else { nil } }
    /// The object paths of an array of nothing else.
    package var pathsValue: [String]? {
        guard case .array(let elements) = self else { return nil }
        let paths = elements.compactMap(\.pathValue)
        return paths.count == elements.count ? paths : nil
    }
}
