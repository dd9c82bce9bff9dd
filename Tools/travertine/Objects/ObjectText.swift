import Foundation
import Travertine
import TravertineDocuments

/// An object as lines for people: links as type and key, embedded objects and collections unfolded.
struct ObjectText {
    private let types: [ObjectSchema]
    /// How many elements of a collection are shown.
    private let elementCountMax: Int

    /// - Parameters:
    ///   - realm: the database.
    ///   - showsAll: whether collections are shown to their end.
    init(_ realm: Realm, showsAll: Bool = true) {
        types = realm.schema.objectSchema
        elementCountMax = showsAll ? .max : 20
    }

    /// The properties of an object, a line each, and more lines for those that are unfolded.
    func lines(_ document: Document, of schema: ObjectSchema, indent: Int = 2) -> [String] {
        let width = document.keys.map { TextWidth.of(shown($0)) }.max() ?? 0
        return document.flatMap { element in
            let property = schema[element.key]
            return lines(
                named: shown(element.key), width, indent,
                value: element.value, property,
                isMap: property?.isMap ?? false)
        }
    }

    private func lines(
        named name: String, _ width: Int, _ indent: Int, value: AnyBSON, _ property: Property?,
        isMap: Bool
    ) -> [String] {
        let start =
            String(repeating: " ", count: indent) + name
            + String(repeating: " ", count: max(0, width - TextWidth.of(name)))
        switch value {
        case .array(let values):
            let elements = values.enumerated().map { (String($0.offset), $0.element) }
            return [start + "  [\(Figures.count(values.count))]"]
                + self.elements(elements, property, indent + 2)
        case .document(let document) where isMap:
            let elements = document.map { (shown($0.key), $0.value) }
            return [start + "  {\(Figures.count(document.count))}"]
                + self.elements(elements, property, indent + 2)
        case .document(let document):
            guard let embedded = embedded(property) else { break }
            return [start] + lines(document, of: embedded, indent: indent + 2)
        default: break
        }
        return [start + "  " + text(value, property)]
    }

    private func elements(
        _ elements: [(String, AnyBSON)], _ property: Property?, _ indent: Int
    ) -> [String] {
        let listed = elements.prefix(elementCountMax)
        let width = listed.map { TextWidth.of($0.0) }.max() ?? 0
        let lines = listed.flatMap {
            self.lines(named: $0.0, width, indent, value: $0.1, property, isMap: false)
        }
        let rest = elements.count - listed.count
        if rest == 0 { return lines }
        return lines + [
            String(repeating: " ", count: indent) + "… and \(Figures.count(rest)) more: --all"
        ]
    }

    /// A value on one line.
    func text(_ value: AnyBSON, _ property: Property?) -> String {
        // Nothing at all would look as if the value were missing.
        if value == .string("") { return "\"\"" }
        if case .document(let document) = value, let link = Self.reference(document) { return link }
        guard let property, property.type == .object, value != .null, embedded(property) == nil,
            let target = property.objectClassName
        else { return CellText.shown(value) }
        switch value {
        case .array(let values):
            return "[" + values.map { text($0, property) }.joined(separator: ", ") + "]"
        case .document: return CellText.shown(value)
        default: return storedName(target) + " " + CellText.shown(value)
        }
    }

    /// A link whose type the value itself names.
    private static func reference(_ document: Document) -> String? {
        guard case .string(let type)? = document["$ref"], let key = document["$id"] else {
            return nil
        }
        return type + " " + CellText.shown(key)
    }

    private func storedName(_ name: String) -> String {
        types.first { $0.className == name }?.objectTypeName ?? name
    }

    /// The embedded type that a property holds objects of.
    private func embedded(_ property: Property?) -> ObjectSchema? {
        guard let name = property?.objectClassName else { return nil }
        return types.first { ($0.objectTypeName == name || $0.className == name) && $0.isEmbedded }
    }

    private func shown(_ text: String) -> String { ByteText.shown(Array(text.utf8), isHex: false) }
}
