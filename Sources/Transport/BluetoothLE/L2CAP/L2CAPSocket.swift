// Both modules hold the system's socket types, and the compiler finds them in this one only.
internal import CBlueZ
internal import Glibc
internal import HybridProtocol
internal import SystemPackage

/// A kernel socket of L2CAP over Low Energy, closed with its last reference. Nothing here waits.
///
/// One write is one SDU, and one read is one too (`SOCK_SEQPACKET`). The security level is the kernel's lowest: the
/// channel's contents are encrypted (HT-BLE-4, HT-BLE-16).
///
/// Source: Linux, `net/bluetooth/l2cap_sock.c`; BlueZ 5.66, `lib/l2cap.h`.
final class L2CAPSocket: SDUSocket {
    let file: Int32

    /// The longest SDU that we take or send, in bytes. A longer one can need more memory in fragments than the kernel
    /// gives to a socket, and is then never sent.
    static let longestSDU = 16_384
    /// The shortest longest SDU that a peer may announce (Bluetooth Core Specification, volume 3 part A section 4.22).
    static let leastMTU = 23

    init(owning file: Int32) { self.file = file }

    deinit { close(file) }

    /// Makes a socket that is bound to an adapter.
    ///
    /// - Parameters:
    ///   - adapter: the adapter's address.
    ///   - psm: the PSM to listen on; 0 lets the system choose, or is for a socket that connects.
    /// - Throws: ``DataChannelError`` with `unreachable`.
    convenience init(of adapter: BluetoothAddress) throws(DataChannelError) {
        let kind = Int32(SOCK_SEQPACKET.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let file = socket(AF_BLUETOOTH, kind, L2CAPAddress.bluetoothProtocol)
        guard file >= 0 else {
            throw .failed(.unreachable, "the kernel provides no Bluetooth connections", errno)
        }
        self.init(owning: file)
        guard withAddress(of: adapter, psm: 0, bind) == 0 else {
            throw .failed(.unreachable, "the adapter \(adapter) cannot be used for connections", errno)
        }
        var mtu = UInt16(Self.longestSDU)
        guard
            setsockopt(file, SOL_BLUETOOTH, L2CAPAddress.receiveMTUOption, &mtu, socklen_t(MemoryLayout<UInt16>.size))
                == 0
        else {
            throw .failed(.unreachable, "the kernel has no connection-oriented channels over Low Energy", errno)
        }
        enlargeBuffers()
    }

    /// Connections that may wait to be accepted. A client must find room among unauthenticated devices.
    static let backlog: Int32 = 8

    /// Starts to listen on a PSM of the system's choice.
    ///
    /// - Returns: the PSM: 0x80 to 0xFF (HT-BLE-3).
    /// - Throws: ``DataChannelError`` with `unreachable`.
    func listen() throws(DataChannelError) -> UInt16 {
        guard Glibc.listen(file, Self.backlog) == 0 else {
            throw .failed(.unreachable, "the kernel allows no listening", errno)
        }
        var address = L2CAPAddress.empty
        var length = socklen_t(address.count)
        let result = address.withUnsafeMutableBytes { bytes in
            getsockname(file, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, &length)
        }
        let psm = L2CAPAddress.psm(of: address)
        guard result == 0, psm != 0 else {
            throw .failed(.unreachable, "the kernel does not report the listening address", errno)
        }
        return psm
    }

    /// Starts to connect; the socket is writable when it is done, for good or bad.
    ///
    /// - Throws: ``DataChannelError`` with `unreachable`.
    func connect(to peer: BluetoothAddress, psm: UInt16) throws(DataChannelError) {
        guard withAddress(of: peer, psm: psm, Glibc.connect) != 0, errno != EINPROGRESS else { return }
        throw .failed(.unreachable, "no connection to \(peer)", errno)
    }

    /// Outcome of the attempt to connect.
    ///
    /// - Throws: ``DataChannelError`` with `unreachable`.
    func checkConnection(to peer: BluetoothAddress) throws(DataChannelError) {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        getsockopt(file, SOL_SOCKET, SO_ERROR, &error, &length)
        guard error == 0 else { throw .failed(.unreachable, "no connection to \(peer)", error) }
    }

    /// The longest SDU that the peer takes, at most ``longestSDU``; nil while it is not known.
    var peerMTU: Int? {
        var mtu: UInt16 = 0
        var length = socklen_t(MemoryLayout<UInt16>.size)
        guard getsockopt(file, SOL_BLUETOOTH, L2CAPAddress.sendMTUOption, &mtu, &length) == 0, Int(mtu) >= Self.leastMTU
        else { return nil }
        return min(Int(mtu), Self.longestSDU)
    }

    /// True if the kernel has given everything that was written to the adapter. `TIOCOUTQ` counts the free bytes here.
    var hasSentEverything: Bool {
        var free: Int32 = 0
        var size: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard ioctl(file, UInt(TIOCOUTQ), &free) == 0, getsockopt(file, SOL_SOCKET, SO_SNDBUF, &size, &length) == 0
        else { return true }
        return free >= size
    }

    private func withAddress(
        of device: BluetoothAddress, psm: UInt16,
        _ call: (Int32, UnsafePointer<sockaddr>?, socklen_t) -> Int32
    ) -> Int32 {
        L2CAPAddress.bytes(device, psm).withUnsafeBytes { bytes in
            call(file, bytes.assumingMemoryBound(to: sockaddr.self).baseAddress, socklen_t(bytes.count))
        }
    }
}

extension DataChannelError {
    /// An error of the kernel's.
    static func failed(_ code: Code, _ what: String, _ number: Int32) -> Self {
        Self(code, reason: "\(what): \(Errno(rawValue: number))")
    }
}
