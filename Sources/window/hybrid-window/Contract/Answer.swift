import Encodings

/// An answer without a secret.
enum Answer {
    case yes
    case no
    /// One of the accounts, by its place.
    case account(Int)
    case digits(String)

    /// The line that says it, with its line feed.
    func line(to id: Int) -> [UInt8] {
        let object: JSONValue =
            switch self {
            case .yes: ["id": .integer(id), "answer": "yes"]
            case .no: ["id": .integer(id), "answer": "no"]
            case .account(let place): ["id": .integer(id), "answer": "account", "account": .integer(place)]
            case .digits(let digits): ["id": .integer(id), "answer": "digits", "digits": .string(digits)]
            }
        return Array("\(object.text)\n".utf8)
    }
}
