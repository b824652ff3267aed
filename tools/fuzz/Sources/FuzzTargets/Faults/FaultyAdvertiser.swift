internal import Encodings
internal import HybridProtocol
internal import HybridTransport

/// A radio that does not advertise, or only for a while.
struct FaultyAdvertiser: Advertiser {
    /// Fault of it.
    enum Trouble: Sendable {
        case none
        case refused(RadioError)
        case gone(milliseconds: Int, RadioError)

        init(_ input: inout FuzzInput) {
            switch input.number(below: 16) {
            case 14: self = .refused(.drawn(&input))
            case 15: self = .gone(milliseconds: input.number(below: Fault.longestDelay), .drawn(&input))
            default: self = .none
            }
        }

        var isNone: Bool { if case .none = self { true } else { false } }
    }

    let advertiser: any Advertiser
    let trouble: Trouble

    func advertise<Result: Sendable>(
        _ serviceData: [UInt8], while body: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        switch trouble {
        case .none: return try await advertiser.advertise(serviceData, while: body)
        // A radio for which an advert is too long takes the shorter one.
        case .refused(let error) where error.code != .advertTooLong || serviceData.count > Self.bareAdvertByteCount:
            throw error
        case .refused: return try await advertiser.advertise(serviceData, while: body)
        case .gone(let milliseconds, let error):
            return try await advertiser.advertise(serviceData) {
                try await withThrowingTaskGroup(of: Result?.self) { group in
                    defer { group.cancelAll() }
                    group.addTask { try await body() }
                    group.addTask {
                        try? await Task.sleep(for: .milliseconds(milliseconds))
                        return nil
                    }
                    guard let result = try await group.next() ?? nil else { throw error }
                    return result
                }
            }
        }
    }

    /// An advert without a suffix (HT-ADV-20).
    private static let bareAdvertByteCount = 20
}
