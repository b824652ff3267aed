internal import HybridTransport
package import PasskeyExchange
internal import UserVerification

/// The question of a hand-over, which each of the two people is asked, and verified for.
struct HandOverQuestion {
    let operation: ApprovalQuestion.Operation
    /// The peer's name, as it gave it.
    let peer: String
    let passkeys: [HandOverOffer.Passkey]
    /// The passkeys in transit that are settled; at the receiver none: it does not know them.
    var inTransit: [ApprovalQuestion.InTransit] = []

    /// The question as it is shown, with each passkey.
    var question: ApprovalQuestion {
        ApprovalQuestion(
            operation: operation, rpID: "", rpName: peer, requiresVerification: true,
            details: passkeys.map(\.text), inTransit: inTransit)
    }

    /// Asks the user, and stops the hand-over for everything but a yes with a verification.
    ///
    /// - Throws: ``HandOverFailure`` `declined` or `not-verified`; the errors of ``HandOverConnection/whileOpen(_:)``.
    func ask(_ approval: any UserApproval, on connection: HandOverConnection) async throws {
        let question = question
        let refusal = try await connection.whileOpen { () -> Approval.Refusal? in
            do throws(Approval.Refusal) {
                return try await approval.ask(question).isVerified(for: question) ? nil : .failed
            } catch {
                return error
            }
        }
        if let refusal { throw try await Self.failure(refusal, on: connection) }
    }

    /// Stops the hand-over for an answer that is not a yes.
    ///
    /// - Returns: the failure.
    /// - Throws: `CancellationError`.
    static func failure(
        _ refusal: Approval.Refusal, on connection: HandOverConnection
    ) async throws -> HandOverFailure {
        guard refusal != .cancelled else { throw CancellationError() }
        await connection.stop(refusal == .timedOut ? .timedOut : .declined)
        return switch refusal {
        case .timedOut: HandOverFailure(.declined, reason: "nobody answered in time")
        case .declined, .cancelled: HandOverFailure(.declined, reason: "it was refused here")
        case .failed, .blocked, .notEnrolled, .unavailable:
            HandOverFailure(.notVerified, reason: "you were not verified")
        }
    }
}

extension HandOverOffer.Passkey {
    /// The site and the account, in one line. They are the peer's text.
    package var text: String {
        let user = [userName, userDisplayName].compactMap(\.self).first { !$0.isEmpty }
        return user.map { "\(rpID), \($0)" } ?? rpID
    }
}
