import CTAP
import Encodings
import HybridProtocol
import HybridTransport
import PasskeyAuthenticator
import SecurityKey
import Synchronization

/// A phone over the hybrid transport: a linked one if one answers, otherwise one that scans a QR code.
final class HybridPhone: PhoneCeremony {
    /// The program's part: links, and a person who sees the QR code and the progress.
    struct Setup: Sendable {
        /// True if the phone that scans the QR code is offered to be linked.
        let offersLink: Bool
        /// Longest time for a linked phone to answer before a QR code is shown.
        var linkLimit = Duration.seconds(30)
        /// The links as they are now.
        let links: @Sendable () -> [SharedLink]
        /// Gets each event of a link.
        var noteLink: ClientLinking.Observer = { _ in }
        /// Gets the link by which a phone was reached.
        var noteUse: @Sendable (SharedLink) -> Void = { _ in }
        /// Shows a QR code where no linked phone answers; nil if none is shown.
        let show: (@Sendable (_ url: String) async throws -> Void)?
        /// Gets each stage of each ceremony.
        var observe: CeremonyObserver = { _ in }
        /// Called at the end of each ceremony.
        var ended: @Sendable () -> Void = {}
    }

    private let parts: CeremonyParts
    private let setup: Setup
    private let observe: @Sendable (PhoneKeyEvent) -> Void
    /// The last ceremony, which goes on after its answer: a phone sends its link when its user has decided about that.
    private let last = Mutex<Task<Void, Never>?>(nil)

    /// Makes the way to a phone. Nothing is sent.
    ///
    /// - Parameters:
    ///   - parts: the parts of the ceremonies.
    ///   - setup: the program's part.
    ///   - observe: gets the events of the key.
    init(_ parts: CeremonyParts, _ setup: Setup, observe: @escaping @Sendable (PhoneKeyEvent) -> Void) {
        self.parts = parts
        self.setup = setup
        self.observe = observe
    }

    func send(_ request: CTAPRequest) async throws(CTAPFailure) -> [UInt8] {
        do {
            let links = setup.links()
            if !links.isEmpty {
                do {
                    return try await ask(request, links)
                } catch let error as HybridTransportError where setup.show != nil && error.isOfNoPhone {
                    observe(.noLinkAnswered(reason: error.cause))
                }
            }
            guard setup.show != nil else {
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

    /// Ends the ceremony that runs, if one does: the program that asked is told that its user cancelled it.
    func cancel() { last.withLock { $0?.cancel() } }

    /// Runs a ceremony.
    ///
    /// - Parameter links: the links that are tried; none if a QR code is shown instead.
    private func ask(_ request: CTAPRequest, _ links: [SharedLink]) async throws -> [UInt8] {
        let offersLink = setup.offersLink && links.isEmpty
        await endLast()
        let (answers, feed) = AsyncThrowingStream<[UInt8], any Error>.makeStream()
        let ceremony = Task { [self] in
            do {
                try await run(request, links, offersLink: offersLink) { feed.yield($0) }
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
            if !offersLink { await ceremony.value }
            return bytes
        } onCancel: {
            ceremony.cancel()
        }
    }

    private func run(
        _ request: CTAPRequest, _ links: [SharedLink], offersLink: Bool,
        answered: @escaping @Sendable ([UInt8]) -> Void
    ) async throws {
        var parts = parts
        if setup.show != nil, !links.isEmpty {
            parts.limits.discovery = min(parts.limits.discovery, setup.linkLimit)
        }
        defer { setup.ended() }
        let linking = ClientLinking(links: links, isOffered: offersLink, observe: setup.noteLink)
        try await parts.client(observe: setup.observe).run(
            hint: request.command == .makeCredential ? .makeCredential : .getAssertion, timestamp: secondsSince1970(),
            linking: linking, show: links.isEmpty ? setup.show : nil
        ) { [setup] connection in
            // One that cannot be read lists nothing.
            let info = connection.firstMessage.getInfo.flatMap { try? GetInfoResponse(decoding: $0.span) }
            let fitting = request.fitting(info ?? GetInfoResponse(fields: [:]))
            let answer = try await connection.send(fitting.encoded())
            if let link = connection.link { setup.noteUse(link) }
            answered(answer)
        }
    }

    /// Ends a ceremony that still waits after its answer. There is one at a time.
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
