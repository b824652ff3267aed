internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// A radio that loses, alters and makes up adverts, does not scan at all, or may go away.
struct FaultyScanner: AdvertScanner {
    /// Fault of one advert that is heard.
    enum Trouble: Sendable {
        case none
        case lost
        case altered([UInt8])
        case behindForeign([UInt8])
        case radioGone(RadioError?)

        init(_ input: inout FuzzInput) {
            switch input.number(below: 16) {
            case 10: self = .lost
            case 11, 12: self = .altered(input.bytes(Fault.recipeByteCount))
            case 13, 14: self = .behindForeign(input.counted(atMost: 40))
            case 15: self = .radioGone(input.bool() ? nil : .drawn(&input))
            default: self = .none
            }
        }

        var isNone: Bool { if case .none = self { true } else { false } }
    }

    let scanner: any AdvertScanner
    /// The radio's error instead of a scan.
    let refusal: RadioError?
    /// The faults of the first adverts; later ones pass.
    let troubles: [Trouble]

    /// The number of adverts that can have a fault.
    private static let troubledCount = 4

    init(_ scanner: any AdvertScanner, _ input: inout FuzzInput) {
        self.scanner = scanner
        refusal = input.number(below: 32) == 31 ? .drawn(&input) : nil
        troubles = (0..<Self.troubledCount).map { _ in Trouble(&input) }
    }

    var hasNoTrouble: Bool { refusal == nil && troubles.allSatisfy(\.isNone) }

    func scan<Result: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Result
    ) async throws -> Result {
        if let refusal { throw refusal }
        return try await scanner.scan { [troubles] adverts in
            let (stream, continuation) = ReceivedAdverts.makeStream(bufferingPolicy: .bufferingNewest(64))
            return try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    do {
                        var number = 0
                        for try await advert in adverts {
                            let trouble = number < troubles.count ? troubles[number] : .none
                            if case .radioGone(nil) = trouble { break }
                            try Self.pass(advert, trouble, continuation)
                            number += 1
                        }
                        continuation.finish()
                    } catch {
                        continuation.finish(throwing: error)
                    }
                }
                return try await body(stream)
            }
        }
    }

    private static func pass(
        _ advert: ReceivedAdvert, _ trouble: Trouble, _ listener: ReceivedAdverts.Continuation
    ) throws(RadioError) {
        switch trouble {
        case .none: listener.yield(advert)
        case .lost: break
        case .altered(let recipe): listener.yield(advert.with(Fault.apply(recipe, to: advert.serviceData)))
        case .behindForeign(let serviceData):
            listener.yield(advert.with(serviceData))
            listener.yield(advert)
        case .radioGone(let error): if let error { throw error }
        }
    }
}

extension ReceivedAdvert {
    fileprivate func with(_ serviceData: [UInt8]) -> ReceivedAdvert {
        ReceivedAdvert(service: service, serviceData: serviceData, sender: sender, address: address)
    }
}
