internal import Edges
internal import HybridProtocol

/// Tries the session's key on every advert that is heard, and passes on those that open.
actor AdvertWatcher {
    private var key: AdvertKey
    private var known: Set<[UInt8]> = []
    private var hasSeenAny = false
    private let observe: CeremonyObserver
    private let opened: AsyncThrowingStream<OpenedAdvert, any Error>
    private let feed: AsyncThrowingStream<OpenedAdvert, any Error>.Continuation

    /// How many adverts of our own session are told apart: more than any honest set of devices sends.
    private static let memory = 64

    init(key: consuming AdvertKey, observe: @escaping CeremonyObserver) {
        self.key = key
        self.observe = observe
        (opened, feed) = AsyncThrowingStream.makeStream()
    }

    /// What is missing so far: any advert at all, or one of ours.
    var missingStage: Stage { hasSeenAny ? .advertOpened : .advertSeen }

    /// Takes adverts from the air until the radio ends or the task is cancelled.
    func watch(_ adverts: ReceivedAdverts) async {
        do {
            for try await advert in adverts {
                if let advert = try hear(advert) { feed.yield(advert) }
            }
            feed.finish(throwing: RadioError(.failed, reason: "the scan ended by itself"))
        } catch {
            feed.finish(throwing: error)
        }
    }

    /// The next advert of our session that was not there before.
    ///
    /// - Throws: ``RadioError``; ``HybridProtocolError`` for an advert that carries our tag and breaks the rules all the same.
    nonisolated func next() async throws -> OpenedAdvert {
        for try await advert in opened { return advert }
        throw CancellationError()
    }

    /// Tells of every further device that answers our QR code, until the scan ends.
    nonisolated func warnOfOthers() async {
        // A radio that fails from here on has done its work, and a broken advert is not the one that was chosen.
        while (try? await next()) != nil { observe(.notice(.secondDevice)) }
    }

    private func hear(_ advert: ReceivedAdvert) throws(HybridProtocolError) -> OpenedAdvert? {
        if !hasSeenAny {
            hasSeenAny = true
            observe(.stage(.advertSeen))
        }
        let opened: OpenedAdvert
        do {
            opened = try key.open(advert.serviceData.span)
        } catch {
            guard error.code == .badTag || error.code == .tooShort else { throw error }
            return nil
        }
        guard known.count < Self.memory, known.insert(opened.plaintext.bytes).inserted else { return nil }
        return opened
    }
}
