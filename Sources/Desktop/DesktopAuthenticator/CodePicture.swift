internal import Glibc
internal import HybridProtocol
internal import LinuxSupport
internal import PasskeyExchange
internal import SystemPackage

/// Reads QR codes from pictures and the camera, with zbar: pictures in PNG by a ``PictureReader``, and the rest with
/// zbar's programs.
///
/// Their switch `--nodbus` is a requirement: zbar otherwise sends the text of a code, which here is a secret, to the
/// whole session bus.
package enum CodePicture {
    /// zbar's programs: one for pictures, one for the camera.
    package static let programs = ["zbarimg", "zbarcam"]

    private static let symbols = ["--raw", "--nodbus", "-Sdisable", "-Sqrcode.enable"]
    private static let readingLimit = Duration.seconds(20)
    /// The time after the camera's first code in which another one in its sight is found: many frames.
    private static let settlingTime = Duration.seconds(1)
    /// More than all codes of one picture have: longer output is not from a picture of a QR code.
    private static let outputLimit = 65_536
    /// zbarimg's exit status for a picture without any code (zbarimg(1)).
    private static let noSymbol: Int32 = 4

    /// Reads the hybrid QR code in a picture.
    ///
    /// - Parameters:
    ///   - path: the file.
    ///   - reader: the program that is a ``PictureReader``, and its arguments; nil to have zbarimg read all pictures.
    /// - Throws: ``AgentError``; `CancellationError`.
    package static func code(inFile path: String, reader: [String]? = nil) async throws -> String {
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK)
        guard file >= 0 else { throw unreadable(path, "\(Errno(rawValue: errno))") }
        defer { close(file) }
        // ImageMagick is told the kind of picture: it would otherwise also take scripts that draw one, with commands.
        let kind = try kind(of: file, path)
        return try await reading {
            let output = try await codes(in: file, path, kind, reader)
            guard
                let code = try theCode(
                    in: output, remedy: .cropPicture, { "there are \($0) hybrid QR codes in \(path)" })
            else {
                let hasOther = !output.isEmpty
                throw AgentError(
                    code: "no-code",
                    cause: hasOther
                        ? "the QR code in \(path) is another kind of code: its text does not start with FIDO:/"
                        : "there is no hybrid QR code in \(path)",
                    remedy: hasOther ? .findHybridCode : .showWholeCode)
            }
            return code
        }
    }

    /// The texts of all codes in a picture, a line each.
    private static func codes(
        in file: Int32, _ path: String, _ kind: String, _ reader: [String]?
    ) async throws -> [UInt8] {
        let limits = ChildProgram.Limits(time: readingLimit, length: outputLimit)
        if kind == png, let reader {
            let (output, end) = try await ChildProgram.run(
                reader, input: .file(file), environment: [libraryFolders], limits: limits)
            switch end {
            case .exited(PictureReader.Outcome.found.rawValue), .exited(PictureReader.Outcome.nothing.rawValue):
                return output
            case .exited(PictureReader.Outcome.unavailable.rawValue): break
            default: throw unreadable(path, "it is damaged, or has too many pixels")
            }
        }
        // By its path, since ImageMagick copies input from "-" to a file that others could find.
        let (output, end) = try await ChildProgram.run(
            ["zbarimg", "--quiet"] + symbols + ["\(kind):/dev/stdin"], input: .file(file), limits: limits)
        guard end == .exited(0) || end == .exited(noSymbol) else {
            throw unreadable(path, "zbarimg cannot decode it")
        }
        return output
    }

    /// Reads the hybrid QR code that the camera sees. Another one within a second of it is refused, as in a picture.
    ///
    /// - Parameter timeout: the longest time to look.
    /// - Throws: ``AgentError``; `CancellationError`.
    package static func codeBeforeCamera(timeout: Duration) async throws -> String {
        // Without a display there is nowhere to show the camera's picture.
        let window = getenv("DISPLAY") == nil && getenv("WAYLAND_DISPLAY") == nil ? ["--nodisplay"] : []
        return try await reading {
            do {
                let (output, _) = try await ChildProgram.run(
                    ["zbarcam", "--quiet"] + window + symbols,
                    limits: .init(time: timeout + settlingTime, length: outputLimit), settling: settlingTime,
                    until: { !codes(in: wholeLines($0)).isEmpty })
                guard
                    let code = try theCode(
                        in: wholeLines(output), remedy: .showOneCode,
                        { "there are \($0) hybrid QR codes before the camera" })
                else {
                    throw AgentError(
                        code: "no-camera", cause: "zbarcam has ended without a QR code", remedy: .connectCamera)
                }
                return code
            } catch ChildProgram.Problem.timeUp {
                throw AgentError(
                    code: "no-code", cause: "the camera has seen no hybrid QR code in time",
                    remedy: .holdCodeBeforeCamera)
            }
        }
    }

    /// Turns the problems of running a program into errors of the agent.
    private static func reading(_ body: () async throws -> String) async throws -> String {
        do {
            return try await body()
        } catch let problem as ChildProgram.Problem {
            let cause: Sentence =
                switch problem {
                case .missing: "zbar is not installed"
                case .timeUp: "zbar took too long"
                case .tooLong: "zbar's output is longer than any QR code"
                case .failed(let cause): "zbar cannot be started: \(cause)"
                }
            throw AgentError(code: "no-zbar", cause: cause, remedy: .installZbar)
        }
    }

    /// The one hybrid QR code among all that was read; nil if there is none.
    private static func theCode(
        in output: [UInt8], remedy: Remedy, _ several: (Int) -> Sentence
    ) throws(AgentError) -> String? {
        let codes = Set(codes(in: output))
        guard codes.count <= 1 else {
            throw AgentError(code: "several-codes", cause: several(codes.count), remedy: remedy)
        }
        return codes.first
    }

    private static func codes(in output: [UInt8]) -> [String] {
        output.split(whereSeparator: { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }).map {
            String(decoding: $0, as: UTF8.self)
        }.filter { InvitationScheme.isBeginning(ofAnyCode: $0) }
    }

    private static func wholeLines(_ output: [UInt8]) -> [UInt8] {
        output.lastIndex(of: UInt8(ascii: "\n")).map { Array(output[...$0]) } ?? []
    }

    /// The first bytes of each kind of picture, by ImageMagick's names.
    private static let kinds: [(name: String, beginning: [UInt8])] = [
        (png, [0x89, 0x50, 0x4e, 0x47]), ("jpeg", [0xff, 0xd8, 0xff]), ("gif", Array("GIF8".utf8)),
        ("bmp", Array("BM".utf8)), ("webp", Array("RIFF".utf8)), ("tiff", [0x49, 0x49, 0x2a, 0]),
        ("tiff", [0x4d, 0x4d, 0, 0x2a]),
    ]
    private static let longestBeginning = 4
    private static let png = "png"
    /// The user's variable with folders of libraries, the only one that the reader gets.
    private static let libraryFolders = "LD_LIBRARY_PATH"

    private static func kind(of file: Int32, _ path: String) throws -> String {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw unreadable(path, "\(Errno(rawValue: errno))") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw unreadable(path, "it is not a file") }
        guard status.st_size <= PictureReader.fileLimit else { throw unreadable(path, "it is too large for a picture") }
        var beginning = [UInt8](repeating: 0, count: longestBeginning)
        let count = pread(file, &beginning, longestBeginning, 0)
        let kind = kinds.first { beginning.prefix(max(count, 0)).starts(with: $0.beginning) }
        guard let kind else { throw unreadable(path, "it is not a picture in PNG, JPEG, GIF, BMP, WebP or TIFF") }
        return kind.name
    }

    private static func unreadable(_ path: String, _ reason: Sentence) -> AgentError {
        AgentError(code: "unreadable-picture", cause: "\(path) cannot be read: \(reason)", remedy: .checkPicture)
    }
}
