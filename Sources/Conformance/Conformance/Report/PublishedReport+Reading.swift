public import Encodings

extension PublishedReport {
    /// The most bytes of a file that is read: many times the report of a run in which every case deviates.
    public static let byteLimit = 64 << 20
    private static let limits = JSONLimits(byteCount: byteLimit, depth: 8)
    private static let caseLimit = 10_000

    /// Reads a report's JSON document.
    ///
    /// - Parameter text: at most ``byteLimit`` bytes.
    /// - Throws: ``RunnerError`` with `invalid-report` for anything but a whole report of this version.
    public init(parsing text: [UInt8]) throws(RunnerError) {
        let document: JSONValue
        do throws(JSONError) {
            document = try JSONValue(parsing: text.span, limits: Self.limits)
        } catch {
            throw RunnerError(.invalidReport, reason: "no JSON document: \(error.reason)", place: error.place)
        }
        guard document["format"]?.stringValue == Self.format else {
            throw RunnerError(.invalidReport, reason: "not a conformance report: it has another format")
        }
        guard case .number(let number) = document["version"], number.text == "\(Self.version)" else {
            throw RunnerError(.invalidReport, reason: "its version is not \(Self.version)")
        }
        var fields = try ReportFields(document, "the report")
        _ = try (fields.value("format"), fields.value("version"), fields.optional("$schema"))
        let role: ConformanceCase.Role = try fields.word("role")
        var peer = try ReportFields(fields.value("peer"), "peer")
        var runner = try ReportFields(fields.value("runner"), "runner")
        // An earlier runner states no edition, no choice, and no number of all cases.
        let edition = try fields.optionalText("edition")
        guard edition == nil || edition.flatMap(Conformance.Rule.Edition.init) != nil else {
            throw ReportFields.invalid("edition of the report is not known")
        }
        let selection = CaseSelection(
            catalogueCount: try fields.optionalCount("catalogue"), plannedCount: try fields.count("planned"),
            filters: try fields.texts("filters", isOptional: true),
            profiles: try fields.values("profiles", limit: Profile.allCases.count, isOptional: true) {
                (value) throws(RunnerError) in
                guard let profile = value.stringValue.flatMap(Profile.init) else {
                    throw ReportFields.invalid("a profile is not known")
                }
                return profile
            })
        run = RunDescription(
            role: role,
            peer: RunDescription.Peer(
                name: try peer.text("name"), version: try peer.optionalText("version"),
                command: try peer.texts("command")),
            runnerVersion: try runner.text("version"), started: try fields.text("started"),
            environment: try Self.facts(fields.value("environment")),
            runnerWords: Self.words(try fields.texts("repeat"), without: selection.words), selection: selection,
            edition: edition.flatMap(Conformance.Rule.Edition.init))
        try peer.end()
        try runner.end()
        milliseconds = try fields.count("elapsed_ms")
        rules = try fields.values("rules", limit: Self.caseLimit, Rule.init(reading:))
        cases = try fields.values("cases", limit: Self.caseLimit, Case.init(reading:))
        let isComplete = try fields.value("complete")
        try fields.end()
        try check(isComplete)
    }

    /// The words of the command that repeats the run, without those that choose its cases.
    private static func words(_ words: [String], without choice: [String]) -> [String] {
        words.suffix(choice.count) == choice[...] ? words.dropLast(choice.count) : words
    }

    private func check(_ isComplete: JSONValue) throws(RunnerError) {
        guard Set(rules.map(\.id)).count == rules.count else {
            throw RunnerError(.invalidReport, reason: "it has a rule twice")
        }
        var ids: Set<String> = []
        for testCase in cases where !ids.insert(testCase.id).inserted {
            throw RunnerError(.invalidReport, reason: "it has the case \(testCase.id) twice")
        }
        if let foreign = cases.first(where: { !$0.id.hasPrefix("\(run.role.rawValue)/") }) {
            throw RunnerError(.invalidReport, reason: "the case \(foreign.id) is of another role")
        }
        guard cases.count <= plannedCount, plannedCount <= run.selection.catalogueCount ?? plannedCount,
            isComplete == .bool(self.isComplete)
        else {
            throw RunnerError(
                .invalidReport, reason: "its counts are inconsistent: \(cases.count) cases of \(plannedCount)")
        }
    }

    private static func facts(_ value: JSONValue) throws(RunnerError) -> [RunDescription.Fact] {
        guard let members = value.objectValue else { throw ReportFields.invalid("environment is not an object") }
        var facts: [RunDescription.Fact] = []
        for member in members {
            guard let text = member.value.stringValue else {
                throw ReportFields.invalid("a member of environment is not a string")
            }
            facts.append(RunDescription.Fact(member.name, text))
        }
        return facts
    }
}

extension PublishedReport.Rule {
    fileprivate init(reading value: JSONValue) throws(RunnerError) {
        var fields = try ReportFields(value, "a rule")
        self.init(
            id: try fields.ruleID("id"), article: try fields.text("article"), sentence: try fields.text("sentence"))
        try fields.end()
    }
}

extension PublishedReport.Entry {
    fileprivate init(reading value: JSONValue) throws(RunnerError) {
        var fields = try ReportFields(value, "an entry of a transcript")
        self.init(
            microseconds: try fields.count("us"), direction: try fields.text("direction"),
            channel: try fields.text("channel"), what: try fields.text("what"), hex: try fields.text("hex"),
            more: try fields.count("more"))
        try fields.end()
    }
}

extension PublishedReport.Case {
    private static let entryLimit = 1_000

    fileprivate init(reading value: JSONValue) throws(RunnerError) {
        var fields = try ReportFields(value, "a case")
        let grade = try fields.optionalText("grade")
        self.init(
            id: try fields.caseID("id"), rule: try fields.ruleID("rule"),
            requirement: try fields.optionalText("requirement") ?? "", certainty: try fields.word("certainty"),
            verdict: try fields.word("verdict"), grade: grade.flatMap(Grade.init(rawValue:)),
            detail: try fields.optionalText("detail"), known: try fields.optionalText("known"),
            standardError: try fields.texts("standard_error", isOptional: true),
            transcript: try fields.values(
                "transcript", limit: Self.entryLimit, isOptional: true, PublishedReport.Entry.init(reading:)),
            milliseconds: try fields.count("elapsed_ms"))
        try fields.end()
        let isFitting =
            switch verdict {
            case .passed: self.grade == .held || self.grade == .conceptuallyPassed
            case .deviates: self.grade == .deviates || self.grade == .fails
            case .observed, .skipped, .inconclusive: grade == nil
            }
        guard isFitting else { throw ReportFields.invalid("the grade of \(id) does not fit its verdict") }
    }
}
