/// The singular of English nouns, by tables: whole words first, then endings.
///
/// What is no plural that the tables know stays as it is, or loses an "s".
enum SingularNoun {
    /// The singular of a noun, in small or capital letters like the noun.
    static func of(_ noun: String) -> String {
        // A compound such as "userAddresses" ends in a separate word.
        if let start = noun.lastIndex(where: \.isUppercase), start != noun.startIndex,
            noun[noun.index(before: start)].isLowercase
        {
            return noun[..<start] + of(String(noun[start...]))
        }
        let small = noun.lowercased()
        if small.count <= 2 || unchanged.contains(small) { return noun }
        if let word = irregular[small] { return spelled(word, like: noun) }
        if losesS.contains(small) { return String(noun.dropLast()) }
        if losesES.contains(small) { return String(noun.dropLast(2)) }
        guard let rule = endings.first(where: { small.hasSuffix($0.ending) }),
            small.count > rule.ending.count || rule.isWord
        else { return noun }
        let added = noun.last?.isUppercase == true ? rule.added.uppercased() : rule.added
        let stem = String(noun.dropLast(rule.taken))
        return stem.isEmpty ? spelled(rule.added, like: noun) : stem + added
    }

    private static func spelled(_ word: String, like noun: String) -> String {
        if noun.count > 1, noun.allSatisfy(\.isUppercase) { return word.uppercased() }
        return noun.first?.isUppercase == true
            ? word.prefix(1).uppercased() + word.dropFirst() : word
    }

    // MARK: Endings

    /// An ending, how many of its letters go, and what comes in their place.
    private struct Rule {
        let ending: String
        let taken: Int
        let added: String
        /// Whether the ending is a word by itself too.
        let isWord: Bool

        init(_ ending: String, take taken: Int = 0, add added: String = "", isWord: Bool = false) {
            self.ending = ending
            self.taken = taken
            self.added = added
            self.isWord = isWord
        }
    }

    /// The first that fits counts.
    private static let endings: [Rule] = [
        // Nouns that change inside, also at the end of compounds: salespeople, housewives.
        Rule("people", take: 6, add: "person", isWord: true),
        Rule("children", take: 3, isWord: true), Rule("men", take: 2, add: "an", isWord: true),
        Rule("mice", take: 3, add: "ouse", isWord: true),
        Rule("geese", take: 4, add: "oose", isWord: true),
        Rule("teeth", take: 4, add: "ooth", isWord: true),
        Rule("feet", take: 3, add: "oot", isWord: true),
        Rule("wives", take: 3, add: "fe", isWord: true),
        Rule("knives", take: 3, add: "fe", isWord: true),
        Rule("wolves", take: 3, add: "f", isWord: true),
        Rule("shelves", take: 3, add: "f", isWord: true),
        Rule("loaves", take: 3, add: "f", isWord: true),
        Rule("thieves", take: 3, add: "f", isWord: true),
        Rule("halves", take: 3, add: "f", isWord: true),
        Rule("calves", take: 3, add: "f", isWord: true),
        Rule("scarves", take: 3, add: "f", isWord: true),
        Rule("hooves", take: 3, add: "f", isWord: true),
        // Greek and Latin.
        Rule("theses", take: 2, add: "is", isWord: true), Rule("lyses", take: 2, add: "is"),
        Rule("gnoses", take: 2, add: "is"), Rule("eaux", take: 1),
        // Where "es" is dropped, or only the "s".
        Rule("quizzes", take: 3, isWord: true), Rule("ies", take: 3, add: "y"),
        Rule("sses", take: 2), Rule("shes", take: 2), Rule("ches", take: 2), Rule("xes", take: 2),
        Rule("zzes", take: 2), Rule("tzes", take: 2), Rule("oes", take: 2),
        Rule("ouses", take: 1), Rule("auses", take: 1), Rule("uses", take: 2),
        // No plurals: glass, status, analysis.
        Rule("ss"), Rule("eaus", take: 1), Rule("us"), Rule("is"),
        Rule("s", take: 1),
    ]

    // MARK: Words

    /// Plurals that no ending shows.
    private static let irregular = [
        "oxen": "ox", "lice": "louse", "dice": "die", "lives": "life", "leaves": "leaf",
        "elves": "elf", "selves": "self", "themselves": "self", "wharves": "wharf",
        "dwarves": "dwarf", "sheaves": "sheaf", "grandchildren": "grandchild",
        "lenses": "lens", "axes": "axis", "crises": "crisis", "oases": "oasis",
        "emphases": "emphasis", "synopses": "synopsis", "nemeses": "nemesis",
        "geneses": "genesis", "neuroses": "neurosis", "psychoses": "psychosis",
        "symbioses": "symbiosis", "metamorphoses": "metamorphosis", "catharses": "catharsis",
        "criteria": "criterion", "phenomena": "phenomenon", "automata": "automaton",
        "taxa": "taxon", "bacteria": "bacterium", "curricula": "curriculum", "strata": "stratum",
        "memoranda": "memorandum", "errata": "erratum", "addenda": "addendum",
        "symposia": "symposium", "millennia": "millennium", "aquaria": "aquarium",
        "stadia": "stadium", "spectra": "spectrum", "quanta": "quantum", "ova": "ovum",
        "corpora": "corpus", "genera": "genus", "schemata": "schema", "stigmata": "stigma",
        "larvae": "larva", "algae": "alga", "formulae": "formula", "antennae": "antenna",
        "alumnae": "alumna", "vertebrae": "vertebra", "nebulae": "nebula",
        "indices": "index", "vertices": "vertex", "matrices": "matrix", "appendices": "appendix",
        "vortices": "vortex", "codices": "codex", "helices": "helix", "cortices": "cortex",
        "apices": "apex", "cacti": "cactus", "fungi": "fungus", "nuclei": "nucleus",
        "radii": "radius", "stimuli": "stimulus", "alumni": "alumnus", "foci": "focus",
        "syllabi": "syllabus", "loci": "locus", "termini": "terminus", "bacilli": "bacillus",
        "whizzes": "whiz", "passersby": "passerby", "fezzes": "fez",
    ]

    /// Nouns that are the same in the plural, or that only look like plurals.
    private static let unchanged = words(
        """
        series species news sheep fish deer moose bison salmon trout shrimp swine offspring
        aircraft spacecraft hovercraft watercraft data metadata media multimedia information
        equipment software hardware headquarters crossroads barracks gallows means corps chassis
        rendezvous physics mathematics economics politics analytics logistics athletics electronics
        genetics ethics rabies diabetes herpes scabies gas lens bias alias atlas canvas pancreas
        christmas pants jeans trousers scissors goods clothes thanks pyjamas pajamas always yes
        this its has was as gps sms dns css aws tls https ios macos os sos chaos cosmos ethos pathos
        asbestos rhinoceros kudos specimen regimen abdomen omen acumen stamen hymen bitumen lumen
        ramen cyclamen foramen dolmen amen semen albumen pumice
        """)

    /// Plurals that lose the "s" alone, against the ending that they have.
    private static let losesS = words(
        """
        movies cookies ties pies dies lies zombies selfies brownies calories rookies genies hoodies
        smoothies prairies aunties birdies pixies sorties collies magpies bookies cuties newbies
        foodies hippies neckties budgies goalies junkies menageries
        shoes toes foes hoes woes does oboes canoes horseshoes snowshoes tiptoes aloes roes floes
        caches aches headaches toothaches avalanches niches quiches moustaches mustaches psyches
        brioches tranches microfiches
        uses excuses muses fuses ruses abuses misuses reuses recluses hypotenuses accuses
        posses finesses crevasses impasses mousses lacrosses
        menus gurus gnus emus tutus haikus cpus gpus skus caribous bayous thous zebus flus
        taxis skis bikinis kiwis alibis safaris wikis emojis apis uris guis rabbis corgis bonsais
        samurais kpis pois minis maxis semis yetis
        """)

    /// Plurals that lose "es", against the ending that they have.
    private static let losesES = words(
        """
        gases aliases atlases canvases biases pancreases irises trellises mantises portcullises
        summonses topazes
        """)

    private static func words(_ text: String) -> Set<String> {
        Set(text.split { $0 == " " || $0 == "\n" }.map(String.init))
    }
}
