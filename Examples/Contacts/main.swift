// An address book: projections for its screens, and a release with renamed properties.
//
//     swift run --package-path Examples Contacts
import Foundation
import Travertine

let directory = FileManager.default.temporaryDirectory
    .appendingPathComponent("travertine-contacts-\(UUID().uuidString)")
try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
defer { try? FileManager.default.removeItem(at: directory) }
let file = directory.appendingPathComponent("contacts.realm")
try FirstRelease.write(to: file)

// The second release renames a stored property, and adds one.
let realm = try Realm(
    configuration: Realm.Configuration(
        fileURL: file, schemaVersion: 2,
        migrationBlock: { migration, oldVersion in
            if oldVersion < 2 {
                migration.renameProperty(onType: "Person", from: "fullname", to: "full_name")
            }
        },
        objectTypes: [Contact.self, Company.self, Address.self]))

func show(_ title: String, _ realm: Realm) {
    print(title)
    let lines = realm.objects(ContactLine.self)
        .sorted(byKeyPath: "displayName")
    for line in lines {
        let star = line.isFavorite ? "★" : " "
        print("  \(star) \(line.name), \(line.companyName ?? "-"), \(line.city ?? "-")")
    }
}

show("after the change of release:", realm)

try realm.write {
    let edsger = Contact()
    edsger.id = UUID()
    edsger.displayName = "Edsger D."
    edsger.phones["home"] = "+31 40 0000"
    realm.add(edsger)
}
// Projections write through: the screen needs no model to change one.
let first = realm.objects(ContactLine.self).where { $0.displayName.starts(with: "Grace") }.first
try realm.write { first?.isFavorite = true }
show("after an edit:", realm)

let company = realm.objects(Company.self).first
print("\(company?.name ?? "-") has \(company?.staff.count ?? 0) of our contacts")
let favorites = realm.objects(Contact.self).where { $0.isFavorite == true }
print("favorites: \(favorites.map(\.displayName).joined(separator: ", "))")
