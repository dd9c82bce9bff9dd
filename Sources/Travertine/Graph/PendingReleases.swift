import CPlatform

/// Values that wait to be released, so that a chain of unmanaged objects that goes with its first
/// one may be of any length.
///
/// The compiler's release goes down a chain by calling itself. Here it does so until half of the
/// thread's stack is used. The object or collection that goes there takes its values out, and
/// releases them one after another; what goes by that leaves its own values in the same queue.
final class PendingReleases {
    private var values: [Any] = []
    /// Whether the description of a class is being made, of an instance that goes again.
    private var isDescribing = false

    /// The queue of this thread, if one is at work.
    private static var current: PendingReleases? {
        travertine_releases().map {
            Unmanaged<PendingReleases>.fromOpaque($0).takeUnretainedValue()
        }
    }

    /// Takes the values that may lead to others out of an object that goes, and releases them.
    @inline(never)
    static func takeValues(of object: ObjectBase) {
        working { $0.takeValues(of: object) }
    }

    /// Releases values that a collection took out of itself when it went. They are taken out of the
    /// array as well: nobody else holds them while they are released.
    @inline(never)
    static func release(_ values: inout [Any]) {
        working {
            $0.values += values
            values = []
        }
    }

    /// Runs `body` with this thread's queue; the call that begins the queue empties it.
    private static func working(_ body: (PendingReleases) -> Void) {
        if let current { return body(current) }
        let queue = PendingReleases()
        travertine_set_releases(Unmanaged.passUnretained(queue).toOpaque())
        body(queue)
        while queue.releaseLast() {}
        travertine_set_releases(nil)
    }

    private func takeValues(of object: ObjectBase) {
        // An instance of a class that is being described has nothing but initial values.
        if isDescribing { return }
        isDescribing = true
        let info = ClassInfo.of(type(of: object))
        isDescribing = false
        for slot in info.referenceSlots {
            let property = info.properties[slot]
            if let value = property.wrapper.takeValue(at: object._memory + property.offset) {
                values.append(value)
            }
        }
    }

    private func releaseLast() -> Bool { values.popLast() != nil }
}
