import Edges

extension Scanner {
    /// The first adverts that are heard.
    func hear(_ count: Int) async throws -> [ReceivedAdvert] {
        try await scan { adverts in
            var heard: [ReceivedAdvert] = []
            for try await advert in adverts {
                heard.append(advert)
                if heard.count == count { break }
            }
            return heard
        }
    }

    /// What the adverts, or the scan, end with; nil if they end without an error.
    func end() async -> RadioError? {
        do {
            try await scan { adverts in for try await _ in adverts {} }
            return nil
        } catch {
            return error as? RadioError
        }
    }
}
