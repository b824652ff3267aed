import CommandLine
import DesktopAuthenticator
import HybridTransport
import KeyPassthrough
import LinuxSupport
import UserVerification

/// Makes an authenticator of a security key that is plugged in, before anything is sent.
struct PassthroughKeySetup {
    let place: SecurityKeyPlace
    /// Place where the user is asked.
    let asking: AskingPlace
    /// The questions and notices there.
    let questions: any VerificationQuestions
    /// The longest time for a touch.
    let timeout: Duration
    let log: SessionLog
    let reporter: Reporter

    /// Finds the key, and asks it what it can do.
    ///
    /// - Throws: ``Failure``; ``KeyPassthroughError``.
    func key() async throws -> PassthroughKey {
        let key = LibraryKey(at: try await path(), within: timeout)
        let information: KeyInformation
        do throws(KeyFailure) {
            information = try await key.information()
        } catch {
            guard error != .cancelled else { throw CancellationError() }
            throw KeyPassthroughError(error)
        }
        let approval: any UserApproval
        do { approval = try questions.approval() } catch let failure as Failure {
            throw Failure.usage(failure.cause, hint: "run this in a terminal; on a desktop, install hybrid-desktop")
        }
        reporter.say("the security key at \(key.path) is passed through, for one session")
        if !information.canVerify {
            reporter.warn(
                "security-key-without-pin",
                "the key has no PIN, so nobody is verified, and most browsers will not use it; "
                    + "fido2-token -S \(key.path) sets one",
                role: .authenticator)
        }
        return PassthroughKey(
            key, information, approval: approval, questions: PassthroughKeyPrompts(at: asking, questions, reporter),
            observer: { [log] in log.note($0) }, report: { [log] in log.note($0) })
    }

    /// The path of the key. One of several is chosen by its touch, as elsewhere.
    private func path() async throws -> String {
        do throws(KeyPassthroughError) {
            return try KeyList.choose(place.path)
        } catch {
            guard error.code == .severalKeys else { throw error }
            let paths = try KeyList.entries().map(\.path)
            await questions.tell("touch the security key to use, while they all blink")
            let touched: String?
            do throws(KeyFailure) {
                touched = try await KeyTouch.choose(among: paths, within: timeout)
            } catch {
                guard error != .cancelled else { throw CancellationError() }
                throw KeyPassthroughError(error)
            }
            await questions.tell(nil)
            guard let touched else { throw error }
            return touched
        }
    }
}
