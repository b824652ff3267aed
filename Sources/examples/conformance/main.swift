// Tests an authenticator, and says how it deviates from the protocol.
//
//     example-conformance authenticator/handshake/ \
//         my-authenticator --tunnel {tunnel} --radio {radio} {url}
//
// The first word chooses cases, the others are the command, which is run once a case.

import Conformance
import Glibc

let words = CommandLine.arguments.dropFirst()
guard let prefix = words.first, words.count > 1 else { exit(EXIT_FAILURE) }

// A simulated radio, and a tunnel service without TLS: both the runner's own, on loopback.
let settings = ProgramSettings(
    command: CommandTemplate(Array(words.dropFirst())), timeout: .seconds(10),
    radio: .simulated)

let (results, continuation) = AsyncStream.makeStream(of: CaseResult.self)
let isWanted: (ConformanceCase) -> Bool = { $0.id.hasPrefix(prefix) }
try await ConformanceRunner.testAuthenticator(settings, jobs: 4, where: isWanted) {
    continuation.yield($0)
}
continuation.finish()

var report = ConformanceReport()
for await result in results {
    report.add(result)
    // Disputed cases are observed, and some are skipped: neither is a failure.
    guard case .deviates(let reason) = result.verdict else { continue }
    print("\(result.testCase.id): \(result.testCase.requirement)\n    \(reason)")
}
print("\(report.passedCount) passed, \(report.deviations.count) deviate")
exit(report.deviations.isEmpty ? EXIT_SUCCESS : EXIT_FAILURE)
