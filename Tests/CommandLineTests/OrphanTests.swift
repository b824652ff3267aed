import Foundation
import TestPeers
import Testing

/// Programs that tests have started, when their run is killed.
@Suite(.timeLimit(.minutes(2))) struct OrphanTests {
    private static let variable = "HYBRID_TEST_ORPHANS"

    /// Runs itself a second time, and kills that.
    @Test func nothingOutlivesARunThatIsKilled() async throws {
        if let file = ProcessInfo.processInfo.environment[Self.variable] { return try await startAndStay(file) }
        try await TestContext.with { context in
            let file = context.directory.appending(path: "processes").path
            let environment = ProcessInfo.processInfo.environment.merging([Self.variable: file]) { $1 }
            let run = try context.start(
                [TestContext.tests.path, "--testing-library", "swift-testing", "--filter", "OrphanTests"],
                environment: environment)
            let processes = try #require(
                await run.wait(atMost: .seconds(60)) {
                    let text = (try? String(contentsOfFile: file, encoding: .utf8)) ?? ""
                    let numbers = text.split(separator: " ").compactMap { pid_t($0) }
                    return numbers.count == 3 ? numbers : nil
                })
            #expect(processes.allSatisfy(Self.runs))
            run.send(SIGKILL)
            let isOver = try await run.wait(atMost: .seconds(60)) { processes.contains(where: Self.runs) ? nil : true }
            #expect(isOver == true)
        }
    }

    /// An exit test waits for any child of the process, and would find one that has ended for ever.
    @Test func theirSupervisorHasNotEnded() async throws {
        #expect(try await ChildProcess.run(["true"]).status == 0)
        #expect(try Self.runs(#require(ChildSupervisor.process)))
        await #expect(processExitsWith: .failure) { preconditionFailure("as it has to") }
    }

    /// Starts programs, says which, and stays.
    private func startAndStay(_ file: String) async throws {
        let environment = ProcessInfo.processInfo.environment
        let command = ["sh", "-c", "trap '' TERM HUP INT; sleep 600 & echo $!; wait"]
        let program = try Program(command, in: URL(filePath: "/"), environment: environment)
        let behind = try #require(
            await program.wait(atMost: .seconds(60)) {
                pid_t(program.text(.stdout).trimmingCharacters(in: .whitespacesAndNewlines))
            })
        try await ChildProcess.with(["sh", "-c", "echo $$; exec sleep 600"]) { child in
            let process = await child.lines.first { _ in true } ?? ""
            let temporary = file + ".new"
            try "\(program.process) \(behind) \(process)".write(toFile: temporary, atomically: false, encoding: .utf8)
            rename(temporary, file)
            try await Task.sleep(for: .seconds(600))
        }
    }

    /// True for a process that runs; a zombie does not.
    private static func runs(_ process: pid_t) -> Bool {
        let status = (try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)) ?? ""
        return status.split(separator: ")").last?.split(separator: " ").first.map { $0 != "Z" } ?? false
    }
}
