internal import Glibc

/// Runs one fuzz target under libFuzzer: FUZZ_TARGET names it, and the arguments are libFuzzer's. Without FUZZ_TARGET
/// it lists them.
///
/// The name stands in the environment because libFuzzer starts itself again for some of its work, with its own
/// arguments.
@main
enum Fuzz {
    static func main() {
        guard let name = Environment.value("FUZZ_TARGET") else {
            for target in FuzzTarget.all { print(target.name, target.maxByteCount, target.about, separator: "\t") }
            return
        }
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
            finding("no target is called \(name)")
        }
        chosen = target
        var count = CommandLine.argc
        var arguments: ArgumentVector? = CommandLine.unsafeArgv
        exit(
            runFuzzer(&count, &arguments) { bytes, count in
                Fuzz.chosen?.run(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            })
    }

    /// Written once, before the fuzzer starts, and read by its one thread.
    nonisolated(unsafe) private static var chosen: FuzzTarget?
}

private typealias ArgumentVector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// libFuzzer's entry for programs with a main function of their own.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<ArgumentVector?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
