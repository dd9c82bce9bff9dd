import RealmSwift
import TestSupport
import Testing

/// What custom classes may say differently of their objects.
@Suite("Overridden members")
struct OverriddenMemberTests {
    @Test("a class has its own description, unmanaged and managed, with that of its base")
    func descriptions() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Badge.self, BadgeHolder.self])
        let badge = Badge(value: ["text": "a"])
        #expect("\(badge)" == "Badge a" && badge.description == "Badge a")
        #expect(badge.plainDescription == "Badge {\n\ttext = a;\n}")
        let holder = BadgeHolder(value: ["badge": badge])
        try realm.write { realm.add(holder) }
        #expect("\(badge)" == "Badge a" && String(describing: badge as Object) == "Badge a")
        // What objects lead to is written out.
        #expect("\(holder)".contains("text = a;"))
        try realm.write { realm.delete(badge) }
        #expect(badge.isInvalidated && badge.invalidationCount == 1)
    }

    @Test("so does a projection")
    func projections() throws {
        let directory = TemporaryDirectory()
        let realm = try directory.open([Badge.self, BadgeHolder.self])
        try realm.write { realm.create(Badge.self, value: ["text": "a"]) }
        let view = try #require(realm.objects(BadgeView.self).first)
        #expect("\(view)" == "view of a" && view.plainDescription.contains("text = a;"))
    }

    @Test("a subscript by name can be overridden")
    func subscripts() {
        let badge = Badge(value: ["text": "a"])
        #expect(badge["shout"] as? String == "A" && badge["text"] as? String == "a")
        badge["text"] = "b"
        #expect(badge.text == "b" && badge.value(forKey: "shout") as? String == "B")
    }
}

class Badge: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var text: String
    var invalidationCount = 0

    override var description: String { "Badge \(text)" }
    var plainDescription: String { super.description }

    override var isInvalidated: Bool {
        if super.isInvalidated { invalidationCount += 1 }
        return super.isInvalidated
    }

    override subscript(key: String) -> Any? {
        get { key == "shout" ? text.uppercased() : super[key] }
        set { super[key] = newValue }
    }
}

class BadgeHolder: Object {
    override class func shouldIncludeInDefaultSchema() -> Bool { false }

    @Persisted var badge: Badge?
}

class BadgeView: Projection<Badge> {
    @Projected(\Badge.text) var text

    override var description: String { "view of \(text)" }
    var plainDescription: String { super.description }
}
