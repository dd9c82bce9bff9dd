import RealmSwift

/// Two versions of classes, with the same names.
enum SimulatedModels {
    static let old: [ObjectBase.Type] = [
        SimulatedShipV0.self, SimulatedPortV0.self, SimulatedNoteV0.self,
    ]
    static let new: [ObjectBase.Type] = [SimulatedShipV1.self, SimulatedPortV1.self]
}

class SimulatedShip: MigratedModel {
    override class func objectTypeName() -> String { "Ship" }
}

class SimulatedPort: MigratedModel {
    override class func objectTypeName() -> String { "Port" }
}

class SimulatedShipV0: SimulatedShip {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var captain: String
    @Persisted var text: String
    @Persisted var load: Int
    @Persisted var port: SimulatedPortV0?
    @Persisted var stops: List<SimulatedPortV0>
}

class SimulatedPortV0: SimulatedPort {
    @Persisted(primaryKey: true) var id: Int
    @Persisted var name: String
}

/// Is not there in the new version.
class SimulatedNoteV0: MigratedModel {
    @Persisted var text: String

    override class func objectTypeName() -> String { "Note" }
}

class SimulatedShipV1: SimulatedShip {
    @Persisted(primaryKey: true) var id: String
    @Persisted var master: String
    @Persisted(indexed: .fullText) var text: String
    @Persisted(indexed: true) var load: Double
    @Persisted var port: SimulatedPortV1?
    @Persisted var stops: List<SimulatedPortV1>
}

class SimulatedPortV1: SimulatedPort {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var name: String
    @Persisted var isOpen = true
    @Persisted(originProperty: "stops") var ships: LinkingObjects<SimulatedShipV1>
}
