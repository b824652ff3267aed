internal import Glibc
internal import HybridTransport

/// One of the numbers under which an adapter sends adverts, reserved among this user's processes of this program.
///
/// The kernel lets any program that may advertise replace any instance, and does not say whose it is. Two processes
/// that look for a free one at the same time would take the same: so each first locks a file of the instance's name, in
/// a directory that is the user's alone. The kernel frees the lock when the process ends.
final class AdvertisingInstance: Sendable {
    let number: UInt8
    /// The locked file; nil where there is no directory for it.
    private let descriptor: Int32?

    private init(number: UInt8, descriptor: Int32?) {
        self.number = number
        self.descriptor = descriptor
    }

    deinit { if let descriptor { close(descriptor) } }

    /// Reserves a free instance. Without a directory the first free one is taken unreserved.
    ///
    /// - Parameter directory: the directory of the locked files.
    /// - Throws: ``RadioError`` with `no-advertising-instance`.
    static func reserve(
        at adapter: String, _ features: AdvertisingFeatures, in directory: String? = runtimeDirectory
    ) throws(RadioError) -> AdvertisingInstance {
        guard features.mostInstances > 0 else { throw none(at: adapter) }
        for number in 1...features.mostInstances where !features.instances.contains(number) {
            switch directory.map({ lock("\($0)/hybrid-advert-\(adapter)-\(number)") }) ?? .unavailable {
            case .held(let descriptor): return AdvertisingInstance(number: number, descriptor: descriptor)
            case .unavailable: return AdvertisingInstance(number: number, descriptor: nil)
            case .taken: continue
            }
        }
        throw none(at: adapter)
    }

    private static func none(at adapter: String) -> RadioError {
        RadioError(.noInstance, reason: "\(adapter) can send no more adverts at a time")
    }

    /// A directory in which nobody but this user, or root, makes files; nil if there is none.
    private static var runtimeDirectory: String? {
        guard geteuid() != 0 else { return "/run" }
        return getenv("XDG_RUNTIME_DIR").map { String(cString: $0) }.flatMap { $0.hasPrefix("/") ? $0 : nil }
    }

    private enum Lock {
        case held(Int32)
        case taken
        /// The file cannot be made, or is not ours.
        case unavailable
    }

    /// Locks a file, which is made if it is missing.
    private static func lock(_ path: String) -> Lock {
        let flags = O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY
        let descriptor = open(path, flags, S_IRUSR | S_IWUSR)
        guard descriptor >= 0 else { return .unavailable }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_uid == geteuid(), status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            return .unavailable
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            return .taken
        }
        return .held(descriptor)
    }
}
