internal import Glibc
package import NIOCore

extension Channel {
    /// Has TCP send a lost packet again after the round trip and 40 ms, no sooner than Linux delays an acknowledgement
    /// (`TCP_DELACK_MIN`), instead of 200 ms: a sign-in sends one packet after the other, and waits for each. QUIC has
    /// 25 ms in their place (RFC 9002 section 6.2.1).
    ///
    /// Sockets that a listening one accepts inherit it. Linux before 6.16 does not have the option: there it stays as
    /// it was.
    package func shortenRetransmission() { try? syncOptions?.setOption(.tcpOption(.leastTimeout), value: 40_000) }
}

extension NIOBSDSocket.Option {
    /// The least part of a retransmission timeout beside the round trip, in microseconds: `TCP_RTO_MIN_US` of
    /// `linux/tcp.h`.
    fileprivate static let leastTimeout = Self(rawValue: 45)
}
