/// Asking whether a version that can still be read needs something, as a file.
extension Index {
    /// Whether a pin, or a root that may still be published, can see what was first seen in version
    /// `birth` and no longer in version `retirement` (G1). Any thread.
    ///
    /// Loads the published root before the slots: a pin taken afterwards is of that root or a newer
    /// one, as `PinTable` shows for reclamation.
    package func isHeld(from birth: UInt64, before retirement: UInt64) -> Bool {
        if publishedVersion < retirement { return true }
        var isHeld = false
        pinTable.visitTaken { version, _ in
            if version == PinSlot.announced || version >= birth && version < retirement {
                isHeld = true
            }
        }
        return isHeld
    }
}
