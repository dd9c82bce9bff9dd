import Travertine

/// The plans of the types that documents of one importer lead to.
final class ImportPlans {
    let realm: Realm
    /// How DBRefs name types.
    private let names: ReferenceNames
    private var byName: [String: ImportPlan] = [:]
    private var typesByName: [String: RowType?] = [:]

    init(_ realm: Realm, _ names: ReferenceNames) {
        self.realm = realm
        self.names = names
    }

    /// The plans of the type and of all embedded types, by name.
    var all: [ImportPlan] { byName.values.sorted { $0.type.name < $1.type.name } }

    /// What every plan counted of fields, by type.
    var fieldCounts: [String: (unknown: [String: Int], defaulted: [String: Int])] {
        get { byName.mapValues { ($0.unknownFields, $0.defaultedFields) } }
        set {
            for (name, plan) in byName {
                (plan.unknownFields, plan.defaultedFields) = newValue[name] ?? ([:], [:])
            }
        }
    }

    /// What the plans counted: of the main type by field, of embedded ones with their names before.
    func counts(
        _ counts: KeyPath<ImportPlan, [String: Int]>, of main: ImportPlan
    ) -> [String: Int] {
        all.reduce(into: main[keyPath: counts]) { found, plan in
            if plan === main { return }
            for (name, count) in plan[keyPath: counts] {
                found["\(plan.type.name).\(name)"] = count
            }
        }
    }

    /// The plan of a type, with those of its embedded types.
    func plan(_ type: RowType) throws(ImportError) -> ImportPlan {
        if let known = byName[type.name] { return known }
        let plan = ImportPlan(type, self)
        byName[type.name] = plan
        var keyless: [String] = []
        var unnamed: [String] = []
        for (slot, field) in type.fields.enumerated() where field.type == .object || field.isVarying
        {
            guard let target = self.type(field.target) else {
                keyless.append("\(type.name).\(field.name)")
                continue
            }
            if target.isEmbedded, field.isVarying {
                let classes = realm.rowTypes().filter { type.admits($0, at: slot) }
                if classes.contains(where: \.hasClassField) {
                    unnamed.append("\(type.name).\(field.name)")
                    continue
                }
                var plans: [String: ImportPlan] = [:]
                for own in classes { plans[own.name] = try self.plan(own) }
                plan.variants[slot] = plans
            } else if target.isEmbedded {
                plan.embedded[slot] = try self.plan(target)
            } else if target.keySlot != nil {
                plan.targets[slot] = target
            } else {
                keyless.append("\(type.name).\(field.name)")
            }
        }
        if !keyless.isEmpty { throw .keylessTargets(keyless) }
        if !unnamed.isEmpty { throw .embeddedBaseClasses(unnamed) }
        return plan
    }

    /// The type that a DBRef names.
    func type(referredToAs name: String) -> RowType? { type(names.type(named: name)) }

    /// The type with a stored name, which a link names.
    func type(_ name: String) -> RowType? {
        if let known = typesByName[name] { return known }
        let type = realm.rowType(name)
        typesByName[name] = .some(type)
        return type
    }
}
