internal import FuzzTargets
internal import Glibc

/// Runs one fuzz target under libFuzzer: FUZZ_TARGET names it, and the arguments are libFuzzer's. Without FUZZ_TARGET
/// it lists them. In the folder FUZZ_WORST it keeps the dearest inputs, each with its cost, the most that it may be,
/// and its bytes.
///
/// The names stand in the environment because libFuzzer starts itself again for some of its work, with its own
/// arguments.
@main
enum Fuzz {
    static func main() {
        guard let name = value("FUZZ_TARGET") else {
            for target in FuzzTarget.all { print(target.name, target.maxByteCount, target.about, separator: "\t") }
            return
        }
        guard let target = FuzzTarget.all.first(where: { $0.name == name }) else {
            finding("no target is called \(name)")
        }
        meter = FuzzMeter(target)
        folder = value("FUZZ_WORST")
        var count = CommandLine.argc
        var arguments: ArgumentVector? = CommandLine.unsafeArgv
        exit(
            runFuzzer(&count, &arguments) { bytes, count in
                Fuzz.execute(Array(UnsafeBufferPointer(start: bytes, count: count)))
                return 0
            })
    }

    /// Written once, before the fuzzer starts, and used by its one thread.
    nonisolated(unsafe) private static var meter: FuzzMeter?
    nonisolated(unsafe) private static var folder: String?

    private static func execute(_ input: [UInt8]) {
        for worst in meter?.execute(input) ?? [] {
            keep(worst)
            guard worst.isOver else { continue }
            let unit = worst.kind == .time ? "ns" : "bytes"
            finding("\(worst.kind) \(worst.cost) \(unit) for an input of \(input.count): at most \(worst.most)")
        }
    }

    /// Puts an input into the place of the one that was the dearest.
    private static func keep(_ worst: FuzzMeter.Worst) {
        guard let folder, let file = fopen("\(folder)/\(worst.kind).new", "w") else { return }
        let digits = Array("0123456789abcdef")
        let bytes = String(worst.input.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        fputs("\(worst.cost) \(worst.most) \(bytes)\n", file)
        fclose(file)
        rename("\(folder)/\(worst.kind).new", "\(folder)/\(worst.kind)")
    }

    private static func value(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}

private typealias ArgumentVector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

/// libFuzzer's entry for programs with a main function of their own.
@_silgen_name("LLVMFuzzerRunDriver")
private func runFuzzer(
    _ count: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<ArgumentVector?>,
    _ body: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt
