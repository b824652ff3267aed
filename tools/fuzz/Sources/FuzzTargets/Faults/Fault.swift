/// Fault of one message on its way.
enum Fault: Sendable {
    case none
    case lost
    case altered([UInt8])
    case repeated
    /// It arrives after the next one.
    case overtaken
    case late(milliseconds: Int)
    /// The channel is closed normally in its place.
    case closed
    /// The channel is closed normally right behind it.
    case closedBehind
    /// The channel breaks in its place, and the sender is told.
    case broken

    /// Draws one. The alteration is drawn here, so that it is the same whenever the message comes.
    init(_ input: inout FuzzInput) {
        switch input.number(below: 16) {
        case 7: self = .closedBehind
        case 8: self = .lost
        case 9, 10: self = .altered(input.bytes(Fault.recipeByteCount))
        case 11: self = .repeated
        case 12: self = .overtaken
        case 13: self = .late(milliseconds: input.number(below: Fault.longestDelay))
        case 14: self = .closed
        case 15: self = .broken
        default: self = .none
        }
    }

    var isNone: Bool { if case .none = self { true } else { false } }

    /// The number of bytes that describe an alteration.
    static let recipeByteCount = 48
    /// In milliseconds. Some delays are longer than the ceremonies' time limits, and most are not.
    static let longestDelay = 80

    /// The message after an alteration.
    static func apply(_ recipe: [UInt8], to message: [UInt8]) -> [UInt8] {
        var input = FuzzInput(recipe)
        var altered = message
        _ = input.alter(&altered)
        return altered
    }
}
