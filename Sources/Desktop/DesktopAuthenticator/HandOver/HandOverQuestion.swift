internal import HybridTransport
package import PasskeyExchange
internal import UserVerification

/// The question of a hand-over, which each of the two people is asked, and verified for.
struct HandOverQuestion {
    let operation: ApprovalQuestion.Operation
    /// The peer's name, as it gave it.
    let peer: String
    let code: ComparisonCode
    let passkeys: [HandOverOffer.Passkey]
    /// The number of passkeys in transit that are settled.
    let inTransitCount: Int

    /// The question as it is shown: the number to compare, then each passkey.
    var question: ApprovalQuestion {
        ApprovalQuestion(
            operation: operation, rpID: "", rpName: peer, requiresVerification: true,
            details: [code.grouped] + passkeys.map(\.text)
                + (inTransitCount > 0 ? ["\(inTransitCount) in transit since an earlier hand-over"] : []))
    }

    /// Asks the user, and stops the hand-over for everything but a yes with a verification.
    ///
    /// - Throws: ``HandOverFailure`` `declined` or `not-verified`; what ``HandOverConnection/whileOpen(_:)`` throws.
    func ask(_ approval: any UserApproval, on connection: HandOverConnection) async throws {
        let question = question
        let refusal = try await connection.whileOpen { () -> Approval.Refusal? in
            do throws(Approval.Refusal) {
                return try await approval.ask(question).isVerified(for: question) ? nil : .failed
            } catch {
                return error
            }
        }
        switch refusal {
        case nil: return
        case .cancelled: throw CancellationError()
        case .timedOut:
            await connection.stop(.timedOut)
            throw HandOverFailure(.declined, "nobody answered in time")
        case .declined:
            await connection.stop(.declined)
            throw HandOverFailure(.declined, "it was refused here")
        case .failed, .blocked, .notEnrolled, .unavailable:
            await connection.stop(.declined)
            throw HandOverFailure(.notVerified, "you were not verified")
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
