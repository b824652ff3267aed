/// JSON as it is written here: members in the order given, no white space.
///
/// Strings are written as WebAuthn Level 3 section 5.8.1.2 ("CCDToString") prescribes for the client data, which is
/// valid JSON everywhere else too.
indirect enum JSONText {
    case string(String)
    case integer(Int64)
    case bool(Bool)
    case array([JSONText])
    case object([(name: String, value: JSONText)])

    /// The text.
    var text: String {
        var output = ""
        write(to: &output)
        return output
    }

    /// Bytes in base64url.
    static func base64URL(_ bytes: [UInt8]) -> JSONText { .string(Base64URL.encode(bytes)) }

    private func write(to output: inout String) {
        switch self {
        case .string(let string): Self.write(string, to: &output)
        case .integer(let integer): output += String(integer)
        case .bool(let bool): output += bool ? "true" : "false"
        case .array(let elements):
            output += "["
            for (index, element) in elements.enumerated() {
                if index > 0 { output += "," }
                element.write(to: &output)
            }
            output += "]"
        case .object(let members):
            output += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { output += "," }
                Self.write(member.name, to: &output)
                output += ":"
                member.value.write(to: &output)
            }
            output += "}"
        }
    }

    private static func write(_ string: String, to output: inout String) {
        output += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": output += "\\\""
            case "\\": output += "\\\\"
            case "\u{0}"..<"\u{20}": output += escape(scalar.value)
            default: output.unicodeScalars.append(scalar)
            }
        }
        output += "\""
    }

    private static func escape(_ value: UInt32) -> String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
