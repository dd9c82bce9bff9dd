import RealmSwift

@testable import Travertine

/// Random paths.
extension PredicateGenerator {
    /// A path with so many properties, or fewer.
    mutating func route(_ type: String, steps: Int) -> Route {
        var route = Route(
            path: PropertyPath(), type: .object, target: type, isMany: false, mayBeNil: false,
            collection: nil)
        for step in 0..<steps {
            guard let target = route.target, let owner = world.data.types[target] else { break }
            if step > 0 && chance(20) { break }
            if chance(4) && !owner.isEmbedded {
                addBacklinks(&route, to: target)
                continue
            }
            add(pick(owner.properties), to: &route)
            if step == 0 && steps > 1 && route.target == nil && chance(60) {
                // Another try to get somewhere.
                route.path = PropertyPath()
                route.isMany = false
                route.mayBeNil = false
                route.collection = nil
                let links = owner.properties.filter { $0.target != nil }
                add(pick(links.isEmpty ? owner.properties : links), to: &route)
            }
        }
        return route
    }

    mutating func addBacklinks(_ route: inout Route, to target: String) {
        let sources = world.data.objectTypes.flatMap { type in
            world.data.types[type]!.properties.filter { property in
                property.isStored && !property.isEmbedded && mayLink(property, to: target)
                    && !isInherited(property.name, type)
            }.map { (type, $0.name) }
        }
        guard !sources.isEmpty else { return }
        let (type, property) = pick(sources)
        route.path = route.path.adding(.links(type: type, property: property))
        route.target = type
        route.type = .object
        route.isMany = true
        route.collection = .links(type: type, property: property)
    }

    /// Whether a property may lead to objects of a type; an exact one leads to no derived ones.
    private func mayLink(_ property: WorldProperty, to type: String) -> Bool {
        guard let target = property.target else { return false }
        return property.isExact ? target == type : world.data.isType(type, kindOf: target)
    }

    private func isInherited(_ property: String, _ type: String) -> Bool {
        guard let base = world.data.types[type]?.base else { return false }
        return world.data.types[base]?.property(property) != nil
    }

    mutating func add(_ property: WorldProperty, to route: inout Route) {
        route.path = route.path.adding(.property(property.name))
        route.type = property.type
        route.target = property.target
        route.collection = nil
        let wasNil = route.mayBeNil
        route.mayBeNil = wasNil || property.isOptional
        switch property.kind {
        case .single: break
        case .list where chance(20):
            route.path = route.path.adding(
                pick([.first, .last, .position(values.random.below(3))]))
            route.mayBeNil = true
        case .map where chance(40):
            route.path = route.path.adding(.key(pick(WorldGenerator.keys)))
            route.mayBeNil = true
        case .map where chance(15):
            route.path = route.path.adding(.values)
            route.isMany = true
        case .map where chance(25):
            route.path = route.path.adding(.keys)
            route.type = .string
            route.target = nil
            route.isMany = true
            route.mayBeNil = false
        default:
            route.isMany = true
            route.collection = property.kind
            if case .links = property.kind { route.mayBeNil = wasNil }
        }
        guard route.type == .any else { return }
        for _ in 0..<2 where chance(25) {
            switch values.random.below(4) {
            case 0:
                route.path = route.path.adding(.each)
                route.isMany = true
            case 1: route.path = route.path.adding(.key(pick(WorldGenerator.keys)))
            case 2: route.path = route.path.adding(.position(values.random.below(3)))
            default: route.path = route.path.adding(pick([.first, .last]))
            }
            // A step in a collection of values chooses among them, not in each of them.
            route.collection = nil
        }
    }
}
