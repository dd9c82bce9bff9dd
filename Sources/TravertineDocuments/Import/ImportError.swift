#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why objects of a type cannot be made of documents.
public enum ImportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The realm has no such type.
    case unknownType(String)
    /// The type is embedded: its objects come with their owners.
    case embeddedType(String)
    /// The type is asymmetric: its objects go to a consumer once, and are made with
    /// `realm.create`.
    case asymmetricType(String)
    /// Links lead to a type that is not there, or that has no primary key.
    case keylessTargets([String])
    /// The type, or one that it embeds, lacks properties that the schema has, named by the way to
    /// them: their values would be lost.
    case missingProperties(String, [String])
    /// Properties embed objects of a class or of classes derived from it, one of which has a
    /// property "_t", by which documents say of which class an object is.
    case embeddedBaseClasses([String])

    /// What is wrong.
    public var description: String {
        switch self {
        case .unknownType(let name): "the realm has no object type \"\(name)\""
        case .embeddedType(let name):
            "\"\(name)\" is an embedded type: its objects come in the documents of their owners"
        case .asymmetricType(let name):
            "\"\(name)\" is asymmetric: its objects go to a consumer once, and can't be imported"
        case .missingProperties(let name, let paths):
            "the realm's type \"\(name)\" lacks what the schema has, so that values would be lost: "
                + paths.joined(separator: ", ")
                + ". Open the realm with classes that have these properties, import into a new "
                + "realm, or take them out of the schema"
        case .embeddedBaseClasses(let paths):
            "documents say by \"_t\" of which derived class an embedded object is, and one of the "
                + "classes has a property of this name: " + paths.joined(separator: ", ")
        case .keylessTargets(let paths):
            "in documents a link is the key of its target; links to types without primary key are "
                + paths.joined(separator: ", ")
        }
    }
}

extension ImportError: LocalizedError {
    /// The description, for `localizedDescription`.
    public var errorDescription: String? { description }
}
