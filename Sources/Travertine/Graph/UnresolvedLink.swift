/// Links whose targets are not there yet: they wait in a keyspace until they come.
///
/// A link that was given by the target's primary key, of which there is no object, reads as nil, or
/// is missing in its list. It is stored twice, by target and by source (Documentation/Documents.md,
/// 12.6), and set when an object with the key is stored by `LinkResolver`, or when everything is
/// looked through.
package struct UnresolvedLink: Equatable {
    /// The stored name of the type that links.
    package var source: String
    /// The key of the object that links.
    package var sourceKey: UInt64
    /// The stored name of the property.
    package var property: String
    /// The position in the list as it will be when nothing is missing; 0 for a single link. Of
    /// links in values of any type, which have paths, a number that no other one of the property
    /// has.
    package var position: UInt32
    /// The key in the map; empty in all else.
    package var mapKey: [UInt8]
    /// The way from the property to a link inside lists and dictionaries of values of any type,
    /// where a dictionary stands for it; empty in all else.
    package var path: [MixedStep]
    /// The stored name of the target's type.
    package var target: String
    /// The target's primary key as index keys have it.
    package var targetKey: [UInt8]

    /// A link to be written down.
    package init(
        source: String, sourceKey: UInt64, property: String, position: UInt32, mapKey: [UInt8],
        path: [MixedStep] = [], target: String, targetKey: [UInt8]
    ) {
        self.source = source
        self.sourceKey = sourceKey
        self.property = property
        self.position = position
        self.mapKey = mapKey
        self.path = path
        self.target = target
        self.targetKey = targetKey
    }

    /// Calls `body` with the target's primary key.
    package func withTargetKey<Result>(_ body: (_RawValue) throws -> Result) rethrows -> Result {
        try UnresolvedLinkCode.withRaw(targetKey, body)
    }
}
