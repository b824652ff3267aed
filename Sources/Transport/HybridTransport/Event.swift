/// Something that happened in a ceremony or around it, which a program may tell its user.
///
/// The events of each module are a type of its own, and pass from there to the program as they are.
package protocol Event: Sendable {}

/// Receives events as they happen, in order. It must return quickly. It can be given wherever events of one type are
/// received.
package typealias EventListener = @Sendable (any Event) -> Void

extension CeremonyEvent: Event {}
extension ContactEvent: Event {}
extension ClientLinking.Event: HybridTransport.Event {}
