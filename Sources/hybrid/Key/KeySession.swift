import DesktopSession
import SecurityKey
import UserVerification

/// The time in which a security key is there: until a signal, or until the screen is locked.
struct KeySession {
    let channel: KeyChannelOption
    let reporter: Reporter

    /// Makes a key and serves it.
    ///
    /// - Parameter application: Answers its requests.
    /// - Throws: ``Failure``.
    func run(_ application: any SecurityKeyApplication) async throws {
        let watch = await startWatch()
        do {
            try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                let device = SecurityKeyDevice(
                    over: try channel.open(), version: .ofThisProgram, application: application
                ) { [reporter] in
                    reporter.write(
                        KeyLine(state: "ready"),
                        orSay: "the key is there for every program of yours; Ctrl-C takes it away")
                } onWink: { [reporter] in
                    reporter.write(KeyLine(state: "wink"), orSay: "a program asks which key this is")
                }
                group.addTask { try await device.run() }
                if let watch { group.addTask { try await waitForLock(watch) } }
                // The first to end is the end of both.
                try await group.next()
            }
        } catch {
            await watch?.close()
            throw (error as? SecurityKeyError).map { Failure($0) } ?? error
        }
        await watch?.close()
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
    ///
    /// - Throws: ``Failure`` then.
    private func waitForLock(_ watch: SessionWatch) async throws {
        for await event in watch {
            switch event {
            case .screenLocked: throw Self.gone("the screen was locked")
            case .sessionEnded: throw Self.gone("the session has ended")
            case .sleeping:
                watch.allowSleep()
                throw Self.gone("the machine was about to sleep")
            case .lost(let code, let reason): warn(DesktopSessionError(code, reason: reason))
            case .screenUnlocked, .woken: break
            }
        }
        // Without events the key stays, until its task is cancelled.
        while true { try await Task.sleep(for: .seconds(86_400)) }
    }

    private static func gone(_ cause: String) -> Failure {
        Failure(
            .locked, code: "session-locked", cause: "\(cause), so the key was taken away",
            hint: "start it again when you are back")
    }

    private func warn(_ error: DesktopSessionError) {
        guard error.code != .cancelled else { return }
        reporter.warn("not-watched", "the key does not go with everything that locks the session: \(error.reason)")
    }
}

/// A security key that has come, or was looked for.
private struct KeyLine: Encodable {
    let event = "key"
    let state: String
}
