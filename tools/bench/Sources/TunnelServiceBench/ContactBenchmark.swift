import Foundation

/// Measures the contact side of the tunnel service on loopback, with ``crowdSize`` authenticators registered: memory
/// for each, how long a wake takes, and the cost of a service that is killed under load.
///
/// The authenticators are `ContactListener`s with a key of their own each, in this process, so that both sides share
/// the machine. The service runs in a process of its own, as for the tunnel benchmark.
public func contactBenchmark() async throws {
    OpenFileLimit.raise()
    try await withCertificate { certificate in
        for security in BenchmarkSecurity.allCases {
            try await measure(ServerTask(kind: .service, security: security, certificate: certificate))
        }
    }
}

private let crowdSize = 10_000
private let wakes = 2_000
private let wakesAtATime = 4
private let loadInterval = Duration.milliseconds(20)
private let timeBeforeTheKill = Duration.seconds(5)
private let timeDown = Duration.seconds(1)

private func measure(_ task: ServerTask) async throws {
    let clock = ContinuousClock()
    var (server, process, input) = try ServerProcess.start(task)
    let before = try server.residentBytes()
    let crowd = try Crowd(of: crowdSize, task, port: server.port)
    let registering = try await clock.measure {
        crowd.start()
        try await crowd.whenAllRegistered()
    }
    let bytes = Double(try server.residentBytes() - before) / Double(crowdSize)
    print("\(crowdSize) authenticators, \(task.security): registered in \(rounded(registering / .seconds(1))) s")
    print("memory of a registered authenticator, \(task.security): \(rounded(bytes / 1_024)) KiB")

    let times = try await crowd.wake(wakes, atATime: wakesAtATime)
    print("wake, \(task.security), from the client's connect to the authenticator: \(percentiles(times.map(\.woken)))")
    print("wake, \(task.security), from the client's connect to its 101: \(percentiles(times.map(\.answered)))")

    let load = Load(crowd, every: loadInterval)
    try await Task.sleep(for: timeBeforeTheKill)
    crowd.forgetRegistrations()
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    try await Task.sleep(for: timeDown)
    var again = task
    again.port = server.port
    (server, process, input) = try ServerProcess.start(again)
    let returning = try await clock.measure { try await crowd.whenAllRegistered() }
    print(
        "killed under load and started again after \(timeDown), \(task.security): all back after "
            + "\(rounded(returning / .seconds(1))) s, half after \(rounded(crowd.timeOfHalf / .seconds(1))) s")
    print("requests meanwhile, \(task.security): \(await load.stop())")
    await crowd.stop()
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
}

private func percentiles(_ times: [Duration]) -> String {
    let sorted = times.sorted()
    guard let last = sorted.last else { return "none" }
    let milliseconds = [50, 99].map { percent in
        "p\(percent) \(rounded(sorted[min(sorted.count * percent / 100, sorted.count - 1)] / .milliseconds(1))) ms"
    }
    return (milliseconds + ["largest \(rounded(last / .milliseconds(1))) ms"]).joined(separator: ", ")
}
