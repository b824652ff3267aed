import CBOR
import HybridProtocol

/// What something is and says: a title, and lines of a name and a value each.
struct Explanation {
    let kind: InspectCommand.Kind
    let title: String
    var lines: [(name: String, value: String)]

    static let advertByteCount = AdvertKey.advertByteCount

    init(_ kind: InspectCommand.Kind, _ title: String, _ lines: [(name: String, value: String)]) {
        self.kind = kind
        self.title = title
        self.lines = lines
    }

    /// For people.
    var text: String {
        let width = lines.map(\.name.count).max() ?? 0
        return ([title] + lines.map { "  \($0.name.padded(to: width))  \($0.value)" }).joined(separator: "\n")
    }

    /// For programs.
    var line: Line {
        Line(kind: kind.rawValue, title: title, fields: lines.map { Line.Field(name: $0.name, value: $0.value) })
    }

    /// An explanation as a line of `--json`.
    struct Line: Encodable {
        let event = "explanation"
        let kind: String
        let title: String
        let fields: [Field]

        struct Field: Encodable {
            let name: String
            let value: String
        }
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}

extension Failure {
    /// A failure to read what was to be explained: the protocol's own word for what is wrong with it.
    init(inspecting error: any Error) {
        switch error {
        case let error as HybridProtocolError:
            self.init(.protocolViolation, code: error.code.rawValue, cause: error.reason)
        default: self.init(error)
        }
    }
}
