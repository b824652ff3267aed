internal import HybridTransport
internal import Synchronization

/// When each stage of one ceremony was reached, on both sides.
struct Timeline: Sendable {
    private var moments: [(key: Key, instant: ContinuousClock.Instant)] = []
    private let start: ContinuousClock.Instant
    private var end: ContinuousClock.Instant

    private struct Key: Equatable {
        let role: Role
        let stage: Stage
    }

    /// Interval between two stages on the way that a ceremony takes through both sides.
    enum Interval: String, CaseIterable {
        case invitation = "QR text made and read"
        case opening = "tunnel opened"
        case advert = "advert sealed, sent and opened"
        case joining = "tunnel joined"
        case handshake = "handshake, both messages"
        case firstMessage = "first message"
        case command = "command and answer"
        case closing = "closing and verifying"
    }

    /// Nanoseconds from the beginning to the end.
    var total: Double { nanoseconds(from: start, to: end) }

    /// The nanoseconds of one interval; not a number if a stage is missing.
    subscript(_ interval: Interval) -> Double {
        let (from, to): (ContinuousClock.Instant?, ContinuousClock.Instant?) =
            switch interval {
            case .invitation: (start, moment(.authenticator, .qrScanned))
            case .opening: (moment(.authenticator, .qrScanned), moment(.authenticator, .tunnelOpened))
            case .advert: (moment(.authenticator, .tunnelOpened), moment(.client, .advertOpened))
            case .joining: (moment(.client, .advertOpened), moment(.client, .tunnelJoined))
            case .handshake: (moment(.client, .tunnelJoined), moment(.client, .handshaken))
            case .firstMessage: (moment(.client, .handshaken), moment(.client, .ready))
            case .command: (moment(.client, .ready), moment(.client, .commandAnswered))
            case .closing: (moment(.client, .commandAnswered), end)
            }
        return nanoseconds(from: from, to: to)
    }

    private func moment(_ role: Role, _ stage: Stage) -> ContinuousClock.Instant? {
        moments.last { $0.key == Key(role: role, stage: stage) }?.instant
    }

    private func nanoseconds(from: ContinuousClock.Instant?, to: ContinuousClock.Instant?) -> Double {
        guard let from, let to else { return .nan }
        return from.duration(to: to) / .nanoseconds(1)
    }

    /// Notes the stages as they are reached.
    final class Recorder: Sendable {
        private let timeline: Mutex<Timeline>

        init() {
            let now = ContinuousClock.now
            timeline = Mutex(Timeline(start: now, end: now))
        }

        func observer(_ role: Role) -> CeremonyObserver {
            { [self] event in
                guard case .stage(let stage) = event else { return }
                timeline.withLock { $0.moments.append((Key(role: role, stage: stage), .now)) }
            }
        }

        func finished() -> Timeline {
            timeline.withLock {
                $0.end = .now
                return $0
            }
        }
    }

    private init(start: ContinuousClock.Instant, end: ContinuousClock.Instant) {
        self.start = start
        self.end = end
    }
}
