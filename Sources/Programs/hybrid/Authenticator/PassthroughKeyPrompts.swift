import CommandLine
import Cryptography
import DesktopAuthenticator
import KeyPassthrough
import LinuxSupport
import UserVerification

/// Asks for a passthrough key's PIN, and for its touch.
struct PassthroughKeyPrompts: PassthroughKeyQuestions {
    private static let what: Sentence = "the PIN of the security key"

    private let place: AskingPlace
    private let questions: any VerificationQuestions
    private let reporter: Reporter

    /// Makes one.
    ///
    /// - Parameters:
    ///   - place: place where the PIN is asked for.
    ///   - questions: shows the steps.
    init(at place: AskingPlace, _ questions: any VerificationQuestions, _ reporter: Reporter) {
        self.place = place
        self.questions = questions
        self.reporter = reporter
    }

    func pin(objection: Sentence?) async -> Result<KeyPIN, Approval.Refusal> {
        do {
            switch place {
            case .terminal:
                if let objection { reporter.say(objection) }
                return .success(KeyPIN(try PassphraseInput.ask(Self.what)))
            case .desktop(let dialogues):
                let typed = try await dialogues.passphrase(
                    DialogueWords(
                        title: "PIN",
                        description: "hybrid asks for: \(Self.what)", prompt: "PIN:", objection: objection),
                    within: PassphraseInput.windowLimit)
                return .success(KeyPIN(typed))
            }
        } catch let error as DialogueError {
            return .failure(error.refusal)
        } catch is CancellationError {
            return .failure(.cancelled)
        } catch {
            return .failure((error as? Failure)?.status == .declined ? .declined : .unavailable)
        }
    }

    func tell(_ step: PassthroughKeyStep?) async {
        switch step {
        case .touch: await questions.tell("touch the security key now, while it blinks")
        case .verify: await questions.tell("let the security key verify you now, for example by your finger")
        case nil: await questions.tell(nil)
        }
    }
}
