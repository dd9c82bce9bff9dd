import Foundation
import Travertine

extension RealmCollection {
    /// The elements that fulfil a predicate with a text, live and in their order.
    ///
    /// Stops for a text that is wrong or does not fit the elements, and for `NSPredicate(block:)`.
    public func filter(_ predicate: NSPredicate) -> Results<Element> {
        stoppingForMisuse { try filter(predicate.formatPredicate()) }
    }

    /// The elements that fulfil a predicate with a text that may be wrong.
    ///
    /// - Throws: `Realm.Error` with code `.invalidInput`, whose message says what is wrong, shows
    ///   the line of the text and marks the place.
    public func filter(validating predicate: NSPredicate) throws -> Results<Element> {
        try filter(predicate.formatPredicate())
    }

    /// The position of the first element that fulfils a predicate with a text; nil if none does.
    public func index(matching predicate: NSPredicate) -> Int? {
        stoppingForMisuse { try index(matching: predicate.formatPredicate()) }
    }
}

extension RealmKeyedCollection {
    /// The values that fulfil a predicate with a text, live and in the order of their keys.
    ///
    /// Stops for a text that is wrong or does not fit the values, and for `NSPredicate(block:)`.
    public func filter(_ predicate: NSPredicate) -> Results<Value> {
        stoppingForMisuse { try filter(predicate.formatPredicate()) }
    }
}
