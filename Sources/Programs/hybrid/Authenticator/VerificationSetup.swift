import CommandLine
import DesktopAuthenticator
import HybridTransport
import LinuxSupport
import UserVerification

/// Makes the way in which the user is asked and verified, before anything is sent.
struct VerificationSetup {
    private static let presenceHint: Sentence = """
        ; or give --presence-only, which most browsers do not accept
        """

    /// The passkeys that the user is verified for.
    struct Subject {
        /// The vault that they are in; nil if they are in none, or not opened.
        let vault: String?
        /// True if a vault that does not exist yet gets a key in the keyring, and no passphrase.
        var isNewWithKeyring = false
        /// The file of passkeys that are in no vault.
        var store: String?
        /// False if no passkeys are opened: then there is nothing to be verified for.
        var isOpened = true
        /// True if everything is approved, and nobody is asked: in labs.
        var asksNobody = false

        /// The file that counts failed verifications, beside the passkeys; nil where they are not in a file.
        var retriesPath: String? { isOpened ? (store ?? vault).map { $0 + ".uv-retries" } : nil }
    }

    let option: VerificationOption
    let subject: Subject
    /// The questions besides the verifier's.
    let questions: any VerificationQuestions
    let timeout: Duration
    /// The passphrase that opens the vault in this run.
    let typed: TypedPassphrase
    let reporter: Reporter
    let observe: EventListener
    /// False if nothing is done without a verification.
    var mayOnlyAsk = true
    /// Is told why the user was not verified.
    let report: @Sendable (VerificationError) -> Void

    /// The way in which the user is asked and verified, and is told of it.
    struct Choice {
        let approval: any UserApproval
        /// The method, if it was chosen here.
        var method: VerificationMethod?

        /// Tells the user how the verification will be done.
        func announce(_ reporter: Reporter) {
            if let method { reporter.say("you are verified by \(method.text)") }
        }
    }

    /// The way in which the user is asked and verified, which the user is told.
    ///
    /// - Throws: as ``choice()``.
    func approval() async throws -> any UserApproval {
        let choice = try await choice()
        choice.announce(reporter)
        return choice.approval
    }

    /// Chooses how the user is asked and verified: by a method that is set up, or not at all.
    ///
    /// - Throws: ``Failure``; ``AgentError``; ``VaultError``.
    func choice() async throws -> Choice {
        if subject.asksNobody { return Choice(approval: lab()) }
        guard !option.presenceOnly else {
            let asking = try questions.approval()
            reporter.warn(
                "presence-only", "the user is not verified: most browsers do not accept that", role: .authenticator)
            return Choice(approval: asking)
        }
        let retries = VerificationRetries(path: subject.retriesPath)
        if let method = option.verify {
            let verifier = try verifier(method, retries)
            do throws(VerificationError) {
                try await verifier.checkSetUp()
            } catch {
                throw Failure(
                    .usage, error, hint: Remedy.verification(error.code).text)
            }
            return Choice(approval: try verified(by: verifier))
        }
        var obstacles: [Sentence] = []
        for method in VerificationMethod.allCases where isUsual(method) {
            do {
                let verifier = try verifier(method, retries)
                try await verifier.checkSetUp()
                return Choice(approval: try verified(by: verifier), method: method)
            } catch let error as VerificationError {
                guard error.code != .cancelled else { throw CancellationError() }
                // Some of the reasons begin with the name of the service.
                let reason = Sentence(reason: error.reason)
                obstacles.append(error.reason.hasPrefix("\(method): ") ? reason : "\(method): \(reason)")
            } catch let error as AgentError {
                obstacles.append("\(method): \(error.cause)")
            } catch let failure as Failure where (try? questions.approval()) == nil {
                obstacles.append("\(method): \(failure.cause)")
            }
        }
        guard subject.isOpened else { return Choice(approval: try questions.approval()) }
        throw Failure(
            .usage, code: "no-verification",
            cause: "no method is set up to verify you (\(obstacles.joined("; ")))",
            hint: mayOnlyAsk
                ? "\(Remedy.setUpAnyVerification.text)\(Self.presenceHint)" : Remedy.setUpAnyVerification.text)
    }

    /// True if a method is tried when none was chosen: not polkit's dialogue where there is a terminal and no desktop.
    private func isUsual(_ method: VerificationMethod) -> Bool {
        method != .polkit || DesktopApproval.hasDisplay || !StandardStreams.hasControllingTerminal
    }

    private func lab() -> any UserApproval {
        reporter.warn("asks-nobody", "--yes approves everything and asks nobody", role: .authenticator)
        let verifier = LabVerifier { [reporter] in
            reporter.warn("nobody-verified", "--yes: approved, and nobody was asked or verified", role: .authenticator)
        }
        return VerifiedApproval(asking: AutomaticApproval(claimsVerification: false), verifier: verifier)
    }

    private func verified(by verifier: any Verifier) throws -> any UserApproval {
        let asking: any UserApproval
        do { asking = try questions.approval() } catch {
            // The verifier shows the question, but offers no choice of an account.
            guard verifier.showsQuestion else { throw error }
            asking = TerminalApproval(timeout: timeout)
        }
        return VerifiedApproval(asking: asking, verifier: verifier, report: report)
    }

    private func verifier(_ method: VerificationMethod, _ retries: VerificationRetries) throws -> any Verifier {
        switch method {
        case .polkit: return PolkitVerifier(timeout: timeout, retries: retries)
        case .fprintd:
            _ = try questions.approval()
            return FingerprintVerifier(timeout: timeout, retries: retries) { [questions] in
                await questions.tell($0.text)
            }
        case .passphrase:
            let verifier = try PassphraseVerifier(
                vault: subject.vault, isNewWithKeyring: subject.isNewWithKeyring, recent: typed, retries: retries,
                timeout: timeout, observe: observe
            ) { [questions] in
                do {
                    return try await questions.passphraseToApprove()
                } catch let failure as Failure {
                    throw VerificationError(
                        failure.status == .declined ? .declined : .serviceFailed, reason: failure.cause.english)
                } catch let error as DialogueError {
                    throw error.verificationError
                }
            }
            _ = try questions.approval()
            return verifier
        }
    }
}

extension FingerprintVerifier.Notice {
    /// The next step of the user, in words; nil for none.
    fileprivate var text: Sentence? {
        switch self {
        case .touch: "touch the fingerprint reader, or swipe over it"
        case .again("verify-swipe-too-short"): "the swipe was too short; once more"
        case .again("verify-finger-not-centered"): "put the finger in the middle of the reader, once more"
        case .again("verify-remove-and-retry"): "lift the finger, and touch the reader once more"
        case .again("verify-too-fast"): "that was too fast; once more"
        case .again: "the reader did not see the finger well; once more"
        case .noMatch(attemptsLeft: 0): "that finger is not one of yours"
        case .noMatch(let left):
            Sentence(
                count: left, one: "that finger is not one of yours; touch the reader again (\(left) more attempt)",
                other: "that finger is not one of yours; touch the reader again (\(left) more attempts)")
        case .over: nil
        }
    }
}
