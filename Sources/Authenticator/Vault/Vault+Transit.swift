public import PasskeyAuthenticator

// Passkeys that are handed over from one vault to another.

extension Vault {
    /// The passkeys that were handed over and may have arrived, the longest first. They answer no request.
    ///
    /// - Throws: `CredentialStoreError` `closed`.
    public func inTransit() throws(CredentialStoreError) -> [CredentialInTransit] {
        try checkOpen()
        return list.inTransit
    }

    /// Notes that passkeys are about to be handed over; that is on the disk when this returns, and they answer no
    /// request any more.
    ///
    /// - Parameters:
    ///   - ids: the IDs of passkeys in use.
    ///   - receiver: the vault that they are handed over to.
    /// - Throws: `CredentialStoreError` as ``update(_:)``; then all are still in use.
    public func sendAway(
        ids: [[UInt8]], to receiver: CredentialInTransit.Receiver
    ) throws(CredentialStoreError) {
        try checkOpen()
        try keep(list.sendingAway(ids: ids, to: receiver, at: now()))
    }

    /// The passkeys that another vault has said it has, the longest first. They answer no request.
    ///
    /// Each is kept for 30 days, and is gone with the first change after that. A clock that is set back begins them
    /// again.
    ///
    /// - Throws: `CredentialStoreError` `closed`.
    public func handedOver() throws(CredentialStoreError) -> [HandedOverCredential] {
        try checkOpen()
        return list.handedOver
    }

    /// Removes passkeys that were handed over; they are gone from the file when this returns.
    ///
    /// - Parameter ids: the IDs of some of ``handedOver()``.
    /// - Throws: `CredentialStoreError` as ``update(_:)``; then all are still kept.
    public func purge(ids: Set<[UInt8]>) throws(CredentialStoreError) {
        try checkOpen()
        try keep(list.purging(ids: ids))
    }

    /// Ends the transit of passkeys: those that have arrived are kept as ``handedOver()``, the others are in use again.
    /// One whose account has another passkey here by now is a replaced one instead, as ``replaced()`` says.
    ///
    /// - Parameters:
    ///   - arrived: the IDs of those that the other vault has.
    ///   - takenBack: the IDs of those that it does not have.
    /// - Throws: `CredentialStoreError` as ``update(_:)``; then all are still in transit.
    public func settle(arrived: [[UInt8]], takenBack: [[UInt8]]) throws(CredentialStoreError) {
        try checkOpen()
        guard !arrived.isEmpty || !takenBack.isEmpty else { return }
        try keep(list.settling(arrived: arrived, takenBack: takenBack, at: now()))
    }

    /// Keeps passkeys that were handed over to this vault; they are on the disk when this returns.
    ///
    /// - Parameters:
    ///   - credentials: the passkeys.
    ///   - isMove: true if their sender gives them up. Then it is noted too that the sender may not know yet that they
    ///     have arrived; see ``arrivedIDs()``.
    /// - Returns: the outcome for each.
    /// - Throws: `CredentialStoreError` as ``add(_:)``; then none was kept.
    package func receive(
        _ credentials: [Credential], isMove: Bool
    ) throws(CredentialStoreError) -> [CredentialList.Arrival] {
        try checkOpen()
        var changed = contents
        let arrivals: [CredentialList.Arrival]
        (changed.list, arrivals) = try list.receiving(credentials)
        if isMove {
            let new = zip(credentials, arrivals).filter { $1 != .otherOfAccount }.map { $0.0.id }
            changed.unconfirmed = changed.unconfirmed.filter { !new.contains($0) } + new
            changed.unconfirmed = changed.unconfirmed.suffix(CredentialFile.maxUnconfirmedCount)
        }
        try keep(changed)
        return arrivals
    }

    /// The IDs of the passkeys that have arrived here: of those in use, in transit from here, and replaced, and of
    /// those that were moved here and whose sender may not know it, even if they were moved on or removed since. One
    /// that was handed over from here, and is not among those, may be on its way back: it has not arrived.
    ///
    /// - Throws: `CredentialStoreError` `closed`.
    package func arrivedIDs() throws(CredentialStoreError) -> Set<[UInt8]> {
        try checkOpen()
        var ids = Set(contents.unconfirmed)
        ids.formUnion(list.credentials.lazy.map(\.id))
        ids.formUnion(list.inTransit.lazy.map(\.credential.id))
        ids.formUnion(list.replaced.lazy.map(\.credential.id))
        return ids
    }

    /// Notes that the sender of passkeys knows that they have arrived.
    ///
    /// - Throws: `CredentialStoreError` as ``update(_:)``.
    package func confirmArrivals(ids: Set<[UInt8]>) throws(CredentialStoreError) {
        try checkOpen()
        var changed = contents
        changed.unconfirmed.removeAll { ids.contains($0) }
        guard changed.unconfirmed.count < contents.unconfirmed.count else { return }
        try keep(changed)
    }

    /// The number of passkeys that there is room for.
    ///
    /// - Throws: `CredentialStoreError` `closed`.
    package func room() throws(CredentialStoreError) -> Int {
        try checkOpen()
        return max(0, CredentialList.maxCount - list.credentials.count - list.inTransit.count)
    }
}
