import RealmSwift
import TestSupport

@testable import Travertine

/// What a history writes.
extension ObservedHistory {
    func write() throws {
        let isOwn = values.random.chance(50)
        let writer = isOwn ? watching : other
        world.use(writer)
        defer { world.use(watching) }
        // A transaction begins with a delivery, of all that was committed.
        version = HistoryVersion(data: world.data, rewriteCounts: rewriteCounts)
        let count = 1 + values.random.below(values.random.chance(15) ? 30 : 4)
        if values.random.chance(10) {
            let before = rewriteCounts
            try world.cancel { for _ in 0..<count { try change() } }
            rewriteCounts = before
            return
        }
        let isSilent = isOwn && values.random.chance(10)
        let silent = isSilent ? followed.filter { _ in values.random.chance(50) } : []
        try writer.write(withoutNotifying: silent.flatMap(\.tokens)) {
            for _ in 0..<count { try change() }
        }
        guard !silent.isEmpty else { return }
        version = HistoryVersion(data: world.data, rewriteCounts: rewriteCounts)
        for thing in silent { thing.skip() }
    }

    private func change() throws {
        switch values.random.below(10) {
        case 0: try addObject()
        case 1:
            let keys = world.data.keys(of: values.random.pick(world.data.objectTypes))
            if keys.count > 3 { world.delete(values.random.pick(keys)) }
        case 2: changeEmbedded()
        case 3: changeList()
        case 4: values.random.chance(60) ? changeList() : changeMap()
        default: setProperty()
        }
    }

    private func addObject() throws {
        let name = values.random.pick(WorldGenerator.common(world.data))
        try world.add(name, values.values(of: world.data.types[name]!, world.data))
    }

    private func setProperty() {
        let picked = pick { $0.isStored && $0.name != "id" && $0.name != "code" }
        guard let (key, property) = picked else { return }
        let value = values.value(property, world.data)
        // Often it is set to what it is.
        let old = world.data.objects[key]?.values[property.name] ?? .null
        let isSame = values.random.chance(10) && !property.isEmbedded
        noteRewrite(property, key, old, isSame ? old : value)
        world.set(property.name, of: key, isSame ? old : value)
    }

    private func noteRewrite(
        _ property: WorldProperty, _ key: WorldKey, _ old: WorldValue, _ new: WorldValue
    ) {
        guard property.type == .any, old.hasCollection || new.hasCollection else { return }
        rewriteCounts[key, default: [:]][property.name, default: 0] += 1
    }

    /// Changes an embedded object in its place.
    private func changeEmbedded() {
        guard let (key, owner) = pick({ $0.isEmbedded }) else { return }
        let links = (world.data.objects[key]?.values[owner.name] ?? .null).links
        guard !links.isEmpty else { return }
        let position = values.random.below(links.count)
        let found = world.handle(key)?[owner.name]
        let object =
            owner.kind == .single
            ? found as? ObjectBase : (found as? any WorldList)?.object(at: position)
        let property = values.random.pick(world.data.types[owner.target!]!.properties)
        let old = world.data.objects[links[position]]?.values[property.name] ?? .null
        let value = values.value(property, world.data)
        noteRewrite(property, links[position], old, value)
        world.change(property.name, of: links[position], to: value) {
            object?[property.name] = world.any(value, property)
        }
    }

    /// Changes elements of a list.
    private func changeList() {
        guard let (key, property) = pick({ $0.kind == .list && !$0.isEmbedded }) else { return }
        let name = property.name
        guard case .list(var elements)? = world.data.objects[key]?.values[name],
            let list = world.handle(key)?[name] as? any WorldList
        else { return }
        let position = values.random.below(elements.count + 1)
        switch values.random.below(4) {
        case 0 where elements.count > 1:
            let (from, to) = (
                values.random.below(elements.count), values.random.below(elements.count)
            )
            elements.insert(elements.remove(at: from), at: to)
            world.change(name, of: key, to: .list(elements)) { list.move(from: from, to: to) }
        case 1 where position < elements.count:
            elements.remove(at: position)
            world.change(name, of: key, to: .list(elements)) { list.remove(at: position) }
        default:
            let element = values.element(property, world.data)
            if element.isNull && !property.isOptional { return }
            if element.hasCollection {
                rewriteCounts[key, default: [:]][name, default: 0] += 1
            }
            let isReplaced = position < elements.count && values.random.chance(40)
            if isReplaced {
                elements[position] = element
            } else {
                elements.insert(element, at: position)
            }
            world.change(name, of: key, to: .list(elements)) {
                let made = world.element(element, property) as Any
                precondition(list.set(made, at: position, isReplaced: isReplaced), "\(made)")
            }
        }
    }

    private func changeMap() {
        guard let (key, property) = pick({ $0.kind == .map }) else { return }
        guard case .dictionary(var entries)? = world.data.objects[key]?.values[property.name],
            let map = world.handle(key)?[property.name] as? any WorldMap
        else { return }
        let name = values.random.pick(WorldGenerator.keys)
        if values.random.chance(30) {
            entries[name] = nil
            world.change(property.name, of: key, to: .dictionary(entries)) {
                precondition(map.set(nil, for: name))
            }
            return
        }
        let value =
            property.isOptional && values.random.chance(20)
            ? .null : values.element(property, world.data)
        if value.hasCollection || entries[name]?.hasCollection ?? false {
            rewriteCounts[key, default: [:]][property.name, default: 0] += 1
        }
        entries[name] = value
        world.change(property.name, of: key, to: .dictionary(entries)) {
            let made = world.element(value, property) as Any
            precondition(map.set(made, for: name), "\(made)")
        }
    }
}

extension WorldValue {
    /// Whether a list or dictionary is in the value.
    fileprivate var hasCollection: Bool {
        switch self {
        case .list, .dictionary: true
        default: false
        }
    }
}
