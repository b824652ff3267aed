// Both modules hold the system's socket types, and the compiler finds them in this one only.
internal import CBlueZ
internal import Glibc
internal import TransportInterfaces

/// One of the numbers under which an adapter sends adverts, reserved among the processes of this program.
///
/// The kernel lets any program replace any instance, and does not say whose it is. Two processes that look for a free
/// one at the same time would take the same: so each first binds the instance's name among the machine's abstract Unix
/// sockets, which the kernel frees when the process ends.
final class AdvertisingInstance: Sendable {
    let number: UInt8
    private let descriptor: Int32

    private init(number: UInt8, descriptor: Int32) {
        self.number = number
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    /// Reserves a free instance.
    ///
    /// - Throws: ``RadioError`` with `no-advertising-instance`.
    static func reserve(at adapter: String, _ features: AdvertisingFeatures) throws(RadioError) -> AdvertisingInstance {
        guard features.mostInstances > 0 else { throw none(at: adapter) }
        for number in 1...features.mostInstances where !features.instances.contains(number) {
            if let descriptor = bind("hybrid-advert-\(adapter)-\(number)") {
                return AdvertisingInstance(number: number, descriptor: descriptor)
            }
        }
        throw none(at: adapter)
    }

    private static func none(at adapter: String) -> RadioError {
        RadioError(.noInstance, reason: "\(adapter) can send no more adverts at a time")
    }

    /// A socket of this name; nil if another process has it.
    private static func bind(_ name: String) -> Int32? {
        let kind = Int32(bitPattern: SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_UNIX, kind, 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // A name that begins with a zero byte is in no file system.
        let bytes = [0] + Array(name.utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes.prefix($0.count)) }
        let length = MemoryLayout<sa_family_t>.size + bytes.count
        let result = withUnsafeBytes(of: &address) { address in
            Glibc.bind(
                descriptor, address.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(length))
        }
        guard result == 0 else {
            close(descriptor)
            return nil
        }
        return descriptor
    }
}
