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

extension Index {
    /// Whether a pin of a version up to one is taken, or any is just being taken. Any thread.
    ///
    /// For what is hidden from readers before: a pin that is taken after this looked does not lead
    /// there.
    package func isPinned(through version: UInt64) -> Bool {
        var isPinned = false
        pinTable.visitTaken { taken, _ in
            if taken == PinSlot.announced || taken <= version { isPinned = true }
        }
        return isPinned
    }
}
