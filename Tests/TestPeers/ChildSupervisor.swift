import Foundation

/// Ends the programs that this process has started, however this process ends: a test run that is killed
/// leaves nothing behind.
///
/// A shell holds the list, and reads it from a pipe whose other end this process alone has. (PR_SET_PDEATHSIG would do
/// for no less than the end of the thread that has started a program.) It runs as long as this process does, in a
/// process group of its own: a child that had ended and was not waited for would be found by the testing library for
/// ever, which waits for any child when it waits for those of its exit tests.
public enum ChildSupervisor {
    private static let script = """
        trap '' HUP INT TERM
        children=' '
        while read -r change child; do
            case $change in
            +) children="$children$child " ;;
            -) children="${children%% $child *} ${children#* $child }" ;;
            esac
        done
        for child in $children; do kill -KILL "-$child" "$child"; done
        """

    private static let shell: (process: Process, pipe: Pipe)? = {
        let pipe = Pipe()
        let shell = Process()
        shell.executableURL = URL(fileURLWithPath: "/bin/sh")
        shell.arguments = ["-c", script]
        shell.standardInput = pipe
        shell.standardOutput = FileHandle.nullDevice
        shell.standardError = FileHandle.nullDevice
        // A copy of it in a child would keep the shell waiting.
        _ = fcntl(pipe.fileHandleForWriting.fileDescriptor, F_SETFD, FD_CLOEXEC)
        guard (try? shell.run()) != nil else { return nil }
        return (shell, pipe)
    }()

    /// The number of the shell's process; `nil` if it does not run.
    public static var process: Int32? { shell.map(\.process.processIdentifier) }

    /// Ends a process with this one, and its process group if it leads one.
    public static func add(_ process: Int32) { tell("+ \(process)") }

    /// Leaves a process alone from now on: it has ended.
    public static func remove(_ process: Int32) { tell("- \(process)") }

    // Shorter than the limit of atomic writes to a pipe.
    private static func tell(_ line: String) {
        try? shell?.pipe.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }
}
