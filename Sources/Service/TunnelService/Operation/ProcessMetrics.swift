import Glibc

/// Metrics of this process and its version, by the names that Prometheus's client libraries have for them.
///
/// Source: Prometheus, "Writing client libraries", section "Standard and runtime collectors".
enum ProcessMetrics {
    /// The names, each with its meaning.
    static let help = [
        "tunnel_service_build_info": "1, with the version as a label.",
        "process_cpu_seconds_total": "Processor time of this process, user and system.",
        "process_resident_memory_bytes": "Memory of this process that is in RAM.",
        "process_virtual_memory_bytes": "Address space of this process.",
        "process_open_fds": "Open files and connections of this process.",
        "process_max_fds": "Maximum open files and connections of this process.",
        "process_start_time_seconds": "Start of the service, in seconds since 1970.",
    ]

    /// Adds them to the metrics; each is read whenever those are.
    static func add(to metrics: PrometheusMetrics, version: String) {
        let start = Double(time(nil))
        metrics.add("tunnel_service_build_info", "gauge", [("version", version)]) { 1 }
        metrics.add("process_start_time_seconds", "gauge") { start }
        metrics.add("process_cpu_seconds_total", "counter", read: processorSeconds)
        metrics.add("process_virtual_memory_bytes", "gauge") { memory(column: 0) }
        metrics.add("process_resident_memory_bytes", "gauge") { memory(column: 1) }
        metrics.add("process_open_fds", "gauge", read: openFiles)
        metrics.add("process_max_fds", "gauge", read: maxOpenFiles)
    }

    private static func processorSeconds() -> Double? {
        var usage = rusage()
        guard getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage) == 0 else { return nil }
        let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
        return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
    }

    /// A column of /proc/self/statm, which counts pages: proc(5).
    private static func memory(column: Int) -> Double? {
        guard let file = fopen("/proc/self/statm", "re") else { return nil }
        defer { fclose(file) }
        var text = [CChar](repeating: 0, count: 256)
        guard fgets(&text, CInt(text.count), file) != nil else { return nil }
        let line = String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let columns = line.split(separator: " ")
        guard columns.indices.contains(column), let pages = Double(columns[column]) else { return nil }
        return pages * Double(sysconf(CInt(_SC_PAGESIZE)))
    }

    private static func openFiles() -> Double? {
        guard let folder = opendir("/proc/self/fd") else { return nil }
        defer { closedir(folder) }
        var count = 0.0
        while readdir(folder) != nil { count += 1 }
        // The folder itself and its parent are listed too, and the descriptor that lists them is gone afterwards.
        return max(count - 3, 0)
    }

    private static func maxOpenFiles() -> Double? {
        var limit = rlimit()
        guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return nil }
        return Double(limit.rlim_cur)
    }
}
