import Foundation
import Testing

/// A test in the manner of Go's testscript: a text of one command a line, and the files that it begins with.
///
///     exec PROGRAM ARGUMENT…          runs it to its end; it must succeed
///     ! exec PROGRAM ARGUMENT…        likewise; it must fail
///     exec PROGRAM ARGUMENT… &NAME    runs it beside the script
///     expect NAME STREAM PATTERN      waits until NAME has written it
///     wait NAME, ! wait NAME          waits for its end; from here on it is the program that is looked at
///     signal NAME SIGNAL              sends INT, TERM, HUP, STOP, CONT or KILL
///     stdout PATTERN, stderr PATTERN  the program that was run last has written it; with ! it has not
///     exit NUMBER                     its exit status; 128 and the number of the signal that killed it
///     within SECONDS                  it has taken no longer
///     stdin FILE                      the standard input of the next program
///     env NAME=VALUE                  for all programs from here on
///     port NAME                       finds a port of 127.0.0.1 that nobody uses
///     needs COMMAND…                  the rest is for machines where this command succeeds; # NAME behind it names
///                                     the requirement
///     each NAME VALUE…                as the first command: the script is run once for each value of this variable
///
/// Words are separated by spaces; 'quotes' keep them together. PATTERN is a regular expression of the rest of the line,
/// whose named groups become variables; `${NAME}` is replaced by one everywhere. The output of a program is kept
/// when it has ended, as `outputs/NUMBER-NAME.stdout` and `.stderr`. Files to begin with follow as `-- NAME --` and
/// their text.
struct Script: CustomTestStringConvertible {
    let name: String
    let lines: [Line]
    let files: [(name: String, text: String)]
    /// The variables at its start, besides those of every script.
    var variables: [String: String] = [:]

    struct Line {
        let number: Int
        let isNegated: Bool
        let verb: String
        /// The rest behind the verb, as it is written.
        let rest: String
    }

    var testDescription: String { name }

    /// Reads the runs of a script from its file: one, or one for each value of `each`.
    static func runs(of file: URL) throws -> [Script] {
        let name = file.deletingPathExtension().lastPathComponent
        return runs(of: Script(name, try String(contentsOf: file, encoding: .utf8)))
    }

    /// The runs of a script: one, or one for each value of `each`.
    static func runs(of script: Script) -> [Script] {
        guard let first = script.lines.first, first.verb == "each" else { return [script] }
        let words = Line.words(first.rest)
        return words.dropFirst().map { value in
            Script(
                name: "\(script.name) \(value)", lines: Array(script.lines.dropFirst()), files: script.files,
                variables: [words[0]: value])
        }
    }

    private init(name: String, lines: [Line], files: [(name: String, text: String)], variables: [String: String]) {
        self.name = name
        self.lines = lines
        self.files = files
        self.variables = variables
    }

    /// Reads a script.
    init(_ name: String, _ text: String) {
        self.name = name
        var lines: [Line] = []
        var files: [(name: String, text: String)] = []
        for (index, text) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if text.hasPrefix("-- "), text.hasSuffix(" --") {
                files.append((String(text.dropFirst(3).dropLast(3)), ""))
            } else if let last = files.indices.last {
                files[last].text += text + "\n"
            } else if !text.isEmpty, !text.hasPrefix("#") {
                lines.append(Line(number: index + 1, text))
            }
        }
        self.lines = lines
        self.files = files
    }

    /// All scripts of this directory, by their names; or those that HYBRID_SCRIPTS names, with commas between them.
    static let all: [Script] = {
        let names = ProcessInfo.processInfo.environment["HYBRID_SCRIPTS"]?.split(separator: ",").map(String.init)
        let directory = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Scripts").standardized
        let files = (try? FileManager.default.contentsOfDirectory(at: directory, includingPropertiesForKeys: nil)) ?? []
        return files.filter { $0.pathExtension == "txt" }
            .filter { names?.contains($0.deletingPathExtension().lastPathComponent) ?? true }
            .flatMap { (try? runs(of: $0)) ?? [] }.sorted { $0.name < $1.name }
    }()
}

extension Script.Line {
    fileprivate init(number: Int, _ text: Substring) {
        let isNegated = text.hasPrefix("! ")
        let words = text.dropFirst(isNegated ? 2 : 0).split(separator: " ", maxSplits: 1)
        self.init(
            number: number, isNegated: isNegated, verb: String(words.first ?? ""),
            rest: words.count > 1 ? String(words[1]) : "")
    }

    /// The words of a text.
    static func words(_ text: String) -> [String] {
        var words: [String] = []
        var word: String?
        var isQuoted = false
        for character in text {
            switch character {
            case "'":
                isQuoted.toggle()
                word = word ?? ""
            case " " where !isQuoted:
                if let whole = word { words.append(whole) }
                word = nil
            default: word = (word ?? "") + String(character)
            }
        }
        if let whole = word { words.append(whole) }
        return words
    }
}
