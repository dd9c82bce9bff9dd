import Testing

@testable import TravertineDocuments

@Suite("Singular nouns")
struct SingularNounTests {
    private static let plurals = """
        dogs dog, cars car, days day, keys key, monkeys monkey, employees employee, trees tree,
        heroes hero, potatoes potato, tomatoes tomato, echoes echo, vetoes veto, mosquitoes mosquito,
        volcanoes volcano, photos photo, videos video, zeros zero, shoes shoe, toes toe, canoes canoe,
        statuses status, buses bus, viruses virus, bonuses bonus, campuses campus, houses house,
        warehouses warehouse, causes cause, clauses clause, uses use, excuses excuse, spouses spouse,
        boxes box, taxes tax, foxes fox, indexes index, axes axis, watches watch, churches church,
        branches branch, caches cache, headaches headache, dishes dish, crashes crash,
        addresses address, classes class, glasses glass, processes process, bosses boss,
        businesses business, cases case, databases database, phases phase, purchases purchase,
        licenses license, expenses expense, responses response, nurses nurse, courses course,
        purposes purpose, exercises exercise, lenses lens, gases gas, aliases alias, atlases atlas,
        canvases canvas, quizzes quiz, buzzes buzz, waltzes waltz, prizes prize, sizes size,
        wolves wolf, knives knife, leaves leaf, lives life, wives wife, housewives housewife,
        shelves shelf, bookshelves bookshelf, thieves thief, loaves loaf, halves half, calves calf,
        elves elf, scarves scarf, olives olive, waves wave, archives archive, gloves glove,
        natives native, chefs chef, roofs roof, cities city, countries country, companies company,
        skies sky, flies fly, movies movie, cookies cookie, ties tie, pies pie, zombies zombie,
        calories calorie, people person, salespeople salesperson, children child,
        grandchildren grandchild, men man, women woman, firemen fireman, mice mouse, lice louse,
        geese goose, feet foot, teeth tooth, oxen ox, analyses analysis, crises crisis,
        diagnoses diagnosis, hypotheses hypothesis, theses thesis, parentheses parenthesis,
        criteria criterion, phenomena phenomenon, bacteria bacterium, curricula curriculum,
        millennia millennium, spectra spectrum, indices index, vertices vertex, matrices matrix,
        appendices appendix, invoices invoice, prices price, services service, cacti cactus,
        fungi fungus, nuclei nucleus, radii radius, stimuli stimulus, alumni alumnus,
        formulae formula, larvae larva, bureaux bureau, plateaus plateau, menus menu, gurus guru,
        taxis taxi, apis api, wikis wiki, alibis alibi, ids id, topics topic, metrics metric
        """

    private static let unchanged = """
        series species news data metadata media status bus virus basis analysis axis iris tennis gas
        lens alias atlas class address process glass boss sheep fish deer aircraft information
        equipment software specimen omen regimen physics analytics chaos schema agenda camera human
        person child mouse box hero leaf corpus consensus radius means headquarters js ms
        """

    @Test("plurals of every kind have their singular")
    func singulars() {
        let pairs = Self.plurals.split { $0 == "," || $0 == "\n" }
            .map { $0.split(separator: " ").map(String.init) }
            .filter { !$0.isEmpty }
        #expect(pairs.count > 150 && pairs.allSatisfy { $0.count == 2 })
        for pair in pairs {
            #expect(SingularNoun.of(pair[0]) == pair[1])
            // What is singular already stays so.
            #expect(SingularNoun.of(pair[1]) == pair[1])
            #expect(
                SchemaSampler.title(forCollection: "old_" + pair[0])
                    == "Old" + pair[1].prefix(1).uppercased() + pair[1].dropFirst())
        }
    }

    @Test("what is no plural stays as it is")
    func others() {
        for noun in Self.unchanged.split(whereSeparator: \.isWhitespace).map(String.init) {
            #expect(SingularNoun.of(noun) == noun)
        }
        #expect(SingularNoun.of("") == "" && SingularNoun.of("s") == "s")
    }

    @Test("capital letters stay, and compounds end in a separate word")
    func letters() {
        for (plural, singular) in [
            ("Heroes", "Hero"), ("People", "Person"), ("PEOPLE", "PERSON"), ("MICE", "MOUSE"),
            ("SALESPEOPLE", "SALESPERSON"), ("DOGS", "DOG"), ("CITIES", "CITY"), ("URLs", "URL"),
            ("APIs", "API"), ("userIDs", "userID"), ("userIds", "userId"),
            ("userAddresses", "userAddress"), ("petMice", "petMouse"), ("Übungen", "Übungen"),
            ("犬", "犬"),
        ] {
            #expect(SingularNoun.of(plural) == singular)
        }
    }
}
