package import Encodings
package import HybridTransport
package import LinuxSupport

/// A line of `--json`: an object, told apart by `event`, with these fields and the time at which it is written, in
/// seconds since 1970.
package struct Line: Sendable {
    /// The name of the event.
    package let event: String
    /// The fields, in the order of their names unless ``isInOrder``.
    package let fields: Fields
    /// True for something that was recorded earlier: it has the time of that, if it is known, and not that of the line.
    package var isRecorded = false
    /// True if the fields stay in their order, after the event and the time.
    package var isInOrder = false

    package init(_ event: String, _ fields: Fields...) {
        self.event = event
        self.fields = Fields(fields)
    }

    /// The line as an object.
    ///
    /// - Parameter time: the time, in seconds since 1970; nil for none.
    package func json(at time: Double? = nil) -> JSONValue {
        var all: Fields = ["event": event, "time": isRecorded ? nil : time]
        all.members += fields.members
        return isInOrder ? .object(all.members) : all.json
    }

    /// The line as text, without anything that could steer a terminal.
    package func text(at time: Double? = nil) -> String { json(at: time).text.escapingInvisibleControlsInJSON }
}

/// Fields of a line, by their names in `snake_case`. A field without a value is left out.
package struct Fields: Sendable, ExpressibleByDictionaryLiteral {
    fileprivate var members: [JSONValue.Member]

    package init(dictionaryLiteral fields: (String, (any LineValue)?)...) {
        members = fields.compactMap { name, value in value.map { JSONValue.Member(name, $0.json) } }
    }

    /// All fields of these, one after the other.
    package init(_ parts: [Fields]) { members = parts.flatMap(\.members) }
}

/// A value of a line's field.
package protocol LineValue {
    var json: JSONValue { get }
}

extension JSONValue: LineValue {
    package var json: JSONValue { self }
}

extension Fields: LineValue {
    /// An object with the fields in the order of their names.
    package var json: JSONValue { .object(members.sorted { $0.name < $1.name }) }
}

extension String: LineValue {
    package var json: JSONValue { .string(self) }
}

extension Sentence: LineValue {
    /// In English: programs know no other language.
    package var json: JSONValue { .string(english) }
}

extension Bool: LineValue {
    package var json: JSONValue { .bool(self) }
}

extension LineValue where Self: FixedWidthInteger {
    package var json: JSONValue { .integer(self) }
}

extension Int: LineValue {}
extension Int32: LineValue {}
extension Int64: LineValue {}
extension UInt8: LineValue {}
extension UInt16: LineValue {}
extension UInt32: LineValue {}

extension Double: LineValue {
    /// The shortest digits that are this number; null for one that JSON cannot write.
    package var json: JSONValue {
        let text = description
        return (try? JSONValue(parsing: text.hasSuffix(".0") ? String(text.dropLast(2)) : text)) ?? .null
    }
}

extension Array: LineValue where Element: LineValue {
    package var json: JSONValue { .array(map(\.json)) }
}

// The lines of `--json` that all programs write.

extension Line {
    /// Something that the user should know although the command goes on.
    ///
    /// - Parameter role: the role whose ceremony it is of; nil if it is of none.
    package static func notice(_ code: String, _ text: Sentence, role: Role? = nil) -> Self {
        Self("notice", ["role": role?.rawValue, "notice": code, "text": text])
    }
}

extension Failure {
    /// The failure of the command. Its stage is the one that was not reached; the status is an authenticator's;
    /// the place is one in our sources.
    var line: Line {
        Line(
            "error",
            [
                "code": code, "stage": stage?.rawValue, "cause": cause, "hint": hint,
                "ctap_status": ctapStatus, "exit_code": status.rawValue,
                "place": place?.description,
            ])
    }
}

/// Foreign text in quotation marks, with everything escaped that could steer a terminal or mislead the eye.
package func quoted(_ text: String) -> String { CBORValue.text(text).diagnostic() }
