internal import HybridProtocol
internal import Logging

/// Log of the ceremonies: at debug each stage that is reached, at trace each advert that is heard.
package enum CeremonyLog {
    private static let logger = Logger(label: "ceremony")

    /// Notes a stage: also those that are reached outside of a ceremony, the reading of a code and a verification.
    package static func note(_ stage: Stage, of role: Role) { logger.debug("\(role.rawValue): \(stage.rawValue)") }

    /// Notes an advert. Its sender and its contents are not in the log.
    static func note(_ advert: ReceivedAdvert) {
        let service = String(advert.service.rawValue, radix: 16, uppercase: true)
        logger.trace("advert of \(advert.serviceData.count) bytes under \(service)")
    }

    /// Notes that the advert is of this session.
    static func noteOwnAdvert() { logger.trace("the advert is of this session") }
}
