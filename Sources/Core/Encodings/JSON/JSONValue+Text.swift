extension JSONValue {
    /// The value as JSON text: members in their order, no white space.
    ///
    /// Strings are written as WebAuthn Level 3 section 5.8.1.2 ("CCDToString") prescribes for the client data, which is
    /// valid JSON everywhere else too.
    public var text: String {
        var output: [UInt8] = []
        write(to: &output)
        return String(decoding: output, as: UTF8.self)
    }

    private func write(to output: inout [UInt8]) {
        switch self {
        case .null: output += "null".utf8
        case .bool(let bool): output += (bool ? "true" : "false").utf8
        case .number(let number): output += number.text.utf8
        case .string(let string): Self.write(string, to: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                element.write(to: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { output.append(UInt8(ascii: ",")) }
                Self.write(member.name, to: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(to: &output)
            }
            output.append(UInt8(ascii: "}"))
        }
    }

    private static func write(_ string: String, to output: inout [UInt8]) {
        output.append(quote)
        for byte in string.utf8 {
            switch byte {
            case quote, backslash: output += [backslash, byte]
            case 0..<firstPrintable: output += escape(byte).utf8
            default: output.append(byte)
            }
        }
        output.append(quote)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let backslash = UInt8(ascii: "\\")
    private static let firstPrintable = UInt8(ascii: " ")

    private static func escape(_ value: UInt8) -> String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
