import ChildProcess
import Glibc
import HybridProtocol

/// Reads QR codes from pictures and the camera, with zbar's programs.
///
/// Their switch `--nodbus` matters: zbar otherwise tells the whole session bus what it has read, which here is a secret.
enum CodePicture {
    private static let symbols = ["--raw", "--nodbus", "-Sdisable", "-Sqrcode.enable"]
    private static let readingLimit = Duration.seconds(20)
    /// More than all codes of one picture have: what is longer is not a picture of a QR code.
    private static let outputLimit = 65_536
    /// The largest file: a screenshot of several large screens.
    private static let pictureLimit = 64 << 20
    /// zbarimg's exit status for a picture without any code (zbarimg(1)).
    private static let noSymbol: Int32 = 4
    private static let zbarHint = "install zbar-tools, or give the text of the QR code instead"

    /// The hybrid QR code in a picture.
    ///
    /// - Throws: ``Failure``; `CancellationError`.
    static func code(inFile path: String) throws -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { throw unreadable(path, "\(SystemError.last)") }
        defer { close(file) }
        // The reader is told what kind of picture it is: it would otherwise also take scripts that draw one, and their commands.
        let kind = try kind(of: file, path)
        return try reading {
            let (output, end) = try ChildProgram.run(
                ["zbarimg", "--quiet"] + symbols + ["\(kind):\(ChildProcess.file)"], file: file,
                timeLimit: readingLimit, lengthLimit: outputLimit)
            guard end == .exited(0) || end == .exited(noSymbol) else {
                throw unreadable(path, "zbarimg cannot make sense of it")
            }
            return try theCode(in: output, of: path)
        }
    }

    /// The first hybrid QR code that the camera sees.
    ///
    /// - Parameter patience: how long it looks.
    /// - Throws: ``Failure``; `CancellationError`.
    static func codeBeforeCamera(patience: Duration) throws -> String {
        // Without a display there is nowhere to show what the camera sees.
        let window = getenv("DISPLAY") == nil && getenv("WAYLAND_DISPLAY") == nil ? ["--nodisplay"] : []
        return try reading {
            do {
                let (output, _) = try ChildProgram.run(
                    ["zbarcam", "--quiet"] + window + symbols, timeLimit: patience, lengthLimit: outputLimit
                ) { !codes(in: wholeLines($0)).isEmpty }
                guard let code = codes(in: wholeLines(output)).first else {
                    throw Failure(
                        .failure, code: "no-camera", cause: "zbarcam has ended without a QR code",
                        hint: "connect a camera, close what else uses it, or give --image or --screen")
                }
                return code
            } catch ChildProgram.Problem.timeUp {
                throw Failure(
                    .timeout, code: "no-code", cause: "the camera has seen no hybrid QR code in time",
                    hint: "hold the whole code before the camera, in good light; --timeout gives you longer")
            }
        }
    }

    /// Turns the problems of running a program into failures.
    private static func reading(_ body: () throws -> String) throws -> String {
        do {
            return try body()
        } catch let problem as ChildProgram.Problem {
            let cause =
                switch problem {
                case .missing: "zbar is not installed"
                case .timeUp: "zbar took too long"
                case .tooLong: "zbar says more than any QR code holds"
                case .failed(let error): "zbar cannot be started: \(error)"
                }
            throw Failure(.failure, code: "no-zbar", cause: cause, hint: zbarHint)
        }
    }

    /// The one hybrid QR code among all that was read.
    private static func theCode(in output: [UInt8], of path: String) throws -> String {
        let codes = Set(codes(in: output))
        guard let code = codes.first else {
            throw Failure(
                .file, code: "no-code", cause: "there is no hybrid QR code in \(path)",
                hint: "take a picture of the whole code, with the white edge around it")
        }
        guard codes.count == 1 else {
            throw Failure(
                .file, code: "several-codes", cause: "there are \(codes.count) hybrid QR codes in \(path)",
                hint: "cut the picture down to the one that is meant")
        }
        return code
    }

    private static func codes(in output: [UInt8]) -> [String] {
        output.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }).map {
            String(decoding: $0, as: UTF8.self)
        }.filter { $0.uppercased().hasPrefix(Invitation.urlPrefix) }
    }

    private static func wholeLines(_ output: [UInt8]) -> [UInt8] {
        output.lastIndex(of: UInt8(ascii: "\n")).map { Array(output[...$0]) } ?? []
    }

    /// What the kinds of pictures begin with, by ImageMagick's names.
    private static let kinds: [(name: String, beginning: [UInt8])] = [
        ("png", [0x89, 0x50, 0x4e, 0x47]), ("jpeg", [0xff, 0xd8, 0xff]), ("gif", Array("GIF8".utf8)),
        ("bmp", Array("BM".utf8)), ("webp", Array("RIFF".utf8)), ("tiff", [0x49, 0x49, 0x2a, 0]),
        ("tiff", [0x4d, 0x4d, 0, 0x2a]),
    ]
    private static let longestBeginning = 4

    private static func kind(of file: Int32, _ path: String) throws -> String {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(path, "\(SystemError.last)") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw unreadable(path, "it is not a file") }
        guard status.st_size <= pictureLimit else { throw unreadable(path, "it is too large for a picture") }
        var beginning = [UInt8](repeating: 0, count: longestBeginning)
        let count = pread(file, &beginning, longestBeginning, 0)
        let kind = kinds.first { beginning.prefix(max(count, 0)).starts(with: $0.beginning) }
        guard let kind else { throw unreadable(path, "it is not a picture in PNG, JPEG, GIF, BMP, WebP or TIFF") }
        return kind.name
    }

    private static func unreadable(_ path: String, _ reason: String) -> Failure {
        Failure(
            .file, code: "unreadable-picture", cause: "\(path) cannot be read: \(reason)",
            hint: "check the picture, or give the text of the QR code instead")
    }
}
