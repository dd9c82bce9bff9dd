import RealmSwift

/// Test targets share a process, and a realm without `objectTypes` takes every class of it: classes
/// of this target, some of which have one name, keep out of there.
class HiddenObject: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}

/// As above.
class HiddenEmbeddedObject: EmbeddedObject {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }
}
