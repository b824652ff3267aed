import ArgumentParser
import CTAP
import CommandLine
import LinuxSupport
import SecurityKey
import UserVerification

/// The option for a key that outlives the screen's lock.
struct KeyStayOption: ParsableArguments {
    @Flag(
        help: .saying(
            """
            When the screen is locked, or the machine sleeps, remove the key until that is over, instead of exiting.
            """))
    var stay = false
}

/// The time in which a security key is there: until a signal, or until the screen is locked.
struct KeySession {
    let channel: KeyChannelOption
    /// True if the key is there again once the screen is unlocked.
    var stays = false
    let reporter: Reporter

    /// Makes a key and serves it.
    ///
    /// - Parameter application: answers its requests.
    /// - Throws: ``Failure``.
    func run(_ application: any SecurityKeyApplication) async throws {
        let watch = await startWatch()
        do {
            while let absence = try await serve(application, watch) {
                guard stays, let watch, !absence.isFinal else { throw absence.failure }
                reporter.write(
                    Line("key", ["state": "gone"]),
                    orSay: "\(absence.cause), so the key was removed until that is over")
                try await waitForEnd(of: absence, watch)
            }
        } catch {
            await watch?.close()
            throw error
        }
        await watch?.close()
    }

    /// Serves a key.
    ///
    /// - Returns: why it had to go; nil if it has ended.
    private func serve(_ application: any SecurityKeyApplication, _ watch: SessionWatch?) async throws -> Absence? {
        try await withThrowingTaskGroup(of: Absence?.self) { group in
            defer { group.cancelAll() }
            let device = SecurityKeyDevice(
                over: try channel.open(), version: .ofThisProgram, application: application
            ) { [reporter] in
                reporter.write(
                    Line("key", ["state": "ready"]),
                    orSay: "the key is there for every program of yours; Ctrl-C removes it")
            } onWink: { [reporter] in
                reporter.write(Line("key", ["state": "wink"]), orSay: "a program asks which key this is")
            }
            group.addTask {
                try await device.run()
                return nil
            }
            if let watch { group.addTask { try await waitForAbsence(watch) } }
            // The first to end is the end of both.
            return try await group.next() ?? nil
        }
    }

    /// Watches the desktop's session; nil if there is nothing to watch.
    private func startWatch() async -> SessionWatch? {
        do throws(DesktopSessionError) {
            let watch = try await SessionWatch.start()
            for obstacle in watch.obstacles { warn(obstacle) }
            return watch
        } catch {
            warn(error)
            return nil
        }
    }

    /// Waits for the moment at which the key has to go.
    private func waitForAbsence(_ watch: SessionWatch) async throws -> Absence {
        for await event in watch {
            var absence = Absence()
            absence.note(event)
            if case .sleeping = event { watch.allowSleep() }
            if case .lost(let code, let reason) = event { warn(DesktopSessionError(code, reason: reason)) }
            if !absence.isOver { return absence }
        }
        // Without events the key stays, until its task is cancelled.
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    /// Waits until the user is back.
    ///
    /// - Throws: ``Failure`` if that cannot be seen, or the session has ended.
    private func waitForEnd(of absence: Absence, _ watch: SessionWatch) async throws {
        var absence = absence
        for await event in watch {
            absence.note(event)
            if case .sleeping = event { watch.allowSleep() }
            // Who has gone would have said that the screen is unlocked.
            if case .lost = event { throw absence.failure }
            if absence.isFinal { throw absence.failure }
            if absence.isOver { return }
        }
        throw CancellationError()
    }

    private func warn(_ error: DesktopSessionError) {
        guard error.code != .cancelled else { return }
        reporter.warn(
            "not-watched", "the key is not removed by every event that locks the session: \(reason: error.reason)")
    }
}

/// Time in which the key must not be there.
private struct Absence {
    private(set) var cause: Sentence = ""
    private var isLocked = false
    private var isAsleep = false
    private(set) var isFinal = false

    var isOver: Bool { !isLocked && !isAsleep && !isFinal }

    var failure: Failure {
        Failure(
            .locked, code: "session-locked", cause: "\(cause), so the key was removed",
            hint: "start it again when you are back")
    }

    mutating func note(_ event: SessionEvent) {
        switch event {
        case .screenLocked: (isLocked, cause) = (true, "the screen was locked")
        case .sleeping: (isAsleep, cause) = (true, "the machine was about to sleep")
        case .sessionEnded: (isFinal, cause) = (true, "the session has ended")
        case .screenUnlocked: isLocked = false
        case .woken: isAsleep = false
        case .lost: break
        }
    }
}

extension CTAPHIDDeviceVersion {
    /// The version of this program.
    fileprivate static let ofThisProgram: Self = {
        let numbers = Version.version.split(separator: ".").map { UInt8($0) ?? 0 } + [0, 0, 0]
        return Self(major: numbers[0], minor: numbers[1], build: numbers[2])
    }()
}
