/// Event of the user's session that matters to what is unlocked in it.
package enum SessionEvent: Sendable, Hashable {
    /// The screen is locked, or was locked already when the watch began.
    case screenLocked
    /// The screen is unlocked again.
    case screenUnlocked
    /// The machine is about to sleep. It waits until ``SessionWatch/allowSleep()``, but not for long: logind's own
    /// limit is 5 seconds unless its administrator has set another.
    case sleeping
    /// The machine is awake again.
    case woken
    /// The session has ended, or has begun to.
    case sessionEnded
    /// A service has gone, so that some of these events are no longer seen.
    case lost(DesktopSessionError.Code, reason: String)
}
