internal import Encodings

extension PublishedReport {
    /// The name of the format, and its version: a reader of one version reads no other.
    static let format = "hybrid-conformance-report"
    static let version = 1

    /// The report as one JSON document, a line for each rule and each case, so that two reports can be compared.
    public var json: String {
        var members: [(String, JSONValue)] = [
            ("format", .string(Self.format)), ("version", .integer(Self.version)),
            ("role", .string(run.role.rawValue)), ("peer", run.peer.json),
            ("runner", ["version": .string(run.runnerVersion)]), ("started", .string(run.started)),
            ("elapsed_ms", .integer(milliseconds)),
            ("environment", .object(run.environment.map { JSONValue.Member($0.name, .string($0.value)) })),
            ("planned", .integer(plannedCount)),
        ]
        if let count = run.selection.catalogueCount { members.append(("catalogue", .integer(count))) }
        members += [
            ("filters", .array(run.selection.filters.map(JSONValue.string))), ("complete", .bool(isComplete)),
            ("repeat", .array(run.repeatingWords.map(JSONValue.string))),
        ]
        let head = members.map { "\(Self.line(.string($0.0))):\(Self.line($0.1))" }.joined(separator: ",\n")
        let lists = [("rules", rules.map(\.json)), ("cases", cases.map(\.json))].map { name, values in
            "\"\(name)\":[\n\(values.map(Self.line).joined(separator: ",\n"))\n]"
        }
        return "{\(head),\n\(lists.joined(separator: ",\n"))}\n"
    }

    private static func line(_ value: JSONValue) -> String { value.text.escapingInvisibleControlsInJSON }
}

extension RunDescription.Peer {
    fileprivate var json: JSONValue {
        .object(
            [JSONValue.Member("name", .string(name))]
                + (version.map { [JSONValue.Member("version", .string($0))] } ?? [])
                + [JSONValue.Member("command", .array(command.map(JSONValue.string)))])
    }
}

extension PublishedReport.Rule {
    fileprivate var json: JSONValue {
        ["id": .string(id), "article": .string(article), "sentence": .string(sentence)]
    }
}

extension PublishedReport.Case {
    fileprivate var json: JSONValue {
        var members: [JSONValue.Member] = []
        func add(_ name: String, _ text: String?) {
            if let text { members.append(JSONValue.Member(name, .string(text))) }
        }
        add("id", id)
        add("rule", rule)
        add("requirement", requirement.isEmpty ? nil : requirement)
        add("certainty", certainty.rawValue)
        add("verdict", verdict.rawValue)
        add("grade", grade?.rawValue)
        add("detail", detail)
        add("known", known)
        if !standardError.isEmpty {
            members.append(JSONValue.Member("standard_error", .array(standardError.map(JSONValue.string))))
        }
        if !transcript.isEmpty { members.append(JSONValue.Member("transcript", .array(transcript.map(\.json)))) }
        members.append(JSONValue.Member("elapsed_ms", .integer(milliseconds)))
        return .object(members)
    }
}

extension PublishedReport.Entry {
    fileprivate var json: JSONValue {
        [
            "us": .integer(microseconds), "direction": .string(direction), "channel": .string(channel),
            "what": .string(what), "hex": .string(hex), "more": .integer(more),
        ]
    }
}
