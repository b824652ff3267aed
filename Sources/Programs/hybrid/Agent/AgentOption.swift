import ArgumentParser
import CommandLine
import DesktopAuthenticator
import LinuxSupport
import Vault

/// The option of commands that use the agent if there is one.
struct AgentOption: ParsableArguments {
    @Flag(help: .saying("Open the vault here, even if the agent holds it open."))
    var noAgent = false

    /// The passkeys of a vault, those in use first: from the agent if it holds that vault open, otherwise from the
    /// vault, which is opened here.
    ///
    /// - Throws: ``VaultError``; ``Failure``; `CancellationError`.
    func passkeys(of options: VaultOptions, _ reporter: Reporter) async throws -> [PasskeyMetadata] {
        // Who gives a passphrase wants it to be used.
        if !noAgent, options.passphraseFile == nil, let passkeys = try await held(options.path(), reporter) {
            return passkeys
        }
        let vault = try await options.open(for: .reading, reporter)
        let passkeys = try await PasskeyMetadata.all(of: vault)
        await vault.close()
        return passkeys
    }

    /// The passkeys of a vault that the agent holds open; nil if none does.
    private func held(_ path: String, _ reporter: Reporter) async throws -> [PasskeyMetadata]? {
        let cause: Sentence
        do {
            return try await AgentClient.ifRunning { agent -> [PasskeyMetadata]? in
                guard agent.status.isUnlocked, agent.status.vault == AgentService.resolved(path) else { return nil }
                return try await agent.passkeys()
            } ?? nil
        } catch let failure as AgentFailure {
            // It may have been locked just now.
            guard failure.code != AgentRefusal.Code.locked.rawValue else { return nil }
            cause = Sentence(reason: failure.cause)
        } catch let refusal as AgentRefusal {
            cause = Sentence(reason: refusal.reason)
        } catch let error as DBusError {
            guard error.code != .cancelled else { throw CancellationError() }
            cause = Sentence(reason: error.reason)
        }
        reporter.say("the agent is not used: \(cause)")
        return nil
    }
}
