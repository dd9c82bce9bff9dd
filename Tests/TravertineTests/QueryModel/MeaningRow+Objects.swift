import Foundation
import RealmSwift

@testable import Travertine

/// Q17 to Q19: objects.
extension MeaningRow {
    static var objects: [MeaningRow] {
        let chain: [[String: WorldValue]] = [
            ["size": .int(1)], ["next": spot(0)], ["next": spot(1)], ["next": spot(0)],
        ]
        let owners: [[String: WorldValue]] = [
            ["spots": .list([spot(0), spot(0)]), "name": .string("o")],
            ["spots": .list([spot(0), spot(1)]), "name": .string("p")],
        ]
        let backlinks = PropertyPath([.links(type: "WorldOwner", property: "spots")])
        return [
            MeaningRow(
                "Q1", "a nil link makes a value nil", chain,
                { _ in compare(path("next.size"), .equal, .constant(.none)) }, [0]),
            MeaningRow(
                "Q1", "through two links", chain,
                { _ in compare(path("next.next.size"), .equal, .constant(1)) }, [2]),
            MeaningRow(
                "Q17", "an object equals the same object", chain,
                { world in
                    compare(path("next"), .equal, .constant(world.mixed(spot(0))))
                }, [1, 3]),
            MeaningRow(
                "Q17", "a nil link is not an object", chain,
                { world in
                    compare(path("next"), .notEqual, .constant(world.mixed(spot(0))))
                }, [0, 2]),
            MeaningRow(
                "Q17", "no link is nil", chain,
                { _ in compare(path("next"), .equal, .constant(.none)) }, [0]),
            MeaningRow(
                "Q18", "linking objects by their name", chain,
                { _ in compare(path("before.id"), .equal, .constant(3)) }, [0]),
            MeaningRow(
                "Q18", "linking objects are counted", chain,
                { _ in compare(count("before"), .equal, .constant(2)) }, [0]),
            MeaningRow(
                "Q18", "an object that links twice is there once, its links are counted",
                type: "WorldOwner", others: [("WorldSpot", [:]), ("WorldSpot", [:])], owners,
                { _ in compare(count("spots.owners"), .equal, .constant(6)) }, [0]),
            MeaningRow(
                "Q18", "@links counts links", type: "WorldOwner",
                others: [("WorldSpot", [:]), ("WorldSpot", [:])], owners,
                { _ in
                    compare(
                        .subqueryCount(
                            PropertyPath(names: ["spots"]),
                            compare(.aggregate(.count, backlinks), .equal, .constant(3))),
                        .equal, .constant(1))
                }, [1]),
            MeaningRow(
                "Q18", "a path through linking objects", type: "WorldOwner",
                others: [("WorldSpot", [:]), ("WorldSpot", [:])], owners,
                { _ in compare(path("spots.owners.name"), .equal, .constant("p"), .all) }, []),
            MeaningRow(
                "Q19", "the type of an object", chain,
                { _ in
                    compare(.path(steps(.property("next"), .type)), .equal, .constant("WorldSpot"))
                }, [1, 2, 3]),
            MeaningRow(
                "Q19", "the type of a value", "anything",
                [.int(1), .string("a"), .decimal(1), .uuid(uuid(1)), .null],
                compare(
                    .path(steps(.property("anything"), .type)), .isIn,
                    .list(["int", "decimal128", "uuid"])), [0, 2, 3]),
        ]
    }
}
