import Travertine

/// Finds the schema of documents from samples of them.
///
/// ```swift
/// let sampler = SchemaSampler(title: SchemaSampler.title(forCollection: "dogs"))
/// for document in documents { sampler.add(document) }
/// print(sampler.schema().jsonSchema)
/// ```
///
/// A field has the type of its values; integers are `long`, whatever their width, as the next one
/// may be larger (but see `keepsIntegerWidth`); integers and floating-point numbers `double` if a
/// double holds all of them, all other mixtures `mixed`; symbols are strings. Required is what
/// every sample has, not null, and what is a single value of a type. Documents in documents are
/// embedded types named after their place ("Dog_collar"), or dictionaries if they have no names, or
/// more than 64 of which none is in half of them. Arrays whose elements are null or arrays, or that
/// are empty, hold `mixed`; so does what is more than 50 documents deep. With the schema all
/// samples are imported and exported again, but for what `problems()` reports.
public final class SchemaSampler {
    /// The most bytes of a title, as of the name of an object type.
    public static let titleByteCountMax = TypeDeclaration.nameByteCountMax

    private let title: String
    private let keyName: String
    private let keepsIntegerWidth: Bool
    private let samples = ObjectSamples()
    private var unfitValues = SampleProblems()
    /// The documents without key, and the first of them.
    private var firstWithoutKey: (count: Int, position: Int)?

    /// Without samples yet.
    ///
    /// - Parameters:
    ///   - title: the name of the object type.
    ///   - keyName: the field that identifies a document.
    ///   - keepsIntegerWidth: whether fields whose integers all have 32 bits are `int`, of which an
    ///     import refuses larger ones.
    public init(
        title: String, keyName: String = DataSource.Collection.usualKeyName,
        keepsIntegerWidth: Bool = false
    ) {
        self.title = title
        self.keyName = keyName
        self.keepsIntegerWidth = keepsIntegerWidth
    }

    /// How many documents were added.
    public var documentCount: Int { samples.count }

    /// Takes a document into account.
    public func add(_ document: Document) {
        samples.add(document, documentCount + 1)
        if document[keyName]?.isNull ?? true {
            let first = firstWithoutKey ?? (0, documentCount)
            firstWithoutKey = (first.count + 1, first.position)
        }
        unfitValues.look(at: document, documentCount)
    }

    /// The schema that all samples fit.
    public func schema() -> DocumentSchema {
        var names = SchemaTitles(keepsIntegerWidth: keepsIntegerWidth)
        return samples.schema(title: names.unique(title), &names, depth: 0)
    }

    /// What of the samples an import with the schema refuses, or takes as something else: values of
    /// types that no property has, missing keys, and values of any type with too many levels.
    public func problems() -> [SampleProblem] {
        var problems = unfitValues
        samples.noteUnfit(schema(), path: [], &problems)
        // A key that no sample has is no property: `ModelError` reports that.
        if let missing = firstWithoutKey, missing.count < documentCount {
            problems.note(.noKey, at: [keyName], count: missing.count, missing.position)
        }
        return problems.all
    }
}

/// The titles that were given, each once and none longer than an object type's name may be, and how
/// integers are described.
private struct SchemaTitles {
    private static let byteCountMax = SchemaSampler.titleByteCountMax
    let keepsIntegerWidth: Bool
    private var given: Set<String> = []

    init(keepsIntegerWidth: Bool) { self.keepsIntegerWidth = keepsIntegerWidth }

    mutating func unique(_ title: String) -> String {
        var candidate = Self.cut(title, to: Self.byteCountMax)
        var number = 2
        while !given.insert(candidate).inserted {
            let suffix = String(number)
            candidate = Self.cut(title, to: Self.byteCountMax - suffix.utf8.count) + suffix
            number += 1
        }
        return candidate
    }

    private static func cut(_ text: String, to byteCount: Int) -> String {
        var text = text
        while text.utf8.count > byteCount { text.removeLast() }
        return text
    }
}

/// What was seen of documents in one place.
private final class ObjectSamples {
    private static let dictionaryNameCountMin = 65
    /// A schema has up to three levels of JSON for each level of documents, and may have 200.
    fileprivate static let depthMax = 50
    private(set) var count = 0
    private var order: [String] = []
    private var fields: [NameBytes: ValueSamples] = [:]

    @discardableResult
    func add(_ document: Document, _ position: Int) -> MixedShape {
        count += 1
        var shape = MixedShape(levels: 1)
        for element in document {
            let name = NameBytes(element.key)
            let field = fields[name] ?? ValueSamples()
            shape.add(field.add(element.value, position))
            if fields[name] == nil {
                fields[name] = field
                order.append(element.key)
            }
        }
        if Set(document.keys).count < document.count { shape.hasAlikeNames = true }
        return shape
    }

    /// What was seen under all names.
    var all: [ValueSamples] { order.compactMap { fields[NameBytes($0)] } }

    /// Notes the values that a property of the schema does not hold, as it is of any type.
    func noteUnfit(_ schema: DocumentSchema, path: [String], _ problems: inout SampleProblems) {
        for property in schema.properties {
            fields[NameBytes(property.name)]?.noteUnfit(
                property.value, path: path + [property.name], &problems)
        }
    }

    /// Whether the names are data rather than fields.
    private var isDictionary: Bool {
        if order.isEmpty { return true }
        return order.count >= Self.dictionaryNameCountMin
            && fields.values.allSatisfy { 2 * $0.count < count }
    }

    func schema(title: String, _ titles: inout SchemaTitles, depth: Int) -> DocumentSchema {
        var schema = DocumentSchema(title: title)
        for name in order {
            guard let field = fields[NameBytes(name)] else { continue }
            let value = field.schema(title: title + "_" + name, &titles, depth: depth + 1)
            schema.properties.append(DocumentSchema.Property(name, value))
            if case .scalar(let scalar) = value.type, scalar != .mixed,
                field.valueCount == count
            {
                schema.required.append(name)
            }
        }
        return schema
    }

    func kind(title: String, _ titles: inout SchemaTitles, depth: Int) -> ValueSchema.Kind {
        guard isDictionary else {
            return .object(schema(title: titles.unique(title), &titles, depth: depth))
        }
        let all = ValueSamples()
        for name in order { fields[NameBytes(name)].map { all.merge($0) } }
        return .dictionary(of: all.elementSchema(title: title, &titles, depth: depth + 1))
    }

    func merge(_ other: ObjectSamples) {
        count += other.count
        for name in other.order.map({ NameBytes($0) }) {
            guard let field = other.fields[name] else { continue }
            if fields[name] == nil {
                fields[name] = ValueSamples()
                order.append(name.text)
            }
            fields[name]?.merge(field)
        }
    }
}

/// What was seen of the values in one place.
private final class ValueSamples {
    private(set) var nullCount = 0
    private(set) var valueCount = 0
    private var scalars: Set<SchemaScalar> = []
    private var objects: ObjectSamples?
    private var elements: ValueSamples?
    /// Whether an integer has more digits than a double.
    private var hasLargeInteger = false
    /// What a property of any type does not hold of the values.
    private var unfit: [UnfitValue: (count: Int, position: Int)] = [:]

    var count: Int { nullCount + valueCount }

    func add(_ value: AnyBSON, _ position: Int) -> MixedShape {
        if case .null = value {
            nullCount += 1
            return MixedShape()
        }
        valueCount += 1
        var shape = MixedShape()
        switch value {
        case .array(let array):
            let elements = elements ?? ValueSamples()
            self.elements = elements
            shape.levels = 1
            for element in array { shape.add(elements.add(element, position)) }
        case .document(let document):
            if DBRef(document) == nil {
                let objects = objects ?? ObjectSamples()
                self.objects = objects
                shape = objects.add(document, position)
            } else {
                scalars.insert(.mixed)
                shape = ObjectSamples().add(document, position)
            }
        default: scalars.insert(Self.scalar(value))
        }
        if value.loss(in: .double) != nil { hasLargeInteger = true }
        if let reason = shape.unfit {
            unfit[reason] = ((unfit[reason]?.count ?? 0) + 1, unfit[reason]?.position ?? position)
        }
        return shape
    }

    /// Notes the values that a property does not hold, if it is, or has, values of any type.
    func noteUnfit(_ schema: ValueSchema, path: [String], _ problems: inout SampleProblems) {
        switch schema.elementKind {
        case .object(let inner):
            let places =
                switch schema.collectionKind {
                case .list, .set: [elements?.objects]
                case .map: objects?.all.map(\.objects) ?? []
                case .none: [objects]
                }
            for place in places { place?.noteUnfit(inner, path: path, &problems) }
        case .scalar(.mixed):
            for (value, found) in unfit.sorted(by: { $0.key.reason < $1.key.reason }) {
                problems.note(value, at: path, count: found.count, found.position)
            }
        default: break
        }
    }

    func merge(_ other: ValueSamples) {
        nullCount += other.nullCount
        valueCount += other.valueCount
        hasLargeInteger = hasLargeInteger || other.hasLargeInteger
        scalars.formUnion(other.scalars)
        if let theirs = other.objects {
            let ours = objects ?? ObjectSamples()
            objects = ours
            ours.merge(theirs)
        }
        if let theirs = other.elements {
            let ours = elements ?? ValueSamples()
            elements = ours
            ours.merge(theirs)
        }
    }

    func schema(title: String, _ titles: inout SchemaTitles, depth: Int) -> ValueSchema {
        guard elements != nil || objects != nil else {
            let isWidened = scalar == .int && !titles.keepsIntegerWidth
            return .scalar(isWidened ? .long : scalar)
        }
        guard depth <= ObjectSamples.depthMax, scalars.isEmpty else { return .scalar(.mixed) }
        guard let elements else {
            return objects.map { ValueSchema($0.kind(title: title, &titles, depth: depth)) }
                ?? .scalar(.mixed)
        }
        guard objects == nil else { return .scalar(.mixed) }
        let items = elements.elementSchema(title: title, &titles, depth: depth)
        return ValueSchema(.array(of: items, isUnique: false))
    }

    /// The type as an element of a collection, which is neither null nor a collection: a dictionary
    /// in a collection is a value of any type.
    func elementSchema(
        title: String, _ titles: inout SchemaTitles, depth: Int
    ) -> ValueSchema {
        if nullCount > 0 || elements != nil { return .scalar(.mixed) }
        let found = schema(title: title, &titles, depth: depth)
        if case .dictionary = found.type { return .scalar(.mixed) }
        return found
    }

    private var scalar: SchemaScalar {
        if scalars.count == 1, let only = scalars.first { return only }
        if scalars.isEmpty { return .mixed }
        if scalars.isSubset(of: [.int, .long]) { return .long }
        let isDouble = scalars.isSubset(of: [.int, .long, .double]) && !hasLargeInteger
        return isDouble ? .double : .mixed
    }

    private static func scalar(_ value: AnyBSON) -> SchemaScalar {
        switch value {
        case .int32: .int
        case .int64: .long
        case .double: .double
        case .decimal128: .decimal
        case .bool: .bool
        case .string, .symbol: .string
        case .binary: .binData
        case .uuid: .uuid
        case .objectId: .objectId
        case .datetime: .date
        default: .mixed
        }
    }
}
