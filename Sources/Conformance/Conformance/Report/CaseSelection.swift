/// The cases that a run was given, out of all that the runner has for the role.
public struct CaseSelection: Sendable, Equatable {
    /// The number of the role's cases; nil in a report of a runner that did not state it.
    public var catalogueCount: Int?
    /// The number of cases that were chosen.
    public var plannedCount: Int
    /// The texts by which they were chosen: a case's ID contains one of them, or is it. Empty if there was no choice.
    public var filters: [String]
    /// The profiles by which they were chosen; empty if there were none.
    public var profiles: [Profile]

    /// Describes the choice of a run's cases.
    ///
    /// - Parameters:
    ///   - role: the role of the peer.
    ///   - plannedCount: the number of cases that are chosen.
    ///   - filters: the texts by which they are.
    ///   - profiles: the profiles by which they are.
    public init(of role: ConformanceCase.Role, plannedCount: Int, filters: [String] = [], profiles: [Profile] = []) {
        self.init(
            catalogueCount: ConformanceRunner.cases(of: role).count, plannedCount: plannedCount, filters: filters,
            profiles: profiles)
    }

    init(catalogueCount: Int?, plannedCount: Int, filters: [String], profiles: [Profile] = []) {
        self.catalogueCount = catalogueCount
        self.plannedCount = plannedCount
        self.filters = filters
        self.profiles = profiles
    }

    /// True if all cases of the role were chosen, by nothing but the role. A filter or a profile makes it false,
    /// whatever it leaves out: the next version of the runner has other cases.
    public var isWhole: Bool { filters.isEmpty && profiles.isEmpty && (catalogueCount ?? plannedCount) == plannedCount }

    /// The words of a command that make the choice: `--profile`, `qr`, `--filter`, `authenticator/advert`.
    var words: [String] {
        profiles.flatMap { ["--profile", $0.rawValue] } + filters.flatMap { ["--filter", $0] }
    }

    /// The number of cases, and of how many: `106 of 682 cases`. In a report that does not state it, nobody knows.
    public var count: String {
        let count = HTML.counted(plannedCount, "case", "cases")
        guard let catalogueCount else { return "\(count) of a number that is not stated" }
        return isWhole ? count : "\(plannedCount) of \(HTML.counted(catalogueCount, "case", "cases"))"
    }

    /// The same with the words that made the choice: `106 of 682 cases, chosen by --filter authenticator/advert`.
    public var text: String { words.isEmpty ? count : "\(count), chosen by \(RunDescription.line(words))" }
}

extension ConformanceRunner {
    /// All cases for a role.
    public static func cases(of role: ConformanceCase.Role) -> [ConformanceCase] {
        switch role {
        case .authenticator: authenticatorCases
        case .client: clientCases
        case .tunnelService: tunnelServiceCases
        }
    }
}
