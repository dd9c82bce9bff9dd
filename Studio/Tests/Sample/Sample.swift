import Foundation
import Travertine

/// Makes a realm for tests of the studio in a browser, or changes one while it is looked at.
///
/// usage: studio-sample DIRECTORY COUNT | studio-sample DIRECTORY --write
///
/// The same arguments give the same objects. With `--write` each line of standard input is a
/// commit, which is answered with a line: `rename N NAME` and `delete N` change the city N, `add`
/// adds a visit.
@main
enum Sample {
    static func main() throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3 else { fatalError("studio-sample DIRECTORY COUNT|--write") }
        let realm = try Realm(
            configuration: Realm.Configuration(
                fileURL: URL(fileURLWithPath: arguments[1], isDirectory: true),
                objectTypes: modelTypes))
        if arguments[2] == "--write" { return try write(realm) }
        try fill(realm, visitCount: Int(arguments[2]) ?? 1000)
    }

    // MARK: Changing

    private static func write(_ realm: Realm) throws {
        report("ready")
        while let line = readLine() {
            let words = line.split(separator: " ", maxSplits: 2).map(String.init)
            try realm.write {
                let city =
                    words.count > 1
                    ? realm.object(ofType: City.self, forPrimaryKey: Int(words[1]) ?? 0) : nil
                switch words.first {
                case "rename": city?.name = words[2]
                case "delete": city.map { realm.delete($0) }
                default:
                    realm.add(Visit(value: ["time": Date(timeIntervalSince1970: 1_800_000_000)]))
                }
            }
            report("done \(line)")
        }
    }

    private static func report(_ line: String) {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    // MARK: Filling

    private static let towns: [(name: String, longitude: Double, latitude: Double)] = [
        ("Porto", -8.61, 41.15), ("Lyon", 4.84, 45.76), ("Graz", 15.44, 47.07),
        ("Gent", 3.72, 51.05), ("Malmö", 13, 55.6), ("Turku", 22.27, 60.45), ("Brno", 16.61, 49.2),
        ("Gdańsk", 18.65, 54.35), ("Pécs", 18.23, 46.07), ("Split", 16.44, 43.51),
        ("Tartu", 26.73, 58.38), ("Kaunas", 23.9, 54.9), ("Bergen", 5.32, 60.39),
        ("Cork", -8.47, 51.9), ("Leeds", -1.55, 53.8), ("Sevilla", -5.98, 37.39),
        ("Napoli", 14.25, 40.85), ("Patras", 21.73, 38.25), ("Izmir", 27.14, 38.42),
        ("Oradea", 21.92, 47.07),
    ]
    private static let countries = [
        ("PT", "Portugal"), ("FR", "France"), ("AT", "Austria"), ("BE", "Belgium"),
        ("SE", "Sweden"), ("FI", "Finland"), ("CZ", "Czechia"), ("PL", "Poland"),
    ]
    private static let people = [
        "Ana", "Bo", "Chiara", "Dov", "Elif", "Filip", "Grete", "Hugo", "Ines", "Jan",
    ]
    private static let families = [
        "Almeida", "Berg", "Costa", "Dvořák", "Eriksen", "Fischer", "Girard", "Horvat", "Ivanov",
    ]

    private static func fill(_ realm: Realm, visitCount: Int) throws {
        let cityCount = min(2000, max(100, visitCount / 10))
        let personCount = min(1000, max(50, visitCount / 20))
        try realm.write {
            for (index, (code, name)) in countries.enumerated() {
                realm.create(
                    Country.self,
                    value: [
                        "code": code, "name": name,
                        "population": 5_000_000 + index * 3_777_777,
                        "flag": Picture.stripes(seed: index),
                    ])
            }
            let states = Array(realm.objects(Country.self))
            for index in 0..<cityCount { addCity(index, states[index % states.count], realm) }
            let cities = Array(realm.objects(City.self))
            for index in 0..<personCount { addPerson(index, cities, realm) }
        }
        let cities = Array(realm.objects(City.self))
        let persons = Array(realm.objects(Person.self))
        for start in stride(from: 0, to: visitCount, by: 50_000) {
            try realm.write {
                for index in start..<min(visitCount, start + 50_000) {
                    let visit = Visit()
                    visit.person = persons[index * 7 % persons.count]
                    visit.city = cities[index * 13 % cities.count]
                    visit.time = Date(timeIntervalSince1970: 1_600_000_000 + Double(index) * 97)
                    visit.rating = index * 31 % 11
                    visit.comment =
                        index % 3 == 0 ? nil : "Visit \(index) of \(towns[index % 20].name)"
                    visit.extra =
                        [.none, .int(index), .string("extra \(index)"), .bool(true)][index % 4]
                    realm.add(visit)
                }
            }
        }
    }

    private static func addCity(_ index: Int, _ country: Country, _ realm: Realm) {
        let town = towns[index % towns.count]
        let round = index / towns.count
        let name = round == 0 ? town.name : "\(town.name) \(round)"
        let city = City()
        city.id = index + 1
        city.name = name
        city.country = country
        city.population = 12_000 + index * 7919 % 2_400_000
        city.elevation = index % 5 == 0 ? nil : Double(index * 37 % 1800) / 2
        city.isCapital = index % 17 == 0
        city.founded =
            index % 4 == 0
            ? nil : Date(timeIntervalSince1970: -Double(index * 9_999_991 % 31_000_000_000))
        city.place = place(
            longitude: town.longitude + Double(round % 40) / 8,
            latitude: town.latitude - Double(round % 30) / 10)
        city.alternateNames.append(
            objectsIn: (0..<index % 4).map { "\(name) \("ABCD".dropFirst($0).first!)" })
        if index % 3 == 0 { city.tags.insert("harbour") }
        if index % 5 == 0 { city.tags.insert("university") }
        realm.add(city)
    }

    private static func place(longitude: Double, latitude: Double) -> Place {
        let place = Place()
        place.coordinates.append(objectsIn: [longitude, latitude])
        return place
    }

    private static func addPerson(_ index: Int, _ cities: [City], _ realm: Realm) {
        let person = Person()
        person._id = try! ObjectId(string: String(format: "6530%020x", index))
        person.name = people[index % people.count] + " " + families[index * 3 % families.count]
        person.email = index % 6 == 0 ? nil : "person\(index)@example.org"
        person.born = Date(timeIntervalSince1970: Double(index * 777_777 % 1_000_000_000))
        let address = Address()
        address.street = "\(index % 90 + 1) Rua das Pedras"
        address.postcode = index % 4 == 0 ? nil : String(format: "%05d", index * 83 % 99_999)
        address.city = cities[index * 11 % cities.count]
        address.place = place(longitude: Double(index % 40) - 9, latitude: 37 + Double(index % 25))
        person.address = address
        person.photo = index % 2 == 0 ? Picture.stripes(seed: index) : nil
        person.certificate = Data(
            (0..<index % 90 * 5).map { UInt8(truncatingIfNeeded: $0 * 7 + index) })
        for subject in ["art", "logic", "music"].prefix(index % 4) {
            person.scores[subject] = Double(index * subject.count % 100) / 10
        }
        person.balance = Decimal128(value: Double(index * 271 % 100_000) / 100)
        person.device = UUID(uuidString: String(format: "3B241101-E2BB-4255-8CAF-%012X", index))!
        person.note =
            [
                .none, .string("Prefers the window"), .int(index), .double(0.5),
                .bool(index % 2 == 0),
            ][index % 5]
        realm.add(person)
        let others = realm.objects(Person.self)
        if index > 3 {
            person.friends.append(objectsIn: (1...index % 4 + 1).map { others[index - $0] })
        }
    }
}
