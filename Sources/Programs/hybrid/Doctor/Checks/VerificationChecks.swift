import DesktopAuthenticator
import LinuxSupport
import SystemPackage
import UserVerification
import Vault

/// The checks of the ways to verify the user, and of the place of the passkeys.
struct VerificationChecks: Sendable {
    /// Shorter than a check's own limit: a hang is reported once, as such.
    private static let limit = Duration.seconds(12)
    private static let waysOfNoUse: Set<VerificationError.Code> = [.noService, .noDevice]

    private let vaultPath: String?
    private let finger: Shared<VerificationError?>
    private let polkit: Shared<VerificationError?>
    private let vault: Shared<Result<Vault.Summary?, VaultError>>
    private let keyring: Shared<SecretService.State>

    init(_ setup: DoctorSetup) {
        let path = setup.vault
        vaultPath = path
        finger = Shared { await Self.obstacle(FingerprintVerifier(timeout: Self.limit) { _ in }) }
        polkit = Shared { await Self.obstacle(PolkitVerifier(timeout: Self.limit)) }
        vault = Shared {
            guard let path else { return .failure(VaultError(.noDirectory, reason: "there is no directory for one")) }
            do throws(VaultError) { return .success(try Vault.summary(at: path)) } catch { return .failure(error) }
        }
        keyring = Shared { await SecretService.state() }
    }

    /// The reason why a way of verification cannot be used; nil if it can. The user is not asked.
    private static func obstacle(_ verifier: any Verifier) async -> VerificationError? {
        let outcome = await within(limit) { () -> VerificationError? in
            do throws(VerificationError) {
                try await verifier.checkSetUp()
                return nil
            } catch {
                return error
            }
        }
        return outcome ?? VerificationError(.timeout, reason: "no answer in time")
    }

    var checks: [Check] {
        [
            Check(.fingerprint, for: [.authenticator]) {
                guard let error = await finger.value else { return .fine(.fingerEnrolled) }
                return Self.result(error)
            },
            Check(.polkit, for: [.authenticator]) {
                guard let error = await polkit.value else { return .fine(.polkitAsks) }
                return Self.result(error)
            },
            Check(.polkitAgent, for: [.authenticator]) {
                // polkit lists no agents, and a question would show its dialogue.
                await polkit.value == nil ? .notChecked(.agentUnknown) : .notChecked(.dependsOn(.polkit))
            },
            Check(.keyring, for: [.authenticator], examineKeyring),
            Check(.vault, for: [.authenticator], examineVault),
            Check(.verification, for: [.authenticator], summary),
        ]
    }

    /// The result for a way that is not the only one.
    private static func result(_ error: VerificationError) -> CheckResult {
        let observation = CheckObservation.verification(error.code)
        return waysOfNoUse.contains(error.code)
            ? .notChecked(observation) : .warning(observation, .verificationSetUp(error.code))
    }

    @Sendable private func examineKeyring() async -> CheckResult {
        let state = await keyring.value
        let observation = CheckObservation.keyring(state)
        let isNeeded = (try? await vault.value.get())?.map { $0.hasKeyring && !$0.hasPassphrase } ?? false
        let remedy: Remedy
        switch state {
        case .unlocked, .startable: return .fine(observation)
        case .locked: return .warning(observation, .unlockKeyring)
        case .noDefault: remedy = .makeDefaultKeyring
        case .noBus: remedy = .useDesktopSession
        case .absent, .failed: remedy = .startKeyring
        }
        // A vault with a passphrase needs none.
        return isNeeded ? .broken(observation, remedy) : .notChecked(observation)
    }

    @Sendable private func examineVault() async -> CheckResult {
        switch await vault.value {
        case .failure(let error): return .broken(.vaultFailed(error.code), .vault(error.code))
        case .success(let summary):
            guard !isFolderOpen else { return .broken(.vaultFolderOpen, .closeFolder) }
            guard let summary else { return .fine(.noVaultYet) }
            return .fine(.vault(passphrase: summary.hasPassphrase, keyring: summary.hasKeyring))
        }
    }

    /// True if others may put another file in the vault's place.
    private var isFolderOpen: Bool {
        guard let vaultPath else { return false }
        let folder = FilePath(vaultPath).removingLastComponent()
        // A folder that is not there yet will be made for its owner alone.
        guard let status = try? FilePath(folder.isEmpty ? "." : folder.string).stat() else { return false }
        return !status.permissions.isDisjoint(with: [.groupWrite, .otherWrite])
            && !status.permissions.contains(.saveText)
    }

    @Sendable private func summary() async -> CheckResult {
        var methods: [VerificationMethod] = []
        if await finger.value == nil { methods.append(.fprintd) }
        if await polkit.value == nil { methods.append(.polkit) }
        // The first passkey makes a vault with a passphrase.
        if case .success(let summary) = await vault.value, summary?.hasPassphrase ?? true {
            methods.append(.passphrase)
        }
        return methods.isEmpty ? .broken(.nothingVerifies, .setUpVerification) : .fine(.verifiedBy(methods))
    }
}
