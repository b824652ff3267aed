internal import CAllocations

/// The number of this thread's allocations on the heap.
public enum Allocations {
    /// Keeps freed memory in the process, so that the measured code has its pages.
    public static func keepMemory() { allocations_keep_memory() }

    /// The number of requests that `body` makes for memory.
    public static func count(_ body: () throws -> Void) rethrows -> Int {
        let before = allocations_of_this_thread()
        try body()
        return Int(allocations_of_this_thread() - before)
    }
}
