/// Executes inputs of one fuzz target without a fuzzer, and prints the cost of the dearest.
///
///     fuzz-corpora                   the targets
///     fuzz-corpora TARGET CORPUS     each line's first word, which is an input; then the number of inputs, and by kind
///                                    of cost: that of the dearest, the most that it may be, and its length
///
/// Ends with 1 if one costs more than it may, and by a signal if a property of the target does not hold.
@main
enum FuzzCorpora {
    static func main() {
        // A release build has no targets.
        #if DEBUG
            run()
        #endif
    }
}

#if DEBUG
    internal import Encodings
    internal import FuzzTargets
    internal import Glibc

    extension FuzzCorpora {
        private static func run() {
            guard CommandLine.arguments.count == 3 else {
                for target in FuzzTarget.all { print(target.name) }
                return
            }
            let name = CommandLine.arguments[1]
            guard let target = (FuzzTarget.all + FuzzTarget.superlinear).first(where: { $0.name == name }) else {
                finding("no target is called \(name)")
            }
            guard dup2(open(CommandLine.arguments[2], O_RDONLY), STDIN_FILENO) == STDIN_FILENO else {
                finding("there is no such corpus")
            }
            var meter = FuzzMeter(target)
            var (count, isOver) = (0, false)
            while let line = readLine() {
                guard let word = line.split(separator: " ").first, let input = input(word) else {
                    finding("the line \(count + 1) is no input")
                }
                count += 1
                for worst in meter.execute(input) where worst.isOver {
                    isOver = true
                    print("over: line \(count): \(worst.kind) \(worst.cost), at most \(worst.most)")
                }
            }
            print("executed \(count)")
            for kind in FuzzCost.Kind.allCases {
                if let worst = meter.worst[kind] { print(kind, worst.cost, worst.most, worst.input.count) }
            }
            exit(isOver ? 1 : 0)
        }

        /// An input of pieces in hexadecimal digits, with a comma between them, each with the number of its repetitions
        /// behind an asterisk, if there are some.
        private static func input(_ word: Substring) -> [UInt8]? {
            var input: [UInt8] = []
            for piece in word.split(separator: ",") {
                let parts = piece.split(separator: "*")
                guard let bytes = Hexadecimal.decode(String(parts[0])), let count = parts.count > 1 ? Int(parts[1]) : 1
                else { return nil }
                for _ in 0..<count { input += bytes }
            }
            return input
        }
    }
#endif
