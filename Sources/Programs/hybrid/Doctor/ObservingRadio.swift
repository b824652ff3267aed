import CommandLine
import Encodings
import HybridProtocol
import HybridTransport
import Synchronization

/// A radio that passes adverts on, and notes when they came: for the observations of a phone in a ceremony.
struct ObservingRadio: Radio {
    let radio: any Radio
    let notes: DeviceNotes

    func scanner() throws(RadioError) -> any AdvertScanner { Scanner(scanner: try radio.scanner(), notes: notes) }
    func advertiser() throws(RadioError) -> any Advertiser { try radio.advertiser() }
    func channels() throws(RadioError) -> any NearbyConnector & NearbyListener { try radio.channels() }

    private struct Scanner: AdvertScanner {
        let scanner: any AdvertScanner
        let notes: DeviceNotes

        func scan<Value: Sendable>(
            _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Value
        ) async throws -> Value {
            try await scanner.scan { [notes] adverts in
                let (noted, feed) = ReceivedAdverts.makeStream(bufferingPolicy: .bufferingNewest(64))
                let passing = Task {
                    do {
                        for try await advert in adverts {
                            notes.note(advert)
                            feed.yield(advert)
                        }
                        feed.finish()
                    } catch { feed.finish(throwing: error) }
                }
                defer { passing.cancel() }
                return try await body(noted)
            }
        }
    }
}

/// Notes of one ceremony: adverts, the code, and the phone's first message.
final class DeviceNotes: Sendable {
    /// Adverts that are kept: those of a crowd in three minutes are more, and its own come again and again.
    private static let limit = 4_096

    private struct State {
        var adverts: [(service: UInt16, data: [UInt8], at: ContinuousClock.Instant)] = []
        var code: String?
        var first: FirstMessage?
    }

    private let state = Mutex(State())

    func note(_ advert: ReceivedAdvert) {
        state.withLock { state in
            guard state.adverts.count < Self.limit else { return }
            state.adverts.append((advert.service.rawValue, advert.serviceData, .now))
        }
    }

    func note(code: String) { state.withLock { $0.code = code } }

    func note(_ first: FirstMessage) { state.withLock { $0.first = first } }

    /// The observations; nil if no phone came so far that it said what it is.
    func device() -> ObservedDevice? {
        let (adverts, code, first) = state.withLock { ($0.adverts, $0.code, $0.first) }
        guard let first, let code, let invitation = try? Invitation(url: code) else { return nil }
        let getInfo = first.getInfo ?? []
        let info = (try? CBORValue.decodeLenient(getInfo.span).mapValue) ?? CBORMap()
        return ObservedDevice(
            advert: Self.advert(adverts, invitation), offeredNearby: invitation.details.channels.contains(.ble),
            getInfo: info,
            features: first.features.map(\.rawValue))
    }

    /// The phone's own among the adverts, and their interval.
    private static func advert(
        _ adverts: [(service: UInt16, data: [UInt8], at: ContinuousClock.Instant)], _ invitation: borrowing Invitation
    ) -> ObservedDevice.Advert? {
        guard var key = try? invitation.advertKey() else { return nil }
        var found: (service: UInt16, data: [UInt8], plaintext: AdvertPlaintext)?
        var times: [ContinuousClock.Instant] = []
        for advert in adverts {
            let data = advert.data
            if let first = found {
                if data == first.data { times.append(advert.at) }
            } else if let opened = try? key.open(data.span) {
                found = (advert.service, data, opened.plaintext)
                times = [advert.at]
            }
        }
        guard let found else { return nil }
        let intervals = zip(times, times.dropFirst()).map { ($1 - $0).milliseconds }.sorted()
        return ObservedDevice.Advert(
            service: found.service, suffixByteCount: found.data.count - AdvertKey.advertByteCount,
            domain: found.plaintext.domain.number, nonceEndsInZeros: found.plaintext.nonce.suffix(2) == [0, 0],
            interval: intervals.count < 2 ? nil : intervals[intervals.count / 2])
    }
}
