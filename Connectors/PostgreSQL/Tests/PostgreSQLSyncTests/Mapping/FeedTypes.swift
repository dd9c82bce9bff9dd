import Testing
import Travertine

/// The types of a realm as a feed shows them.
func feedTypes(of realm: Realm, feed name: String = "types") throws -> [FeedType] {
    let feed = try realm.feed(named: name)
    defer { feed.close() }
    try feed.startOver()
    var types: [FeedType] = []
    try feed.read { event in if case .schema(let shown) = event { types = shown } }
    return types
}
