import Encodings
import HybridProtocol
import HybridTransport

extension AdvertScanner {
    /// The first adverts that are received.
    func receive(_ count: Int) async throws -> [ReceivedAdvert] {
        try await scan { adverts in
            var received: [ReceivedAdvert] = []
            for try await advert in adverts {
                received.append(advert)
                if received.count == count { break }
            }
            return received
        }
    }

    /// The error at the end of the adverts, or of the scan; nil if there is none.
    func end() async -> RadioError? {
        do {
            try await scan { adverts in for try await _ in adverts {} }
            return nil
        } catch {
            return error as? RadioError
        }
    }
}
