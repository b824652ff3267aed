extension Question {
    /// The most digits of a number that another device shows.
    private static let mostDigits = 64

    /// Takes a question of a line.
    ///
    /// - Throws: ``ContractError`` for an unknown kind, and for members that are missing, of another type, or not of
    ///   this kind.
    init(_ object: inout ContractObject) throws(ContractError) {
        let show = try object.text("show")
        id = try object.integer("id", in: 0...Int.max)
        title = try object.text("title")
        lines = try object.texts("lines")
        no = try Self.word("no", &object)
        switch show {
        case "code": kind = .code(try Self.modules(&object))
        case "approval":
            site = try Self.site(&object)
            kind = .approval
        case "choice":
            site = try Self.site(&object)
            kind = .choice(accounts: try Self.accounts(&object))
        case "secret":
            kind = .secret(
                SecretRequest(
                    prompt: try object.text("prompt"), objection: try object.textIfThere("objection"),
                    twice: object.has("twice") ? try object.bool("twice") : false))
        case "digits":
            kind = .digits(
                count: try object.integer("count", in: 1...Self.mostDigits),
                objection: try object.textIfThere("objection"))
        case "step": kind = .step
        case "outcome": kind = .outcome(good: try object.bool("good"))
        default: throw ContractObject.malformed("show", "a kind of question of the contract")
        }
        if asks { yes = try Self.word("yes", &object) }
    }

    private var asks: Bool {
        switch kind {
        case .code, .step, .outcome: false
        case .approval, .choice, .secret, .digits: true
        }
    }

    private static func modules(_ object: inout ContractObject) throws(ContractError) -> ModuleMatrix {
        _ = try object.text("text")
        guard let modules = ModuleMatrix(rows: try object.texts("modules")) else {
            throw ContractObject.malformed("modules", "the square of a QR code, of 1 and 0")
        }
        return modules
    }

    private static func site(_ object: inout ContractObject) throws(ContractError) -> String? {
        guard let site = try object.textIfThere("site") else { return nil }
        guard !site.isEmpty, site.utf8.allSatisfy({ $0 > UInt8(ascii: " ") && $0 < 0x7F }) else {
            throw ContractObject.malformed("site", "the name of a site in ASCII")
        }
        return site
    }

    private static func accounts(_ object: inout ContractObject) throws(ContractError) -> [String] {
        let accounts = try object.texts("accounts")
        guard !accounts.isEmpty else { throw ContractObject.malformed("accounts", "one account or more") }
        return accounts
    }

    private static func word(_ name: String, _ object: inout ContractObject) throws(ContractError) -> String {
        let word = try object.text(name)
        guard !word.isEmpty else { throw ContractObject.malformed(name, "the word on a button") }
        return word
    }
}
