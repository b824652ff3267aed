internal import Edges
internal import HybridProtocol

/// Tries the keys of the QR code and of the links on every advert that is heard, and passes on those that carry a tag of ours, each
/// once.
actor AdvertWatcher {
    private var invited: AdvertKey?
    private let linked: [LinkedKey]
    private var known: Set<[UInt8]> = []
    private var hasSeenAny = false
    private let progress: Progress
    private let found: AsyncThrowingStream<Sighting, any Error>
    private let feed: AsyncThrowingStream<Sighting, any Error>.Continuation

    /// How many adverts of our own session are told apart: more than any honest set of devices sends.
    private static let memory = 64

    /// An advert of ours, or that there will be none.
    enum Sighting: Sendable {
        /// It answers the QR code, rightly or wrongly.
        case invited(Result<NearbyAdvert, HybridProtocolError>)
        /// It answers the contact request of a link.
        case linked(ContactAttempt, Result<LinkedAdvertPlaintext, HybridProtocolError>)
        /// The contact request of a link has come to nothing.
        case failed(ContactAttempt, any Error)
    }

    private final class LinkedKey {
        let attempt: ContactAttempt
        var key: AdvertKey

        init(_ attempt: ContactAttempt) throws {
            self.attempt = attempt
            key = try attempt.advertKey()
        }
    }

    /// - Parameters:
    ///   - invited: the key of the QR code; nil if there is none.
    ///   - attempts: whose keys are tried too.
    /// - Throws: ``HybridProtocolError``.
    init(_ invited: consuming AdvertKey?, _ attempts: [ContactAttempt], _ progress: Progress) throws {
        linked = try attempts.map(LinkedKey.init)
        self.invited = invited
        self.progress = progress
        (found, feed) = AsyncThrowingStream.makeStream()
    }

    /// Takes adverts from the air until the radio ends or the task is cancelled.
    func watch(_ adverts: ReceivedAdverts) async {
        do {
            for try await advert in adverts {
                if let ours = hear(advert) { feed.yield(ours) }
            }
            try Task.checkCancellation()
            feed.finish(throwing: RadioError(.failed, reason: "the scan ended by itself"))
        } catch {
            feed.finish(throwing: error)
        }
    }

    /// Passes on that an attempt has failed.
    nonisolated func note(_ error: any Error, of attempt: ContactAttempt) { feed.yield(.failed(attempt, error)) }

    /// The next advert of ours, or failure.
    ///
    /// - Throws: ``RadioError``; `CancellationError`.
    nonisolated func next() async throws -> Sighting {
        for try await sighting in found { return sighting }
        throw CancellationError()
    }

    /// Tells of every further device that answers our QR code, rightly or wrongly, until the scan ends.
    nonisolated func warnOfOthers() async {
        var others = found.makeAsyncIterator()
        // A radio that fails from here on has done its work.
        while let sighting = try? await others.next() {
            if case .invited = sighting { progress.notice(.secondDevice) }
        }
    }

    private func hear(_ advert: ReceivedAdvert) -> Sighting? {
        if !hasSeenAny {
            hasSeenAny = true
            progress.reached(.advertSeen, next: .advertOpened)
        }
        guard let ours = opened(advert) else { return nil }
        let sealed = Array(advert.serviceData.prefix(AdvertKey.advertByteCount))
        guard known.count < Self.memory, known.insert(sealed).inserted else { return nil }
        return ours
    }

    private func opened(_ advert: ReceivedAdvert) -> Sighting? {
        if let result = openInvited(advert) { return .invited(result) }
        for link in linked {
            do throws(HybridProtocolError) {
                return .linked(link.attempt, .success(try link.key.openLinked(advert.serviceData.span)))
            } catch {
                if Self.isOurs(error) { return .linked(link.attempt, .failure(error)) }
            }
        }
        return nil
    }

    private func openInvited(_ advert: ReceivedAdvert) -> Result<NearbyAdvert, HybridProtocolError>? {
        do throws(HybridProtocolError) {
            guard let ours = try invited?.open(advert.serviceData.span) else { return nil }
            return .success(NearbyAdvert(plaintext: ours.plaintext, psm: ours.suffix.psm, sender: advert.address))
        } catch {
            return Self.isOurs(error) ? .failure(error) : nil
        }
    }

    /// Whether an advert that failed to open carries our tag and breaks the rules all the same.
    private static func isOurs(_ error: HybridProtocolError) -> Bool {
        error.code != .badTag && error.code != .tooShort
    }
}

/// An advert that answers our QR code.
struct NearbyAdvert: Sendable {
    let plaintext: AdvertPlaintext
    /// Where its sender says that it can be reached without a tunnel. Anybody can have put it there.
    let psm: UInt16?
    /// Who sent it, where the radio tells.
    let sender: BluetoothAddress?
}
