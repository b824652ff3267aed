import Glibc
import QRCode

/// Symbols of each kind, in all: the first argument, if there is one.
let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
/// Parts of the work that run side by side.
let workerCount = 2

/// Checks one worker's share of the invitations, at the level and minimum version of Chromium and at all others.
@Sendable func checkInvitations(worker: Int) -> Tally? {
    guard var check = Check() else { return nil }
    var generator = SeededGenerator(seed: UInt64(worker))
    for index in 0..<count / workerCount {
        let level = QRCode.ErrorCorrectionLevel.allCases[index % 4]
        let minimumVersion = index % 8 < 4 ? 1 : 5
        check.run(
            randomInvitation(using: &generator), level: level, minimumVersion: minimumVersion,
            label: "invitation \(worker)/\(index)")
    }
    return check.tally
}

/// Checks one worker's share of the texts, until enough of them fitted a symbol.
@Sendable func checkTexts(worker: Int) -> Tally? {
    guard var check = Check() else { return nil }
    var generator = SeededGenerator(seed: UInt64(worker) << 32)
    var index = 0
    while check.tally.encoded < count / workerCount, check.tally.failures.count < count {
        let level = QRCode.ErrorCorrectionLevel.allCases[index % 4]
        check.run(
            randomContents(using: &generator), level: level, minimumVersion: 1, label: "text \(worker)/\(index)")
        index += 1
    }
    return check.tally
}

/// Runs a check on all workers and adds up their tallies.
func inParallel(_ check: @escaping @Sendable (Int) -> Tally?) async -> Tally? {
    await withTaskGroup(of: Tally?.self) { group in
        for worker in 0..<workerCount { group.addTask { check(worker) } }
        var sum: Tally? = Tally()
        for await tally in group {
            guard let tally, let soFar = sum else { return nil }
            sum = soFar + tally
        }
        return sum
    }
}

var failed = false
for (name, check) in [("invitations", checkInvitations), ("texts", checkTexts)] {
    guard let tally = await inParallel(check) else {
        print("qr-check: zbar has no memory")
        exit(EXIT_FAILURE)
    }
    print("\(name): \(tally)")
    for failure in tally.failures.prefix(20) { print("  failed: \(failure)") }
    failed = failed || !tally.isClean(count: count)
}
exit(failed ? EXIT_FAILURE : EXIT_SUCCESS)
