"""What the shopper knows of the world: kinds of products, other names for them, and what goes together."""

from dataclasses import dataclass

from drretail.llm.offline.shopper.words import word_set


@dataclass(frozen=True, slots=True)
class Kind:
    """``loose`` names count only where the query speaks of the theme: "houses" means birdhouses among birds."""

    name: str
    theme: str
    also: tuple[str, ...] = ()
    loose: tuple[str, ...] = ()
    consumable: bool = False
    ask: str = ""
    """What to look up on the web: the choice that matters, care, safety."""


# Words that show what a query is about, by theme.
THEMES: dict[str, tuple[str, ...]] = {
    "birds": ("bird", "birds", "birdwatching", "birding", "hummingbird", "cardinal", "wren", "finch"),
    "garden": ("garden", "gardening", "yard", "backyard", "patio", "lawn", "vegetables", "tomatoes", "flowers"),
    "dogs": ("dog", "dogs", "puppy", "pup", "labrador", "retriever", "terrier"),
    "cats": ("cat", "cats", "kitten", "kittens"),
    "baby": ("baby", "newborn", "infant", "toddler", "nursery"),
    "skin": ("skin", "skincare", "face", "complexion"),
    "hair": ("hair", "scalp", "beard"),
    "make-up": ("makeup", "cosmetics"),
    "wellness": ("wellness", "vitamin", "vitamins", "supplement", "supplements", "aromatherapy", "relax"),
    "health": ("health", "medication", "medicine", "pills", "hypertension"),
    "laundry": ("laundry", "washing"),
    "sleep": ("sleep", "bedroom", "insomnia", "bedding"),
    "kitchen": ("kitchen", "cooking", "coffee", "cook", "meal"),
    "desk": ("desk", "office", "workspace", "study", "homework"),
    "tools": ("tool", "tools", "workshop", "diy", "renovation", "repair"),
    "light": ("lighting", "lamp", "bulbs"),
    "safety": ("fire", "smoke", "alarm"),
}

EVERY_CUE = frozenset(word for cues in THEMES.values() for word in cues)

KINDS: tuple[Kind, ...] = (
    Kind(
        "bird feeder",
        "birds",
        ("hummingbird feeder", "suet feeder", "seed feeder", "bird feeding station"),
        ("feeder",),
        ask="cleaning bird feeders how often",
    ),
    Kind(
        "birdhouse",
        "birds",
        ("bird house", "nesting box", "nest box"),
        ("house",),
        ask="birdhouse dimensions placement cleaning",
    ),
    Kind("bird bath", "birds", ("birdbath",), ("bath",), ask="bird bath depth cleaning"),
    Kind(
        "wildflower seeds",
        "garden",
        ("flower seeds", "wildflower seed mix", "wildflower mix"),
        ("plant", "flower", "seed"),
        consumable=True,
        ask="sowing wildflower seeds timing",
    ),
    Kind(
        "raised garden bed",
        "garden",
        ("raised bed", "planter box", "garden bed"),
        ask="raised garden bed depth materials",
    ),
    Kind(
        "solar path lights",
        "garden",
        ("solar lights", "path lights", "pathway lights", "solar garden lights"),
        ask="solar path lights lumens batteries",
    ),
    Kind(
        "garden hose",
        "garden",
        ("water hose", "expandable hose"),
        ("hose",),
        ask="garden hose materials drinking water",
    ),
    Kind(
        "pruning shears",
        "garden",
        ("pruners", "secateurs", "hand pruner"),
        ("shears",),
        ask="bypass or anvil pruning shears",
    ),
    Kind("dog bed", "dogs", ("pet bed", "orthopedic bed"), ("bed",), ask="dog bed size older dogs washing"),
    Kind("dog harness", "dogs", ("no pull harness",), ("harness",), ask="dog harness fit measuring"),
    Kind(
        "slow feeder bowl",
        "dogs",
        ("slow feeder", "slow feed bowl", "puzzle bowl"),
        ("bowl",),
        ask="slow feeder bowl cleaning safety",
    ),
    Kind(
        "pet grooming brush",
        "dogs",
        ("grooming brush", "deshedding brush", "dog brush", "cat brush"),
        ask="grooming brush by coat type",
    ),
    Kind("cat litter mat", "cats", ("litter mat", "litter trapping mat"), ask="cat litter mat size cleaning"),
    Kind(
        "cat scratching post",
        "cats",
        ("scratching post", "scratcher", "scratch post"),
        ask="cat scratching post height stability",
    ),
    Kind("diaper bag", "baby", ("nappy bag", "diaper backpack"), ask="choosing a diaper bag weight pockets"),
    Kind(
        "swaddle blanket",
        "baby",
        ("swaddle", "receiving blanket", "swaddling blanket"),
        ask="swaddle blanket when to stop",
    ),
    Kind("silicone bib", "baby", ("baby bib", "feeding bib"), ("bib",), ask="silicone bib cleaning"),
    Kind(
        "baby bottle",
        "baby",
        ("feeding bottle", "anti colic bottle"),
        ("bottle",),
        ask="baby bottle materials compared",
    ),
    Kind("crib sheet", "baby", ("fitted crib sheet", "crib bedding"), ask="crib sheet fit safe sleep"),
    Kind("white noise machine", "sleep", ("sound machine", "noise machine"), ask="white noise machine volume distance"),
    Kind(
        "facial moisturizer",
        "skin",
        ("face moisturizer", "moisturiser", "moisturizer", "face cream"),
        consumable=True,
        ask="facial moisturizer ingredients skin type",
    ),
    Kind(
        "vitamin C serum",
        "skin",
        ("vitamin c face serum", "vitamin c facial serum"),
        ("serum",),
        consumable=True,
        ask="vitamin c serum morning or evening storage",
    ),
    Kind("shampoo", "hair", ("hair shampoo",), consumable=True, ask="shampoo sensitive scalp ingredients"),
    Kind(
        "makeup brush set",
        "make-up",
        ("makeup brush", "make up brush", "cosmetic brush"),
        ask="makeup brush cleaning how often",
    ),
    Kind("hair clips", "hair", ("hair claw", "claw clip", "hair barrette"), ask="hair clips thin thick hair"),
    Kind("electric shaver", "hair", ("electric razor", "shaver"), ask="electric shaver foil or rotary"),
    Kind(
        "essential oil set",
        "wellness",
        ("essential oil", "aromatherapy oil"),
        consumable=True,
        ask="essential oil safety dilution pets",
    ),
    Kind(
        "magnesium supplement",
        "wellness",
        ("magnesium", "magnesium glycinate"),
        consumable=True,
        ask="magnesium supplement dose side effects",
    ),
    Kind("vitamin D3", "wellness", ("vitamin d", "d3"), consumable=True, ask="vitamin d3 dose upper limit"),
    Kind(
        "pill organizer",
        "health",
        ("pill box", "pill case", "medicine organizer", "pill organiser"),
        ask="pill organizer child safety",
    ),
    Kind(
        "blood pressure monitor",
        "health",
        ("bp monitor", "blood pressure cuff"),
        ask="blood pressure monitor cuff size accuracy",
    ),
    Kind(
        "laundry detergent sheets",
        "laundry",
        ("laundry detergent", "detergent sheet", "laundry sheet"),
        consumable=True,
        ask="laundry detergent sheets compared",
    ),
    Kind("weighted blanket", "sleep", (), ("blanket",), ask="weighted blanket weight safety"),
    Kind(
        "bed sheet set",
        "sleep",
        ("bed sheet", "sheet set", "bedsheet"),
        ("sheet",),
        ask="bed sheet thread count material",
    ),
    Kind("humidifier", "sleep", ("cool mist humidifier",), ask="humidifier cleaning humidity level"),
    Kind("cast iron skillet", "kitchen", ("cast iron pan", "skillet"), ask="cast iron skillet seasoning care"),
    Kind("coffee grinder", "kitchen", ("burr grinder",), ("grinder",), ask="coffee grinder burr or blade cleaning"),
    Kind(
        "food storage containers",
        "kitchen",
        ("food containers", "storage containers", "meal prep containers"),
        ask="food storage containers glass or plastic",
    ),
    Kind("gel pen set", "desk", ("gel pen",), ("pen",), consumable=True, ask="gel pen tip width smearing"),
    Kind("desk organizer", "desk", ("desk organiser", "desktop organizer"), ask="desk organizer compartments size"),
    Kind("ergonomic mouse pad", "desk", ("mouse pad", "mousepad", "wrist rest"), ask="mouse pad wrist rest ergonomics"),
    Kind("planner", "desk", ("daily planner", "weekly planner", "agenda"), ask="planner daily or weekly layout"),
    Kind("label maker", "desk", ("label printer",), ask="label maker tape types"),
    Kind("desk lamp", "desk", ("reading lamp", "task lamp"), ("lamp",), ask="desk lamp lumens color temperature"),
    Kind("cordless drill", "tools", ("power drill", "drill driver"), ("drill",), ask="cordless drill voltage torque"),
    Kind("tape measure", "tools", ("measuring tape",), ask="tape measure accuracy class"),
    Kind(
        "wall anchor kit",
        "tools",
        ("wall anchor", "drywall anchor"),
        ("anchor",),
        ask="wall anchor drywall weight rating",
    ),
    Kind("headlamp", "light", ("head lamp", "head torch"), ask="headlamp lumens battery"),
    Kind(
        "LED light bulbs",
        "light",
        ("led bulb", "light bulb"),
        ("bulb",),
        consumable=True,
        ask="led light bulb lumens color temperature",
    ),
    Kind("smoke detector", "safety", ("smoke alarm",), ask="smoke detector placement replacement"),
)

# Shelf words by which an order of an unlisted kind is known to be used up.
CONSUMABLE_WORDS = word_set(
    """seed soap shampoo conditioner serum cream lotion oil supplement vitamin capsule tablet softgel gummy detergent
    refill filter litter treat food snack tea coffee pen ink paper wipe diaper battery bulb sunscreen toothpaste mask
    deodorant cologne perfume polish balm gel"""
)
