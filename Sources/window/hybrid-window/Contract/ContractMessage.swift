import Encodings

/// A line of `hybrid`, after the first.
enum ContractMessage {
    /// A question to show, in the place of the one on screen.
    case show(Question)
    /// A sentence below the question.
    case tell(String)

    /// The version of the contract that this program speaks.
    static let version = 1

    /// Reads a line.
    ///
    /// - Throws: ``ContractError`` if the contract has no such line.
    init(parsing line: [UInt8]) throws(ContractError) {
        var object = try ContractObject(parsing: line)
        if object.has("tell") {
            self = .tell(try object.text("tell"))
        } else {
            self = .show(try Question(&object))
        }
        try object.requireNoMore()
    }

    /// Reads the first line.
    ///
    /// - Throws: ``ContractError`` if `hybrid` speaks another version, or does not begin with its version.
    static func requireGreeting(_ line: [UInt8]) throws(ContractError) {
        var object = try ContractObject(parsing: line)
        guard try object.integer("contract", in: 1...Int.max) == version else {
            throw ContractError(.unsupported, reason: "another version of the contract than \(version)")
        }
        _ = try object.text("language")
        try object.requireNoMore()
    }
}
