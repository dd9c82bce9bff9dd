import Foundation
import RealmSwift
import TestSupport
import Testing

@testable import Travertine

@Suite("Histories with delete rules and required links")
struct RuleHistoryTests {
    private static let types: [ObjectBase.Type] = [
        Album.self, Track.self, Publisher.self, Singer.self,
    ]

    @Test(
        "random changes, savepoints and deletions equal a plain model, refused ones included",
        arguments: [1, 2, 3, 4] as [UInt64])
    func equalsModel(seed: UInt64) throws {
        let directory = TemporaryDirectory()
        var random = SeededRandom(seed: seed)
        var history = RuleHistory()
        for _ in 0..<5 {
            let realm = try directory.open(Self.types)
            #expect(RuleModel(realm) == history.model, "seed \(seed)")
            for _ in 0..<25 {
                let before = history.model
                do {
                    try realm.write { try history.transaction(realm, &random) }
                    #expect(!history.model.lacksSinger, "seed \(seed): a required link is nil")
                } catch let error as Realm.Error {
                    #expect(error.message.contains("Required link 'Album.singer'"), "\(error)")
                    #expect(history.model.lacksSinger, "seed \(seed): \(error)")
                    history.model = before
                    history.refusedCount += 1
                }
                #expect(RuleModel(realm) == history.model, "seed \(seed)")
            }
            #expect(
                try realm.brokenInvariants() == [], "seed \(seed)")
            if random.chance(50) { try realm.store.compact() }
        }
        let report = try ObjectVerifier.verify(path: directory.url.path)
        #expect(report.findings.isEmpty, "seed \(seed): \(report)")
        #expect(
            history.deniedCount > 2 && history.refusedCount > 2 && history.cascadeCount > 2,
            "seed \(seed): \(history)")
    }
}

/// An album in the model: what it links to, by number.
private struct AlbumModel: Equatable {
    var singer: Int?
    var publisher: Int?
    var tracks: [Int] = []
    var sequel: Int?
}

private struct RuleModel: Equatable {
    var albums: [Int: AlbumModel] = [:]
    var tracks: Set<Int> = []
    var publishers: Set<Int> = []
    var singers: Set<Int> = []

    init() {}

    init(_ realm: Realm) {
        for album in realm.objects(Album.self) {
            albums[album.id] = AlbumModel(
                singer: album.singer?.id, publisher: album.publisher?.id,
                tracks: album.tracks.map(\.id), sequel: album.sequel?.id)
        }
        tracks = Set(realm.objects(Track.self).map(\.id))
        publishers = Set(realm.objects(Publisher.self).map(\.id))
        singers = Set(realm.objects(Singer.self).map(\.id))
    }

    var lacksSinger: Bool { albums.values.contains { $0.singer == nil } }

    /// Deletes an album with what it cascades to; nil if one of these denies it.
    func deleting(album first: Int) -> RuleModel? {
        var next = self
        var pending = [first]
        while let id = pending.popLast() {
            guard let album = next.albums[id] else { continue }
            if album.publisher != nil { return nil }
            next.albums[id] = nil
            if let sequel = album.sequel { pending.append(sequel) }
            for track in album.tracks { next.delete(track: track) }
        }
        for (id, album) in next.albums where album.sequel.map({ next.albums[$0] == nil }) == true {
            next.albums[id]?.sequel = nil
        }
        return next
    }

    mutating func delete(track: Int) {
        tracks.remove(track)
        for id in albums.keys { albums[id]?.tracks.removeAll { $0 == track } }
    }
}

private struct RuleHistory {
    var model = RuleModel()
    var deniedCount = 0
    var refusedCount = 0
    var cascadeCount = 0

    mutating func transaction(_ realm: Realm, _ random: inout SeededRandom) throws {
        for _ in 0..<random.below(10) { try step(realm, &random) }
        let part = model
        do {
            try realm.savepoint {
                for _ in 0..<random.below(6) { try step(realm, &random) }
                if random.chance(40) { throw Stop() }
            }
        } catch is Stop {
            model = part
        }
        // Most transactions end with what they need.
        if random.chance(70) {
            let singer = realm.create(Singer.self, value: ["id": 0], update: .modified)
            model.singers.insert(0)
            for album in realm.objects(Album.self) where album.singer == nil {
                album.singer = singer
                model.albums[album.id]?.singer = 0
            }
        }
    }

    private mutating func step(_ realm: Realm, _ random: inout SeededRandom) throws {
        let id = random.below(8)
        switch random.below(10) {
        case 0, 1: make(realm, id, &random)
        case 2, 3: change(realm, id, &random)
        case 4, 5: link(realm, id, random.below(8), &random)
        case 6: try deleteAlbum(realm, id)
        case 7:
            guard let track = realm.object(ofType: Track.self, forPrimaryKey: id) else { return }
            realm.delete(track)
            model.delete(track: id)
        case 8:
            let found = realm.object(ofType: Publisher.self, forPrimaryKey: id)
            guard let found else { return }
            realm.delete(found)
            model.publishers.remove(id)
            for album in model.albums.keys where model.albums[album]?.publisher == id {
                model.albums[album]?.publisher = nil
            }
        default:
            guard let singer = realm.object(ofType: Singer.self, forPrimaryKey: id) else { return }
            realm.delete(singer)
            model.singers.remove(id)
            for album in model.albums.keys where model.albums[album]?.singer == id {
                model.albums[album]?.singer = nil
            }
        }
    }

    private mutating func make(_ realm: Realm, _ id: Int, _ random: inout SeededRandom) {
        let singer = random.below(8)
        realm.create(Album.self, value: ["id": id, "singer": ["id": singer]], update: .modified)
        model.singers.insert(singer)
        model.albums[id, default: AlbumModel()].singer = singer
    }

    private mutating func change(_ realm: Realm, _ id: Int, _ random: inout SeededRandom) {
        guard let album = realm.object(ofType: Album.self, forPrimaryKey: id) else { return }
        if random.chance(40) {
            album.publisher = nil
            model.albums[id]?.publisher = nil
        } else if random.chance(60) {
            let number = random.below(8)
            album.publisher = realm.create(
                Publisher.self, value: ["id": number], update: .modified)
            model.publishers.insert(number)
            model.albums[id]?.publisher = number
        } else {
            album.singer = nil
            model.albums[id]?.singer = nil
        }
    }

    private mutating func link(
        _ realm: Realm, _ id: Int, _ other: Int, _ random: inout SeededRandom
    ) {
        guard let album = realm.object(ofType: Album.self, forPrimaryKey: id) else { return }
        if random.chance(50) {
            let track = realm.create(Track.self, value: ["id": other], update: .modified)
            album.tracks.append(track)
            model.tracks.insert(other)
            model.albums[id]?.tracks.append(other)
        } else {
            album.sequel = realm.object(ofType: Album.self, forPrimaryKey: other)
            let isThere = model.albums[other] != nil
            model.albums[id]?.sequel = isThere ? other : nil
        }
    }

    private mutating func deleteAlbum(_ realm: Realm, _ id: Int) throws {
        guard let album = realm.object(ofType: Album.self, forPrimaryKey: id) else { return }
        guard let next = model.deleting(album: id) else {
            let error = #expect(throws: Realm.Error.self) {
                try realm.savepoint { realm.delete(album) }
            }
            #expect(error?.message.contains("its delete rule is deny") == true)
            deniedCount += 1
            return
        }
        realm.delete(album)
        if next.albums.count < model.albums.count - 1 || next.tracks != model.tracks {
            cascadeCount += 1
        }
        model = next
    }
}

class Album: Object {
    @Persisted(primaryKey: true) var id: Int
    @Persisted(required: true) var singer: Singer?
    @Persisted(deleteRule: .deny) var publisher: Publisher?
    @Persisted(deleteRule: .cascade) var tracks: List<Track>
    @Persisted(deleteRule: .cascade) var sequel: Album?
}

class Track: Object {
    @Persisted(primaryKey: true) var id: Int
}

class Publisher: Object {
    @Persisted(primaryKey: true) var id: Int
}

class Singer: Object {
    @Persisted(primaryKey: true) var id: Int
}
