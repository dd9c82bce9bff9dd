import Foundation
import RealmSwift
import TestSupport

/// The objects in the golden stores of one schema format.
///
/// `fill` and `change` made the stores once, with the code of their time; `check` is run for ever.
protocol GoldenObjects: SendableMetatype {
    /// The classes that the store is opened with.
    static var types: [ObjectBase.Type] { get }

    /// Makes a store; its checkpoint comes later.
    static func fill(_ directory: TemporaryDirectory) throws -> Realm

    /// The changes after the checkpoint.
    static func change(_ realm: Realm) throws

    /// Finds all objects as `fill` made them, and as `change` left them.
    static func check(_ realm: Realm, isChanged: Bool) throws
}
