package import CTAP
internal import Encodings
package import HybridProtocol
package import HybridTransport
package import PasskeyAuthenticator
internal import Synchronization

/// A phone over the hybrid transport: a linked one if one answers, otherwise one that scans a QR code.
package final class HybridPhone: PhoneCeremony {
    /// A ceremony to run.
    package struct Attempt: Sendable {
        /// The kind of request.
        package let hint: RequestHint
        /// The links that are tried; none if a QR code is shown instead.
        package let links: [SharedLink]
        /// True if the phone that scans the QR code is offered to be linked.
        package let offersLink: Bool
        /// Longest time for the phone to answer; nil for the usual one.
        package let discovery: Duration?
    }

    /// The parts that the program has chosen.
    package struct Setup: Sendable {
        /// Sends the request, once there is a connection.
        package typealias Session = @Sendable (ClientConnection) async throws -> [UInt8]

        /// True if a QR code is shown where no linked phone answers.
        package var showsCode: Bool
        /// True if the phone that scans the QR code is offered to be linked.
        package var offersLink: Bool
        /// Longest time for a linked phone to answer before a QR code is shown.
        package var linkLimit: Duration
        /// The links.
        package var links: @Sendable () -> [SharedLink]
        /// Gets the link by which a phone was reached.
        package var noteUse: @Sendable (SharedLink) -> Void
        /// Runs a ceremony.
        package var run: @Sendable (Attempt, @escaping Session) async throws -> [UInt8]

        package init(
            showsCode: Bool, offersLink: Bool, linkLimit: Duration = .seconds(30),
            links: @escaping @Sendable () -> [SharedLink],
            noteUse: @escaping @Sendable (SharedLink) -> Void,
            run: @escaping @Sendable (Attempt, @escaping Session) async throws -> [UInt8]
        ) {
            self.showsCode = showsCode
            self.offersLink = offersLink
            self.linkLimit = linkLimit
            self.links = links
            self.noteUse = noteUse
            self.run = run
        }
    }

    private let setup: Setup
    private let observe: @Sendable (PhoneKeyEvent) -> Void
    /// The last ceremony, which goes on after its answer: a phone sends its link when its user has decided about that.
    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Makes the way to a phone. Nothing is sent.
    package init(_ setup: Setup, observe: @escaping @Sendable (PhoneKeyEvent) -> Void) {
        self.setup = setup
        self.observe = observe
    }

    package func send(_ request: CTAPRequest) async throws(CTAPFailure) -> [UInt8] {
        do {
            let links = setup.links()
            if !links.isEmpty {
                do {
                    return try await ask(request, links)
                } catch let error as HybridTransportError where setup.showsCode && error.isOfNoPhone {
                    observe(.noLinkAnswered(reason: error.cause))
                }
            }
            guard setup.showsCode else {
                throw CTAPFailure(.other, "no phone is linked, and no QR code may be shown")
            }
            return try await ask(request, [])
        } catch let error as CTAPFailure {
            throw error
        } catch let error as HybridTransportError {
            throw CTAPFailure(error)
        } catch {
            throw CTAPFailure(.other, "the phone could not be asked: \(type(of: error))")
        }
    }

    private func ask(_ request: CTAPRequest, _ links: [SharedLink]) async throws -> [UInt8] {
        let attempt = Attempt(
            hint: request.command == .makeCredential ? .makeCredential : .getAssertion, links: links,
            offersLink: setup.offersLink && links.isEmpty,
            discovery: setup.showsCode && !links.isEmpty ? setup.linkLimit : nil)
        await endLast()
        let (answers, feed) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let ceremony = Task { [setup] in
            do {
                _ = try await setup.run(attempt) { connection in
                    // One that cannot be read lists nothing.
                    let info = connection.firstMessage.getInfo.flatMap { try? GetInfoResponse(decoding: $0.span) }
                    let fitting = request.fitting(info ?? GetInfoResponse(fields: [:]))
                    let answer = try await connection.send(fitting.encoded())
                    if let link = connection.link { setup.noteUse(link) }
                    feed.yield(answer)
                    return answer
                }
                feed.finish()
            } catch {
                feed.finish(throwing: error)
            }
        }
        last.withLock { $0 = ceremony }
        return try await withTaskCancellationHandler {
            // In a task of its own: a cancelled one's iteration ends at once, and how the ceremony ended is wanted.
            let answer = Task {
                for try await answer in answers { return answer }
                throw CancellationError()
            }
            let bytes = try await answer.value
            // Only a link is worth a wait after the answer; otherwise the phone is free again when the program asks
            // next.
            if !attempt.offersLink { await ceremony.value }
            return bytes
        } onCancel: {
            ceremony.cancel()
        }
    }

    /// Ends what a ceremony still waits for after its answer. There is one at a time.
    private func endLast() async {
        guard let ceremony = last.withLock({ $0.take() }) else { return }
        ceremony.cancel()
        await ceremony.value
    }
}

extension HybridTransportError {
    /// True if no phone has answered, so that another way is worth a try.
    fileprivate var isOfNoPhone: Bool {
        let early: Set<Stage> = [.advertSeen, .advertOpened, .tunnelJoined, .channelOpened, .handshaken]
        return early.contains(stage) && ![.cancelled, .radio, .internalFailure].contains(code)
    }
}

extension CTAPFailure {
    fileprivate init(_ error: HybridTransportError) {
        let status: CTAPStatus =
            switch error.code {
            case .cancelled: .keepaliveCancel
            case .timeout: .userActionTimeout
            // A phone whose user declines leaves.
            case .peerClosed where error.stage == .commandAnswered: .operationDenied
            default: .other
            }
        self.init(status, error.description)
    }
}
