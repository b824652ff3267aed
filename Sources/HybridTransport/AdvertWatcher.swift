internal import Edges
internal import HybridProtocol

/// Tries the session's key on every advert that is heard, and passes on those that carry our tag, each once.
actor AdvertWatcher {
    private typealias Found = Result<NearbyAdvert, HybridProtocolError>

    private var key: AdvertKey
    private var known: Set<[UInt8]> = []
    private var hasSeenAny = false
    private let progress: Progress
    private let found: AsyncThrowingStream<Found, any Error>
    private let feed: AsyncThrowingStream<Found, any Error>.Continuation

    /// How many adverts of our own session are told apart: more than any honest set of devices sends.
    private static let memory = 64

    init(key: consuming AdvertKey, _ progress: Progress) {
        self.key = key
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

    /// The first advert of our session.
    ///
    /// - Throws: ``RadioError``; ``HybridProtocolError`` for an advert that carries our tag and breaks the rules all the same:
    ///   its sender holds our QR code, so to wait for another would only keep the person waiting.
    nonisolated func first() async throws -> NearbyAdvert {
        for try await advert in found { return try advert.get() }
        throw CancellationError()
    }

    /// Tells of every further device that answers our QR code, rightly or wrongly, until the scan ends.
    nonisolated func warnOfOthers() async {
        var others = found.makeAsyncIterator()
        // A radio that fails from here on has done its work.
        while (try? await others.next()) != nil { progress.notice(.secondDevice) }
    }

    private func hear(_ advert: ReceivedAdvert) -> Found? {
        if !hasSeenAny {
            hasSeenAny = true
            progress.reached(.advertSeen, next: .advertOpened)
        }
        let opened: Found
        do throws(HybridProtocolError) {
            let ours = try key.open(advert.serviceData.span)
            opened = .success(NearbyAdvert(plaintext: ours.plaintext, psm: ours.suffix.psm, sender: advert.address))
        } catch {
            guard error.code != .badTag, error.code != .tooShort else { return nil }
            opened = .failure(error)
        }
        let sealed = Array(advert.serviceData.prefix(AdvertKey.advertByteCount))
        guard known.count < Self.memory, known.insert(sealed).inserted else { return nil }
        return opened
    }
}

/// An advert of our session.
struct NearbyAdvert: Sendable {
    let plaintext: AdvertPlaintext
    /// Where its sender says that it can be reached without a tunnel. Anybody can have put it there.
    let psm: UInt16?
    /// Who sent it, where the radio tells.
    let sender: BluetoothAddress?
}
