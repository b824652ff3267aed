package import HybridProtocol
internal import NIOCore
internal import Synchronization

/// The address of a simulated radio on this machine: a loopback address and a UDP port.
///
/// All other hosts are refused. Bluetooth proves that two devices are near each other, and the hybrid transport relies
/// on that proof: an advert from another machine would count as one from nearby.
package struct SimulatedRadioAddress: Hashable, Sendable, CustomStringConvertible {
    /// The IP address in its canonical text form, without brackets: `127.0.0.1`, another of 127.0.0.0/8, or `::1`.
    package let host: String
    /// The UDP port: 1…65535.
    package let port: UInt16

    /// Number of addresses that one list may name.
    package static let longestList = 16

    /// The longest text that is read as one address, in UTF-8 bytes; well above any that is valid.
    private static let longestText = 64
    static let localhost = (name: "localhost", address: "127.0.0.1")

    /// Reads `HOST:PORT`.
    ///
    /// - Parameter text: an IPv4 address, an IPv6 address in brackets (`[::1]:9000`) or the name `localhost`; then a
    ///   colon and the port in decimal digits.
    /// - Throws: `RadioError` with `invalid-address` if the text is anything else, the port is 0 or above 65535, or
    ///   the host is not loopback.
    package init(parsing text: some StringProtocol) throws(RadioError) {
        guard text.utf8.count <= Self.longestText, let colon = text.lastIndex(of: ":") else {
            throw Self.refusal("expected HOST:PORT")
        }
        self.port = try Self.port(parsing: text[text.index(after: colon)...])
        self.host = try Self.host(parsing: text[..<colon])
    }

    /// Reads a comma-separated list of `HOST:PORT`, without spaces.
    ///
    /// - Returns: 1…``longestList`` addresses in the order of the list.
    /// - Throws: `RadioError` with `invalid-address` if any of them is refused, or the list is empty or too long.
    package static func list(parsing text: String) throws(RadioError) -> [Self] {
        var addresses: [Self] = []
        for part in text.split(separator: ",", omittingEmptySubsequences: false) {
            guard addresses.count < longestList else { throw refusal("more than \(longestList) addresses") }
            addresses.append(try Self(parsing: part))
        }
        return addresses
    }

    /// Checks how many addresses there are.
    ///
    /// - Throws: ``RadioError`` with `invalid-address` if there are none or more than ``longestList``.
    static func checked(_ addresses: [Self]) throws(RadioError) -> [Self] {
        guard (1...longestList).contains(addresses.count) else {
            throw refusal("expected 1 to \(longestList) addresses")
        }
        return addresses
    }

    /// The address as it is parsed: `127.0.0.1:9000` or `[::1]:9000`.
    package var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }

    init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// The Bluetooth address of a device that sends from here: the last four bytes of the host, and the port.
    var device: BluetoothAddress? {
        let host = isIPv6 ? [0, 0, 0, 1] : host.split(separator: ".").compactMap { UInt8($0) }
        return BluetoothAddress(host + [UInt8(port >> 8), UInt8(truncatingIfNeeded: port)], .random)
    }

    var isIPv6: Bool { host.contains(":") }

    /// The address as NIO wants it; it cannot fail for a parsed address.
    func socketAddress() throws(RadioError) -> SocketAddress {
        do {
            return try SocketAddress(ipAddress: host, port: Int(port))
        } catch {
            throw Self.refusal("\(self) is not an address")
        }
    }

    private static func port(parsing digits: some StringProtocol) throws(RadioError) -> UInt16 {
        // UInt16's own parser takes a leading plus sign.
        guard digits.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains),
            let port = UInt16(digits), port != 0
        else { throw refusal("the port must be 1 to 65535") }
        return port
    }

    private static func host(parsing text: some StringProtocol) throws(RadioError) -> String {
        if text == localhost.name { return localhost.address }
        let bracketed = text.hasPrefix("[") && text.hasSuffix("]")
        let address = bracketed ? String(text.dropFirst().dropLast()) : String(text)
        guard let parsed = try? SocketAddress(ipAddress: address, port: 0), parsed.isIPv6 == bracketed,
            let canonical = parsed.ipAddress
        else { throw refusal("expected an IPv4 address, [::1] or localhost before the port") }
        guard parsed.isLoopback else {
            throw refusal("\(canonical) is not loopback; a simulated radio never leaves this machine")
        }
        return canonical
    }

    private static func refusal(_ reason: String) -> RadioError { RadioError(.invalidAddress, reason: reason) }
}

extension SocketAddress {
    private static let loopbackIPv4 = "127."
    private static let loopbackIPv6 = "::1"

    fileprivate var isIPv6: Bool { self.protocol == .inet6 }

    /// Judged by the canonical text that the system makes of an address.
    fileprivate var isLoopback: Bool {
        guard let ipAddress else { return false }
        return isIPv6 ? ipAddress == Self.loopbackIPv6 : ipAddress.hasPrefix(Self.loopbackIPv4)
    }
}

extension SimulatedRadioAddress {
    /// Ports below those that Linux hands out by itself (ip_local_port_range begins at 32768): a port that was found
    /// unused there is not given to the next best socket before a scanner binds it.
    private static let candidates: ClosedRange<UInt16> = 10_000...19_999
    private static let attempts = 64
    /// The port that was tried last: none is tried again before all the others were.
    private static let lastCandidate = Mutex(UInt16.random(in: candidates))

    /// Finds a port of 127.0.0.1 that is not in use, for a scanner that other processes need not know beforehand.
    ///
    /// The port is free when this returns; it is reserved only once a scanner binds it.
    ///
    /// - Throws: `RadioError` with `address-in-use` if every port that was tried is taken; `not-permitted` or `failed`
    ///   if the system allows none.
    package static func unused() async throws(RadioError) -> Self {
        for _ in 1..<attempts {
            if let address = try await unusedCandidate() { return address }
        }
        throw RadioError(.addressInUse, reason: "no unused port was found on \(localhost.address)")
    }

    private static func unusedCandidate() async throws(RadioError) -> Self? {
        let port = lastCandidate.withLock { last in
            last = last < candidates.upperBound ? last + 1 : candidates.lowerBound
            return last
        }
        let address = Self(host: localhost.address, port: port)
        do {
            let channel = try await SimulatedRadioSocket.boundOnce(to: address) {
                $0.eventLoop.makeSucceededVoidFuture()
            }
            await SimulatedRadioSocket.end(channel)
            return address
        } catch {
            guard error.code == .addressInUse else { throw error }
            return nil
        }
    }
}

/// A UDP datagram of the simulated radio: a 16-bit service UUID, big-endian, then the service data with its suffix.
struct SimulatedRadioDatagram: Equatable {
    static let uuidByteCount = 2
    /// No radio sends more: the length of an advertising data structure is one byte.
    static let longestServiceData = 255
    static let byteCounts = (uuidByteCount + 1)...(uuidByteCount + longestServiceData)

    let service: ServiceUUID
    let serviceData: [UInt8]

    /// The reason for ignoring a datagram.
    enum Defect: Error, Equatable {
        case tooShort, tooLong, foreignService
    }

    init(service: ServiceUUID, serviceData: [UInt8]) {
        self.service = service
        self.serviceData = serviceData
    }

    /// Reads a datagram from any sender.
    init(decoding datagram: ByteBuffer) throws(Defect) {
        guard datagram.readableBytes >= Self.byteCounts.lowerBound else { throw .tooShort }
        guard datagram.readableBytes <= Self.byteCounts.upperBound else { throw .tooLong }
        var rest = datagram
        guard let number = rest.readInteger(endianness: .big, as: UInt16.self) else { throw .tooShort }
        let service = ServiceUUID(rawValue: number)
        guard service == .fido || service == .google else { throw .foreignService }
        self.init(service: service, serviceData: Array(rest.readableBytesView))
    }

    func encoded() -> ByteBuffer {
        var datagram = ByteBuffer()
        datagram.reserveCapacity(Self.uuidByteCount + serviceData.count)
        datagram.writeInteger(service.rawValue, endianness: .big)
        datagram.writeBytes(serviceData)
        return datagram
    }
}
