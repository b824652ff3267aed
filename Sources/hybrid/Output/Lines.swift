// The lines of `--json`: one object each, told apart by `event`.

/// A stage that a role has reached.
struct StageLine: Encodable {
    let event = "stage"
    let role: String
    let stage: String
    /// Seconds since 1970.
    let time: Double
    /// Milliseconds since the command began.
    let elapsed: Double

    enum CodingKeys: String, CodingKey {
        case event, role, stage, time
        case elapsed = "elapsed_ms"
    }
}

/// Something that the person should know although the ceremony goes on.
struct NoticeLine: Encodable {
    let event = "notice"
    let role: String
    let notice: String
    let text: String
}

/// Why the command failed.
struct ErrorLine: Encodable {
    let event = "error"
    let code: String
    /// The stage that was not reached; absent if no ceremony had begun.
    let stage: String?
    let cause: String
    let hint: String?
    let exitCode: Int32

    enum CodingKeys: String, CodingKey {
        case event, code, stage, cause, hint
        case exitCode = "exit_code"
    }
}
