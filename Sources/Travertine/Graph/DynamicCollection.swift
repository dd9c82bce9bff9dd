#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Collections of a type that is known by the schema only.
enum DynamicCollection {
    /// The collection at a place.
    static func make(_ property: StoredProperty, _ anchor: CollectionAnchor)
        -> any UntypedCollection
    {
        if property.isVarying {
            return property.collection == .map
                ? bound(DynamicObject?.self, property, anchor)
                : bound(DynamicObject.self, property, anchor)
        }
        return switch property.type {
        case .int: make(Int.self, property, anchor)
        case .bool: make(Bool.self, property, anchor)
        case .string: make(String.self, property, anchor)
        case .data: make(Data.self, property, anchor)
        case .date: make(Date.self, property, anchor)
        case .float: make(Float.self, property, anchor)
        case .double: make(Double.self, property, anchor)
        case .objectId: make(ObjectId.self, property, anchor)
        case .decimal128: make(Decimal128.self, property, anchor)
        case .UUID: make(UUID.self, property, anchor)
        case .object: make(DynamicObject.self, property, anchor)
        case .any, .linkingObjects: bound(AnyRealmValue.self, property, anchor)
        }
    }

    private static func make<Element: RealmCollectionValue & _PersistableInsideOptional>(
        _ type: Element.Type, _ property: StoredProperty, _ anchor: CollectionAnchor
    ) -> any UntypedCollection {
        property.isOptional
            ? bound(Element?.self, property, anchor) : bound(Element.self, property, anchor)
    }

    private static func bound<Element: RealmCollectionValue>(
        _ type: Element.Type, _ property: StoredProperty, _ anchor: CollectionAnchor
    ) -> any UntypedCollection {
        switch property.collection {
        case .set:
            let set = MutableSet<Element>()
            set.bind(anchor)
            return set
        case .map:
            let map = Map<String, Element>()
            map.bind(anchor)
            return map
        case .list, .none:
            let list = List<Element>()
            list.bind(anchor)
            return list
        }
    }
}
