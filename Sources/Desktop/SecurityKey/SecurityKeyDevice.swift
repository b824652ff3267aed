package import CTAP
internal import LinuxSupport
internal import SystemPackage

/// A security key: programs use it by the reports of a ``ReportChannel``, and an application answers their requests.
///
/// One request is answered at a time. Requests of four other programs wait meanwhile, with keep-alives, in the order in
/// which they came (HT-HID-36), also until the application has returned from one that was given up; further ones are
/// refused with ERR_CHANNEL_BUSY.
package final class SecurityKeyDevice: Sendable {
    /// The largest number of requests that wait. A user does not have more programs that ask at a time, and each may
    /// hold 7,609 bytes and has ten keep-alives a second, of the 250 reports that are sent in that time.
    static let maxWaitingCount = 4

    private let channel: any ReportChannel
    private let application: any SecurityKeyApplication
    private let version: CTAPHIDDeviceVersion
    private let start: @Sendable () -> Void
    private let wink: (@Sendable () -> Void)?

    /// Makes one that does not run yet.
    ///
    /// - Parameters:
    ///   - channel: carries the reports.
    ///   - version: the key's version that programs are told.
    ///   - application: answers the requests.
    ///   - start: is called once programs can use the key. It must not wait.
    ///   - wink: shows the user which key this is; nil if there is nothing to show. It must not wait.
    package init(
        over channel: any ReportChannel, version: CTAPHIDDeviceVersion, application: any SecurityKeyApplication,
        onStart start: @escaping @Sendable () -> Void = {}, onWink wink: (@Sendable () -> Void)? = nil
    ) {
        self.channel = channel
        self.version = version
        self.application = application
        self.start = start
        self.wink = wink
    }

    /// Is a security key until the task is cancelled. A request that is being answered then is cancelled, and waited
    /// for.
    ///
    /// - Throws: ``SecurityKeyError`` if the key ends by itself.
    package func run() async throws(SecurityKeyError) {
        let inbox: AnswerInbox
        do throws(Errno) {
            inbox = try AnswerInbox()
        } catch {
            throw SecurityKeyError(.failed, reason: "no pipe can be made: \(error)")
        }
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let loop = ReportLoop(
                    channel: channel, application: application, inbox: inbox,
                    device: CTAPHIDDevice(
                        version: version, canWink: wink != nil, maxWaitingCount: Self.maxWaitingCount),
                    start: start, wink: wink ?? {})
                do throws(Errno) {
                    try PollThread.start { continuation.resume(returning: loop.run()) }
                } catch {
                    let failure = SecurityKeyError(.failed, reason: "no thread can be started: \(error)")
                    continuation.resume(returning: ReportLoop.End(failure: failure, lastRequest: nil))
                }
            }
        } onCancel: {
            inbox.stop()
        }
        end.lastRequest?.cancel()
        await end.lastRequest?.value
        if let failure = end.failure { throw failure }
    }
}
