/// The checks of some roles, run beside each other.
package struct Examination: Sendable {
    /// The checks, in the order in which their results are given.
    package let checks: [Check]

    /// Puts the checks together; nothing is examined yet.
    ///
    /// - Parameters:
    ///   - setup: what is examined.
    ///   - roles: the roles that this machine plays.
    package init(_ setup: DoctorSetup, for roles: Set<DoctorRole>) {
        let all =
            BluetoothChecks(setup).checks + VerificationChecks(setup).checks + ScreenChecks(setup).checks
            + KeyChecks(setup).checks + setup.services.flatMap { TunnelChecks($0, setup).checks }
        checks = all.filter { !$0.roles.isDisjoint(with: roles) }
    }

    /// Runs all checks at once.
    ///
    /// - Parameters:
    ///   - begin: is told of each check whose result is waited for next.
    ///   - report: gets the results, in order.
    /// - Throws: `CancellationError`.
    package func run(
        waiting begin: (Check) -> Void, report: (Check, CheckResult) -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, CheckResult).self) { group in
            for (index, check) in checks.enumerated() {
                group.addTask { (index, await check.result()) }
            }
            var results: [Int: CheckResult] = [:]
            var next = 0
            if let first = checks.first { begin(first) }
            while let (index, result) = try await group.next() {
                try Task.checkCancellation()
                results[index] = result
                while let result = results[next] {
                    report(checks[next], result)
                    next += 1
                    if next < checks.count { begin(checks[next]) }
                }
            }
        }
    }
}
