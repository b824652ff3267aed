internal import Edges

/// A radio that loses, alters and makes up adverts, and may go away.
struct FaultyScanner: Scanner {
    /// What happens to one advert that is heard.
    enum Trouble: Sendable {
        case none
        case lost
        case altered([UInt8])
        case behindForeign([UInt8])
        case radioGone

        init(_ input: inout FuzzInput) {
            switch input.number(below: 16) {
            case 10: self = .lost
            case 11, 12: self = .altered(input.bytes(48))
            case 13, 14: self = .behindForeign(input.counted(atMost: 40))
            case 15: self = .radioGone
            default: self = .none
            }
        }
    }

    let scanner: any Scanner
    /// What happens to the first adverts; later ones pass.
    let troubles: [Trouble]

    func scan<Result: Sendable>(
        _ body: @escaping @Sendable (ReceivedAdverts) async throws -> Result
    ) async throws -> Result {
        try await scanner.scan { [troubles] adverts in
            let (stream, continuation) = ReceivedAdverts.makeStream(bufferingPolicy: .bufferingNewest(64))
            return try await withThrowingTaskGroup(of: Void.self) { group in
                defer { group.cancelAll() }
                group.addTask {
                    do {
                        var number = 0
                        for try await advert in adverts {
                            try Self.pass(advert, number < troubles.count ? troubles[number] : .none, continuation)
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
        case .radioGone: throw RadioError(.poweredOff, reason: "as the input says")
        }
    }
}

extension ReceivedAdvert {
    fileprivate func with(_ serviceData: [UInt8]) -> ReceivedAdvert {
        ReceivedAdvert(service: service, serviceData: serviceData, sender: sender, address: address)
    }
}
