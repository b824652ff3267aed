import Glibc

/// The limit of the files that this process may open.
enum OpenFiles {
    /// As many of the wanted connections as the process can have, after it has raised its own limit as far as it may.
    ///
    /// The connections that are let in only to be refused are taken into account.
    static func clamp(connections wanted: Int) -> Int {
        let needed = wanted + ConnectionCounter.reserve(wanted) + TunnelService.Limits.reservedFiles
        let allowed = raise(to: needed)
        guard allowed < needed else { return wanted }
        let usable = max(1, allowed - TunnelService.Limits.reservedFiles)
        return max(1, usable - ConnectionCounter.reserve(usable))
    }

    /// Raises the soft limit towards `count`, never above the hard one.
    ///
    /// - Returns: the limit in force afterwards.
    private static func raise(to count: Int) -> Int {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return count }
        if limit.rlim_cur < rlim_t(count) {
            limit.rlim_cur = min(rlim_t(count), limit.rlim_max)
            _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
            _ = getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        }
        return Int(clamping: limit.rlim_cur)
    }
}
