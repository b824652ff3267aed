import DesktopAuthenticator
import Glibc
import LinuxSupport

/// The checks of some roles, run beside each other.
struct Examination: Sendable {
    /// The checks, in the order in which their results are given.
    let checks: [Check]

    /// Puts the checks together; nothing is examined yet.
    ///
    /// - Parameters:
    ///   - setup: the parts to examine.
    ///   - roles: the roles that this machine plays.
    init(_ setup: DoctorSetup, for roles: Set<DoctorRole>) {
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
    func run(
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

/// The checks for reading and showing QR codes, and of this process's limits.
struct ScreenChecks: Sendable {
    private static let portal = "org.freedesktop.portal.Desktop"
    private static let answerLimit = Duration.seconds(8)
    /// Open files that a tunnel service needs for a hundred tunnels.
    private static let fewFiles = 1_024

    private let setup: DoctorSetup

    init(_ setup: DoctorSetup) { self.setup = setup }

    var checks: [Check] {
        [
            Check(.zbar, for: [.authenticator]) {
                let programs = CodePicture.programs.filter { ProgramPath.find($0) != nil }
                let missing = PictureReader.missingLibraries
                let readers = (missing.isEmpty ? [PictureReader.library] : []) + programs
                return readers == programs && programs != CodePicture.programs
                    ? .warning(
                        .missing(missing + CodePicture.programs.filter { !programs.contains($0) }), .installZbar)
                    : .fine(.programs(readers))
            },
            Check(.screen, for: [.authenticator]) {
                switch Screenshot.way {
                case .program: .fine(.screenshot(Screenshot.way))
                case .missing(let names): .warning(.screenshot(.missing(names)), .install(names.first ?? ""))
                case .noScreen: .notChecked(.screenshot(.noScreen))
                }
            },
            Check(.portal, for: [.authenticator]) { await Self.examinePortal() },
            Check(.terminal, for: [.client]) { [setup] in
                let observation = CheckObservation.terminal(setup.terminal)
                guard setup.terminal.columns != nil else { return .notChecked(observation) }
                guard setup.terminal.showsPictures else { return .warning(observation, .useOtherTerminal) }
                return setup.terminal.fits ? .fine(observation) : .warning(observation, .enlargeTerminal)
            },
            Check(.openFiles, for: [.tunnelService]) {
                var limit = rlimit()
                guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
                    return .notChecked(.noAnswer)
                }
                // A service raises its soft limit to the hard one by itself.
                let most = Int(clamping: limit.rlim_max)
                return most < Self.fewFiles ? .warning(.openFiles(most), .raiseOpenFiles) : .fine(.openFiles(most))
            },
        ]
    }

    private static func examinePortal() async -> CheckResult {
        let connection: DBusConnection
        do throws(DBusError) {
            connection = try await DBusConnection.open(try DBusAddress.session()) { _ in }
        } catch {
            return .notChecked(.noPortal)
        }
        let answer: Result<[DBusValue], DBusError>
        do throws(DBusError) {
            answer = .success(
                try await connection.call(
                    DBusCall(
                        "Get", of: "org.freedesktop.DBus.Properties", at: "/org/freedesktop/portal/desktop", in: portal,
                        [.string("org.freedesktop.portal.Screenshot"), .string("version")], startsService: true),
                    within: answerLimit))
        } catch {
            answer = .failure(error)
        }
        await connection.close()
        switch answer {
        case .success(let values): return .fine(.portal(version: values.first?.uint32Value.map { Int(clamping: $0) }))
        case .failure: return .notChecked(.noPortal)
        }
    }
}
