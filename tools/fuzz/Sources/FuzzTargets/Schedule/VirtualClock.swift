public import Glibc

/// The time of `ContinuousClock` in this process: that of ``VirtualThread``, where that is in use.
///
/// The Swift runtime asks the C library for CLOCK_BOOTTIME, and nobody else here does: libFuzzer and the sanitizers use
/// other clocks.
enum VirtualClock {
    static let nanosecondsPerSecond = 1_000_000_000

    /// Nanoseconds since the start of the machine; nil: as the kernel says. Written and read by the one thread that
    /// fuzzes.
    nonisolated(unsafe) static var now: Int?

    typealias GetTime = @convention(c) (clockid_t, UnsafeMutablePointer<timespec>) -> CInt

    /// The C library's own function, which the symbol below stands before.
    static let getTime: GetTime? = {
        let next = UnsafeMutableRawPointer(bitPattern: -1)
        return dlsym(next, "clock_gettime").map { unsafeBitCast($0, to: GetTime.self) }
    }()
}

/// Stands before the C library's function of that name; the package's manifest lets the linker export it.
@_cdecl("clock_gettime")
public func virtualGetTime(_ clock: clockid_t, _ time: UnsafeMutablePointer<timespec>) -> CInt {
    guard clock == CLOCK_BOOTTIME, let now = VirtualClock.now else {
        return VirtualClock.getTime?(clock, time) ?? -1
    }
    time.pointee = timespec(
        tv_sec: now / VirtualClock.nanosecondsPerSecond, tv_nsec: now % VirtualClock.nanosecondsPerSecond)
    return 0
}
