import RealmSwift

@testable import Travertine

/// The classes of random schemas, which add properties to them.
class PoolStone: Object, WorldClass {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(indexed: true) var rank: Int
    @Persisted var label: String
    @Persisted var beside: PoolStone?
    @Persisted var kin: List<PoolStone>
    @Persisted(originProperty: "beside") var neighbours: LinkingObjects<PoolStone>

    override class func propertiesMapping() -> [String: String] { ["label": "caption"] }
}

class PoolGem: PoolStone {
    @Persisted var cut: Int?
}

class PoolView: Projection<PoolStone> {
    @Projected(\PoolStone.label) var title
    @Projected(\PoolStone.beside?.rank) var besideRank
    @Projected(\PoolStone.kin.projectTo.label) var kinLabels: ProjectedCollection<String>

    /// What each property leads to.
    static let paths = [
        "title": ["label"], "besideRank": ["beside", "rank"], "kinLabels": ["kin", "label"],
    ]
}
