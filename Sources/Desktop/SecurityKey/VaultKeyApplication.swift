package import CTAP
package import PasskeyAuthenticator
internal import Synchronization
package import UserVerification

/// Passkeys of this machine behind a security key: the authenticator as it is everywhere, reached by USB.
///
/// While the user is asked, keep-alives say that the key waits for a touch. The account is chosen here.
package final class VaultKeyApplication: SecurityKeyApplication {
    private let authenticator: PasskeyAuthenticator
    private let status: CurrentStatus

    /// Makes one.
    ///
    /// - Parameters:
    ///   - store: keeps the passkeys.
    ///   - approval: asks the user.
    ///   - observer: gets the authenticator's events.
    package init(
        store: any CredentialStore, approval: any UserApproval,
        observer: @escaping @Sendable (PasskeyAuthenticatorEvent) -> Void = { _ in }
    ) {
        let status = CurrentStatus()
        self.status = status
        authenticator = PasskeyAuthenticator(
            store: store, approval: AnnouncedApproval(approval: approval, status: status), transport: .usb,
            observer: observer)
    }

    package func respond(
        to request: [UInt8], status: @escaping @Sendable (CTAPHIDKeepAliveStatus) -> Void
    ) async -> [UInt8] {
        self.status.report.withLock { $0 = status }
        defer { self.status.report.withLock { $0 = nil } }
        return await authenticator.respond(to: request)
    }
}

/// The status of the request that is being answered.
private final class CurrentStatus: Sendable {
    let report = Mutex<(@Sendable (CTAPHIDKeepAliveStatus) -> Void)?>(nil)

    func tell(_ status: CTAPHIDKeepAliveStatus) { report.withLock { $0 }?(status) }
}

/// Tells the programs that use the key that the user is being asked.
private struct AnnouncedApproval: UserApproval {
    let approval: any UserApproval
    let status: CurrentStatus

    var canVerify: Bool { approval.canVerify }

    func ask(_ question: ApprovalQuestion) async -> Approval {
        status.tell(.userPresenceNeeded)
        defer { status.tell(.processing) }
        return await approval.ask(question)
    }
}
