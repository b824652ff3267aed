internal import HybridProtocol

/// Tries the keys of the QR code and of the links on every advert that is received (HT-ADV-13), and passes on those
/// that carry a tag of ours, each once (HT-ADV-14).
actor AdvertWatcher {
    private var invited: AdvertKey?
    private let linked: [LinkedKey]
    private var seen: Set<[UInt8]> = []
    private var hasSeenAny = false
    private let context: CeremonyContext
    private let found: AsyncThrowingStream<Event, any Error>
    private let feed: AsyncThrowingStream<Event, any Error>.Continuation

    /// Number of adverts of our own session that are told apart: more than any honest set of devices sends.
    private static let seenLimit = 64

    /// An advert of this session, or the failure of a link.
    enum Event: Sendable {
        /// An advert that answers the QR code, rightly or wrongly.
        case invited(Result<NearbyAdvert, HybridProtocolError>)
        /// An advert that answers the contact request of a link.
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
    ///   - attempts: the links that are tried too.
    /// - Throws: ``HybridProtocolError``.
    init(_ invited: consuming AdvertKey?, _ attempts: [ContactAttempt], _ context: CeremonyContext) throws {
        linked = try attempts.map(LinkedKey.init)
        self.invited = invited
        self.context = context
        (found, feed) = AsyncThrowingStream.makeStream()
    }

    /// Takes adverts from the air until the radio ends or the task is cancelled.
    func watch(_ adverts: ReceivedAdverts) async {
        do {
            for try await advert in adverts {
                if let ours = event(for: advert) { feed.yield(ours) }
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
    nonisolated func next() async throws -> Event {
        for try await sighting in found { return sighting }
        throw CancellationError()
    }

    /// Lets ``next()`` throw, now and from now on.
    nonisolated func stop() { feed.finish() }

    /// Reports every further device that answers our QR code, rightly or wrongly, until the scan ends (HT-ADV-38).
    nonisolated func warnOfOthers() async {
        var others = found.makeAsyncIterator()
        // A radio that fails from here on has done its work.
        while let sighting = try? await others.next() {
            if case .invited = sighting { context.notice(.secondDevice) }
        }
    }

    private func event(for advert: ReceivedAdvert) -> Event? {
        if !hasSeenAny {
            hasSeenAny = true
            context.reached(.advertSeen, next: .advertOpened)
        }
        CeremonyLog.note(advert)
        guard let ours = opened(advert) else { return nil }
        CeremonyLog.noteOwnAdvert()
        let sealed = Array(advert.serviceData.prefix(AdvertKey.advertByteCount))
        guard seen.count < Self.seenLimit, seen.insert(sealed).inserted else { return nil }
        return ours
    }

    private func opened(_ advert: ReceivedAdvert) -> Event? {
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

    /// True if an advert that failed to decrypt carries our tag, and breaks the rules.
    private static func isOurs(_ error: HybridProtocolError) -> Bool {
        error.code != .badTag && error.code != .tooShort
    }
}

/// An advert that answers our QR code.
struct NearbyAdvert: Sendable {
    let plaintext: AdvertPlaintext
    /// The PSM at which its sender listens, by its own account. It is not authenticated.
    let psm: UInt16?
    /// The address of its sender, where the radio gives one.
    let sender: BluetoothAddress?
}
