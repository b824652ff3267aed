import CommandLine
import DesktopAuthenticator
import LinuxSupport

/// The result of a check, as a line of `--json` and of a report.
struct CheckLine: Sendable {
    let check: String
    /// The roles that need it.
    let roles: [String]
    /// The tunnel service: its domain's number, or `given`; absent for this machine.
    let service: String?
    /// `fine`, `warning`, `broken`, `unknown` or `not-checked`.
    let result: String
    let cause: String
    let text: Sentence
    let remedy: String?
    let hint: Sentence?

    let grade: CheckResult.Grade
    private let words: Sentence

    private static let gradeWidth = 13
    private static let nameWidth = 32

    init(_ check: Check, _ result: CheckResult) {
        self.check = check.name.rawValue
        words = check.name.text
        roles = DoctorRole.allCases.filter(check.roles.contains).map(\.rawValue)
        service =
            switch check.service {
            case .domain(let number): "\(number)"
            case .given: "given"
            case nil: nil
            }
        grade = result.grade
        self.result = result.grade.rawValue
        cause = result.observation.code
        text = result.observation.text
        remedy = result.remedy?.code
        hint = result.remedy?.text
    }

    var json: Line {
        Line(
            "check",
            [
                "check": check, "roles": roles, "service": service, "result": result, "cause": cause, "text": text,
                "remedy": remedy, "hint": hint,
            ])
    }

    /// The name of the check for people, with the tunnel service that it is of.
    var name: Sentence {
        switch service {
        case "given": "\(words), --tunnel"
        case let number?: "\(words), domain \(number)"
        case nil: words
        }
    }

    /// The line for people, where no terminal shows it.
    var line: Sentence {
        let label = grade.text.localized.padded(to: Self.gradeWidth) + name.localized.padded(to: Self.nameWidth)
        return hint.map { "\(label)\(text); hint: \($0)" } ?? "\(label)\(text)"
    }
}

/// The verdict on a role, as a line of `--json` and of a report.
struct RoleVerdict: Sendable {
    let role: String
    /// `ready`, `not-ready`, or `not-known` if no service to examine was given.
    let result: String
    /// False if the user wanted no tunnel service contacted.
    let contacted: Bool
    /// The checks that have failed.
    let broken: [String]
    let warnings: [String]
    private let isKnown: Bool

    init(_ role: DoctorRole, _ lines: [CheckLine]) {
        let lines = lines.filter { $0.roles.contains(role.rawValue) }
        func checks(_ grade: CheckResult.Grade) -> [String] {
            lines.filter { $0.result == grade.rawValue }.map { line in
                line.check + (line.service.map { " (\($0))" } ?? "")
            }
        }
        self.role = role.rawValue
        broken = checks(.broken)
        warnings = checks(.warning)
        isKnown = !lines.contains { $0.cause == CheckObservation.noServiceGiven.code }
        contacted = !lines.contains { $0.cause == CheckObservation.offline.code }
        result = broken.isEmpty ? isKnown ? "ready" : "not-known" : "not-ready"
    }

    var json: Line {
        Line(
            "verdict",
            [
                "role": role, "result": result, "contacted": contacted, "broken": broken, "warnings": warnings,
            ])
    }

    func write(_ reporter: Reporter) {
        let state: Sentence = !broken.isEmpty ? "not ready" : isKnown ? "ready" : "not known"
        let loss: Sentence = warnings.isEmpty ? "" : "; with warnings: \(warnings.joined(separator: ", "))"
        let rest: Sentence = contacted ? "" : "; no tunnel service was contacted"
        let verdict: Sentence =
            broken.isEmpty
            ? "verdict: \(role): \(state)" : "verdict: \(role): \(state): \(broken.joined(separator: ", "))"
        reporter.write(json, orPrint: "\(verdict)\(loss)\(rest)")
    }
}
