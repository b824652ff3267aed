internal import Glibc

/// The time in seconds since 1970.
func secondsSince1970() -> UInt64 { UInt64(max(0, time(nil))) }
