// Diagnostic notation, for people. Source: RFC 8949 section 8.

extension CBORValue {
    /// The item in diagnostic notation.
    ///
    /// Safe to print on a terminal: in texts, everything that is not a visible character or a plain space (control and
    /// format characters, direction overrides, line separators, private and unassigned code points) is escaped as
    /// `\u` and four hexadecimal digits, in two halves above U+FFFF.
    ///
    /// - Parameter indent: the number of spaces by which each level is set in; 0 writes everything on one line.
    public func diagnostic(indent: Int = 0) -> String {
        var printer = DiagnosticPrinter(indent: max(indent, 0))
        printer.print(self)
        return printer.output
    }
}

private struct DiagnosticPrinter {
    let indent: Int
    var output = ""
    private var level = 0

    init(indent: Int) { self.indent = indent }

    mutating func print(_ value: CBORValue) {
        switch value {
        case .unsigned(let number): output += String(number)
        case .negative(let number): printNegative(number)
        case .bytes(let bytes): printBytes(bytes)
        case .text(let text): printText(text)
        case .array(let elements): printList("[", elements, "]") { $0.print($1) }
        case .map(let map):
            printList("{", map.entries, "}") { printer, entry in
                printer.print(entry.key)
                printer.output += ": "
                printer.print(entry.value)
            }
        case .tagged(let number, let item):
            output += "\(number)("
            print(item)
            output += ")"
        case .bool(let value): output += value ? "true" : "false"
        case .null: output += "null"
        case .undefined: output += "undefined"
        case .simple(let simple): output += "simple(\(simple.rawValue))"
        case .float(let number): printFloat(number)
        }
    }

    private mutating func printNegative(_ number: UInt64) {
        let (magnitude, overflow) = number.addingReportingOverflow(1)
        // The one magnitude that 64 bits do not hold: 2^64.
        output += overflow ? "-18446744073709551616" : "-\(magnitude)"
    }

    private mutating func printBytes(_ bytes: [UInt8]) {
        output += "h'"
        for byte in bytes { appendHex(UInt16(byte), digits: 2) }
        output += "'"
    }

    private mutating func printFloat(_ number: Double) {
        output += number.isNaN ? "NaN" : number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
    }

    private mutating func printText(_ text: String) {
        output += "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": output += "\\\(scalar)"
            case "\n": output += "\\n"
            case "\r": output += "\\r"
            case "\t": output += "\\t"
            case _ where isVisible(scalar): output.unicodeScalars.append(scalar)
            default:
                for unit in UTF16.encode(scalar).map(Array.init) ?? [] {
                    output += "\\u"
                    appendHex(unit, digits: 4)
                }
            }
        }
        output += "\""
    }

    private func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .surrogate, .privateUse, .unassigned: false
        default: !scalar.isInvisible
        }
    }

    private mutating func printList<Element>(
        _ open: String, _ elements: [Element], _ close: String, each: (inout DiagnosticPrinter, Element) -> Void
    ) {
        output += open
        level += 1
        for (index, element) in elements.enumerated() {
            if index > 0 { output += indent > 0 ? "," : ", " }
            breakLine()
            each(&self, element)
        }
        level -= 1
        if !elements.isEmpty { breakLine() }
        output += close
    }

    private mutating func breakLine() {
        guard indent > 0 else { return }
        output += "\n"
        output += String(repeating: " ", count: level * indent)
    }

    private mutating func appendHex(_ number: UInt16, digits: Int) {
        for place in (0..<digits).reversed() {
            output += String(number >> (UInt16(place) * 4) & 0xf, radix: 16)
        }
    }
}
