/// Writes the Swift classes of document schemas: one file for each object type and embedded type.
///
/// `int` and `long` are `Int`, what is not required is optional, nested objects are embedded ones,
/// fields of `relationships.json` are links, and `_id`, or the `keyName` of a collection, is the
/// primary key. Names follow the policy;
/// where they differ from the stored ones, the class maps one to the other. Collections in
/// collections become `AnyRealmValue`; constraints are left out.
public struct SwiftModels {
    /// How Swift names come from stored ones.
    public enum Naming: Sendable {
        /// As they are stored, as far as Swift can write them.
        case stored
        /// `first_name` becomes `firstName`; underscores at the beginning stay.
        case camelCase
    }

    /// A file with a class.
    public struct File: Sendable, Hashable {
        /// The class, which names the file.
        public let className: String
        /// The text.
        public let text: String

        /// The file's name: "Dog.swift".
        public var name: String { className + ".swift" }
    }

    private let naming: Naming
    private let module: String
    private var classes: [SwiftClass] = []
    /// The classes by the titles that were read, to find the ones of links and repetitions.
    private var classNames: [String: String] = [:]
    /// The names of classes in small letters: there are disks that do not distinguish case.
    private var usedNames: Set<String> = []

    /// The files of all types of a data source, in its order, each before its embedded types.
    ///
    /// - Parameters:
    ///   - collections: the types.
    ///   - naming: how Swift names come from stored ones.
    ///   - module: what the files import beside Foundation: `Travertine`, or `RealmSwift`, which is
    ///     the same by another name.
    /// - Throws: `ModelError` with everything that no class can have.
    public static func files(
        for collections: [DataSource.Collection], naming: Naming = .camelCase,
        importing module: String = "Travertine"
    ) throws(ModelError) -> [File] {
        try ModelRules.check(collections)
        var models = SwiftModels(naming: naming, module: module)
        for collection in collections {
            models.name(collection.schema.title ?? "")
        }
        for collection in collections {
            do throws(ModelError) {
                try models.add(collection, among: collections)
            } catch {
                throw error.inFile(of: collection)
            }
        }
        return models.classes.map { File(className: $0.name, text: $0.text) }
    }

    private init(naming: Naming, module: String) {
        self.naming = naming
        self.module = module
    }

    /// Gives a type its class name.
    @discardableResult
    private mutating func name(_ title: String) -> String {
        if let known = classNames[title] { return known }
        let name = SwiftNames.uniqueType(SwiftNames.typeName(title), &usedNames)
        classNames[title] = name
        return name
    }

    private mutating func add(
        _ collection: DataSource.Collection, among collections: [DataSource.Collection]
    ) throws(ModelError) {
        var links: [String: SwiftLink] = [:]
        for link in collection.relationships.all {
            let target = collections.first {
                link.target?.database == $0.database && link.target?.collection == $0.name
            }
            guard let target, let name = classNames[target.schema.title ?? ""] else {
                throw ModelError(
                    collection.schema.title, link.field,
                    "links to \(link.reference), which is not among the collections")
            }
            guard link.foreignKey == target.keyName else {
                throw ModelError(
                    collection.schema.title, link.field,
                    "links by \"\(link.foreignKey)\"; objects link by their key, "
                        + "\"\(target.keyName)\"")
            }
            links[link.field] = SwiftLink(className: name, isList: link.isList)
        }
        try add(collection.schema, keyName: collection.keyName, path: "", links)
    }

    private mutating func add(
        _ schema: DocumentSchema, keyName storedKey: String?, path: String,
        _ links: [String: SwiftLink]
    ) throws(ModelError) {
        let title = schema.title ?? ""
        var result = SwiftClass(
            name: name(title), storedName: title, isEmbedded: storedKey == nil, module: module)
        let place = classes.count
        classes.append(result)
        var names = SwiftNames.reservedMembers
        let storedNames = Set(schema.properties.map(\.name))
        let required = Set(schema.required.map { NameBytes($0) })
        // The key has the first choice of names.
        let keyName = storedKey.map { key in
            SwiftNames.uniqueMember(
                key == DataSource.Collection.usualKeyName
                    ? key : SwiftNames.memberName(key, naming),
                &names, of: key, among: storedNames)
        }
        for property in schema.properties {
            let fieldPath = path.isEmpty ? property.name : path + "." + property.name
            let isKey = property.name == storedKey
            var type: String
            if let link = links[fieldPath] {
                type = try linkType(link, property, title)
            } else {
                let isRequired = isKey || required.contains(NameBytes(property.name))
                type = try self.type(
                    property, isRequired: isRequired, owner: title, path: fieldPath, links)
            }
            let wanted = SwiftNames.memberName(property.name, naming)
            let name =
                isKey
                ? keyName
                : SwiftNames.uniqueMember(
                    wanted, &names, of: property.name, among: storedNames)
            result.properties.append(
                SwiftClass.Property(
                    name: name ?? wanted, storedName: property.name, type: type, isKey: isKey))
        }
        classes[place] = result
    }

    private func linkType(
        _ link: SwiftLink, _ property: DocumentSchema.Property, _ title: String
    ) throws(ModelError) -> String {
        switch (property.value.type, link.isList) {
        case (.scalar, false): return link.className + "?"
        case (.array(_, let isUnique), true):
            return (isUnique ? "MutableSet<" : "List<") + link.className + ">"
        case (.dictionary, true): return "Map<String, \(link.className)?>"
        default:
            throw ModelError(
                title, property.name,
                "is \(property.value.text), and a \(link.isList ? "list of links" : "link") in the "
                    + "relationships")
        }
    }

    private mutating func type(
        _ property: DocumentSchema.Property, isRequired: Bool, owner: String, path: String,
        _ links: [String: SwiftLink]
    ) throws(ModelError) -> String {
        switch property.value.type {
        case .scalar(.mixed): return SchemaScalar.mixed.swiftType
        case .scalar(let scalar): return scalar.swiftType + (isRequired ? "" : "?")
        case .object(let schema):
            return try embedded(schema, property.name, owner: owner, path: path, links) + "?"
        case .array(let items, let isUnique):
            let element = try self.element(
                items, property.name, owner: owner, path: path, links)
            return (isUnique ? "MutableSet<" : "List<") + element + ">"
        case .dictionary(let values):
            let element = try self.element(
                values, property.name, owner: owner, path: path, links)
            if case .object = values.type { return "Map<String, \(element)?>" }
            return "Map<String, \(element)>"
        }
    }

    private mutating func element(
        _ value: ValueSchema, _ name: String, owner: String, path: String,
        _ links: [String: SwiftLink]
    ) throws(ModelError) -> String {
        switch value.type {
        case .scalar(let scalar): return scalar.swiftType
        case .object(let schema):
            return try embedded(schema, name, owner: owner, path: path, links)
        case .array, .dictionary: return SchemaScalar.mixed.swiftType
        }
    }

    /// The class of an embedded type, which is written when its title is found first: the rules
    /// have it that all of one title are one class.
    private mutating func embedded(
        _ schema: DocumentSchema, _ field: String, owner: String, path: String,
        _ links: [String: SwiftLink]
    ) throws(ModelError) -> String {
        var schema = schema
        let title = schema.title ?? owner + "_" + field
        schema.title = title
        if let known = classNames[title] { return known }
        let name = self.name(title)
        try add(schema, keyName: nil, path: path, links)
        return name
    }
}
