internal import Glibc
package import NIOCore

extension Channel {
    /// Has TCP send a lost packet again after two round trips and a few milliseconds, instead of a fifth of a second: a
    /// sign-in sends one packet after the other, and waits for each.
    ///
    /// It is the least that Linux takes, two of its ticks. Where the peer delays its acknowledgement for longer, one
    /// packet goes twice, as a probe (RFC 8985 section 7); the time grows with the delays that are seen.
    ///
    /// Sockets that a listening one accepts inherit it. Linux before 6.16 does not have the option: there it stays as
    /// it was.
    package func shortenRetransmission() {
        // As Linux is built, a tick is a thousandth of a second, four or ten of them. It refuses less than two.
        for tick in [1000, 4000, 10_000] where accepts(leastTimeout: 2 * tick) { return }
    }

    private func accepts(leastTimeout microseconds: Int) -> Bool {
        (try? syncOptions?.setOption(.tcpOption(.leastTimeout), value: microseconds)) != nil
    }
}

extension NIOBSDSocket.Option {
    /// The least part of a retransmission timeout beside the round trip, in microseconds: `TCP_RTO_MIN_US` of
    /// `linux/tcp.h`.
    fileprivate static let leastTimeout = Self(rawValue: 45)
}
