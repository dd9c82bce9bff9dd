import Travertine

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Bytes with a subtype that says what they are.
public struct BSONBinary: Sendable, Hashable {
    /// 0 is generic, 4 a UUID, 5 an MD5 sum, from 128 on the user's own.
    public var subtype: UInt8
    /// The bytes; for the old subtype 2, without the inner length.
    public var data: Data

    /// Bytes of a subtype.
    public init(_ data: Data, subtype: UInt8 = 0) {
        self.subtype = subtype
        self.data = data
    }
}

/// A point in time, in milliseconds since 1970: all of 64 bits, so years before and after `Date`'s.
public struct BSONDateTime: Sendable, Hashable, Comparable {
    /// Milliseconds since the first instant of 1970, without leap seconds.
    public var milliseconds: Int64

    /// The point in time at a number of milliseconds since 1970.
    public init(milliseconds: Int64) { self.milliseconds = milliseconds }

    /// The millisecond nearest to a date; the last one that there is for dates beyond all.
    public init(_ date: Date) {
        let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
        self.milliseconds =
            Int64(exactly: milliseconds) ?? (milliseconds < 0 ? .min : .max)
    }

    /// The date; exact to the millisecond for 100,000 years around 1970.
    public var date: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1_000) }

    /// Whether one point in time is before another.
    public static func < (left: BSONDateTime, right: BSONDateTime) -> Bool {
        left.milliseconds < right.milliseconds
    }
}

/// A replication timestamp: a second and a counter in it. Dates are `BSONDateTime`.
public struct BSONTimestamp: Sendable, Hashable, Comparable {
    /// Seconds since 1970.
    public var seconds: UInt32
    /// The number in the second.
    public var increment: UInt32

    /// A timestamp.
    public init(seconds: UInt32, increment: UInt32) {
        self.seconds = seconds
        self.increment = increment
    }

    /// Whether one timestamp is before another.
    public static func < (left: BSONTimestamp, right: BSONTimestamp) -> Bool {
        (left.seconds, left.increment) < (right.seconds, right.increment)
    }
}

/// A regular expression as text, with its options in alphabetic order.
public struct BSONRegularExpression: Sendable, Hashable {
    /// The pattern.
    public let pattern: String
    /// Letters such as "i" and "m".
    public let options: String

    /// A pattern with options in any order.
    public init(pattern: String, options: String = "") {
        self.pattern = pattern
        self.options = String(options.sorted())
    }

    /// A pattern with options as BSON has them.
    init(pattern: String, storedOptions: String) {
        self.pattern = pattern
        options = storedOptions
    }
}

/// A reference to a document by collection and identifier, from before DBRef.
public struct BSONPointer: Sendable, Hashable {
    /// The collection.
    public var collection: String
    /// The document's identifier.
    public var id: ObjectId

    /// A reference.
    public init(collection: String, id: ObjectId) {
        self.collection = collection
        self.id = id
    }
}

/// JavaScript with the values of its free names.
public struct BSONCode: Sendable, Hashable {
    /// The program.
    public var code: String
    /// Values of free names.
    public var scope: Document

    /// A program and values of its free names.
    public init(_ code: String, scope: Document) {
        self.code = code
        self.scope = scope
    }
}
