"""Makes the forty conversations that ship: words by hand, wishes by edits of the turn before, each proved by the shop.

    python scripts/make_conversations.py

It writes drretail/querygen/benchmark/conversations.jsonl with its gold. A turn that can be met has a basket in the demo
world; of one that can't, that is proved. If neither holds of a turn, nothing is written.
"""

import gzip
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from drretail.api.worlds import world_of
from drretail.env.offers import Offers
from drretail.experiments.query_files import gold_line, write_with_gold
from drretail.querygen.converse import turn_after
from drretail.querygen.reading import WORLD
from drretail.records.query import Query, Relation
from drretail.records.shop import Money
from drretail.records.wish import Demand, Want, Wish
from drretail.shopping.basket import Candidates
from drretail.shopping.listing import folded_name

TO = Path(__file__).parents[1] / "drretail" / "querygen" / "benchmark" / "conversations.jsonl"
SOURCE = (
    "drretail conversations-40 benchmark data: not for training corpora; canary 2f0d6c1b-5a77-4e0e-9d3c-81c4a6be97f2"
)
KINDS = {
    "birdhouse": "Birdhouses|bird house",
    "desk lamp": "Desk Lamps",
    "mouse pad": "Mouse Pads & Wrist Rests",
    "planner": "Planners",
    "dog bed": "dog bed",
    "slow feeder": "Slow Feeders",
    "coffee grinder": "Coffee Grinders",
    "diaper bag": "Diaper Bags",
    "swaddle blanket": "Swaddling Blankets",
    "shampoo": "Shampoos",
    "daughter's shampoo": "Shampoos",
    "skillet": "Skillets",
    "tape measure": "Tape Measures",
    "pill organizer": "Pill Organizers",
    "scratching post": "Scratching Posts",
    "brush": "pet brush|dog brush|cat brush",
    "smoke detector": "Smoke Detectors & Fire Alarms",
    "moisturizer": "Face Moisturizers",
    "serum": "Serums",
    "shaver": "Electric Shavers",
    "drill": "Drill Drivers",
    "blood pressure monitor": "Blood Pressure Monitors",
    "desk organizer": "Desktop Organizers",
    "birdbath": "Birdbaths",
    "white noise machine": "Sleep Soothers|white noise machine",
    "baby bottle": "Bottle-Feeding > Bottles",
    "hair clip": "Clips & Barrettes|hair clip",
    "headlamp": "Headlamps",
    "light bulbs": "LED Bulbs",
    "pruning shears": "Pruning Shears",
    "magnesium": "Magnesium",
    "sheet set": "Sheet & Pillowcase Sets",
    "bib": "Bibs",
    "flower seeds": "Flower Seeds",
    "path lights": "Path Lights",
    "wall anchors": "Anchors",
}


@dataclass
class WishDraft:
    """What is wanted from a turn on, while it is edited."""

    wants: dict[str, Want]
    budget: Money | None
    relations: dict[str, Relation] = field(default_factory=dict[str, Relation])

    def change(self, name: str, **fields: Any) -> None:
        self.wants[name] = self.wants[name].model_copy(update=fields)

    def limit(self, name: str, must: list[Demand]) -> None:
        """More that it must be; a field that is limited already gets another value."""
        fields = {demand.field for demand in must}
        self.change(name, must=(*(demand for demand in self.wants[name].must if demand.field not in fields), *must))


Edit = Callable[[WishDraft], None]


def add(name: str, *fields: str) -> Edit:
    want = Want(name=name, kinds=tuple(KINDS[name].split("|")), must=tuple(map(_read, fields)))
    return lambda draft: draft.wants.update({name: want})


def _read(field: str) -> Demand:
    """Of "Color=Sage", "Color=Sage=in sage" with the words of the shopper, or "Memory>=240 readings"."""
    name, value, say = [*field.split("="), ""][:3]
    if name.endswith(">"):
        number, _, unit = value.partition(" ")
        return Demand(say=say or value, field=name[:-1], least=float(number), unit=unit)
    return Demand(say=say or value.lower(), field=name, any_of=(value,))


def must(name: str, *fields: str) -> Edit:
    return lambda draft: draft.limit(name, [*map(_read, fields)])


def forget(name: str, field: str) -> Edit:
    return lambda draft: draft.change(name, must=tuple(e for e in draft.wants[name].must if e.field != field))


def pieces(name: str, number: int) -> Edit:
    return lambda draft: draft.change(name, quantity=number)


def drop(name: str) -> Edit:
    return lambda draft: draft.wants.pop(name) and None


def than(name: str, relation: Relation) -> Edit:
    return lambda draft: draft.relations.update({name: relation})


def most(amount: int) -> Edit:
    return lambda draft: setattr(draft, "budget", Money.of(amount))


IMPOSSIBLE = "impossible"
"""Marks a turn that the shop can't meet: the next one goes on from the turn before it."""
Turn = tuple[Any, ...]
CONVERSATIONS: list[list[Turn]] = [
    [
        ("I'd like a birdhouse for our back fence, nothing above $40.", add("birdhouse"), most(40)),
        ("It should be made for wrens.", must("birdhouse", "Target Species=Wren=for wrens")),
        ("In moss green, please.", must("birdhouse", "Color=Moss Green")),
        ("Hm, white would go better with the fence after all.", must("birdhouse", "Color=White")),
        ("Then I'll take two of them. You can spend up to $50 in all.", pieces("birdhouse", 2), most(50)),
        ("And some flower seeds, $75 for everything.", add("flower seeds"), most(75)),
    ],
    [
        ("Can you find me a desk lamp for up to $70?", add("desk lamp"), most(70)),
        ("There is no room for a base: it has to clamp to the desk.", must("desk lamp", "Mounting Type=Desk Clamp")),
        ("Do you have one from another brand?", than("desk lamp", "other_brand")),
        ("No, I liked the one before better. Go back to that, please.", than("desk lamp", "back")),
        (
            "And a mouse pad with a gel wrist rest. $110 for everything.",
            add("mouse pad", "Wrist Rest Fill=Gel=gel wrist rest"),
            most(110),
        ),
    ],
    [
        ("I need a planner, for $80 at the very most.", add("planner"), most(80)),
        ("A weekly one.", must("planner", "Format=Weekly")),
        ("And I'd like a hardcover.", must("planner", "Cover Material=Hardcover")),
        (
            "A hardcover isn't that important. But the big size, please: 8.5 x 11 inches.",
            forget("planner", "Cover Material"),
            must("planner", "Size=8.5 x 11 Inch=8.5 x 11 inches"),
        ),
        ("Make it two, one is for my sister. $80 for both.", pieces("planner", 2)),
    ],
    [
        ("Our dog needs a new bed, and I can spend $70.", add("dog bed"), most(70)),
        ("He's big, so it has to be the large size.", must("dog bed", "Size=Large")),
        ("It needs a waterproof liner, too.", must("dog bed", "Cover=Waterproof Liner")),
        ("Could you find me that for under $30?", most(30), IMPOSSIBLE),
        ("All right, then leave it as it was.",),
        ("Add a slow feeder bowl. I can spend $80 on both.", add("slow feeder"), most(80)),
    ],
    [
        ("I'm after a burr coffee grinder, up to $90.", add("coffee grinder"), most(90)),
        ("A quiet one, please.", must("coffee grinder", "Noise Level=Low Noise 62 dB=quiet")),
        (
            "The noise isn't that important. What do you have that's cheaper?",
            forget("coffee grinder", "Noise Level"),
            than("coffee grinder", "cheaper"),
        ),
        (
            "It should have 30 grind settings, though, even if it's not the cheapest.",
            must("coffee grinder", "Grind Settings>=30 grind settings"),
        ),
        ("Good. My sister wants one, too, so two of them, up to $180.", pieces("coffee grinder", 2), most(180)),
    ],
    [
        ("A friend is having a baby. I want to give her a diaper bag for up to $60.", add("diaper bag"), most(60)),
        ("She'd prefer a messenger bag.", must("diaper bag", "Style=Messenger=messenger bag")),
        ("A big one. I saw some with 32 liters.", must("diaper bag", "Capacity=32 L=32 liters")),
        ("Is there one from another brand?", than("diaper bag", "other_brand")),
        ("Put a swaddle blanket in as well. $100 in all.", add("swaddle blanket"), most(100)),
        ("No, take the blanket out again. Back to $60, then.", drop("swaddle blanket"), most(60)),
    ],
    [
        ("I'm looking for a shampoo, not more than $25.", add("shampoo"), most(25)),
        ("My hair is dry, so one for that.", must("shampoo", "Hair Type=Dry=for dry hair")),
        ("Two of them, then; $35 is fine.", pieces("shampoo", 2), most(35)),
        (
            "My daughter needs one, too, for her curls. $55 for all of it.",
            add("daughter's shampoo", "Hair Type=Curly=for curls"),
            most(55),
        ),
        ("One bottle of mine is enough after all.", pieces("shampoo", 1)),
    ],
    [
        ("Please pick a cast iron skillet for me, under $60.", add("skillet"), most(60)),
        ("An enameled one.", must("skillet", "Finish=Enameled")),
        ("And it should be 10.25 inches.", must("skillet", "Size=10.25 Inch=10.25 inches")),
        ("Do you have that any cheaper?", than("skillet", "cheaper")),
        ("Good. A second one for my mother, so up to $110.", pieces("skillet", 2), most(110)),
    ],
    [
        ("I need a tape measure, $45 at most.", add("tape measure"), most(45)),
        ("35 feet long, please.", must("tape measure", "Length=35 ft=35 feet")),
        ("With a magnetic hook.", must("tape measure", "Hook=Magnetic Hook")),
        ("Can I see one from a different brand?", than("tape measure", "other_brand")),
        ("No, the one before that.", than("tape measure", "back")),
    ],
    [
        ("What pill organizer can I get for $30?", add("pill organizer"), most(30)),
        (
            "I take pills four times a day.",
            must("pill organizer", "Doses per Day=4 Times a Day=four times a day"),
        ),
        ("In clear blue, please.", must("pill organizer", "Color=Clear Blue")),
        ("Show me another one like that.", than("pill organizer", "other")),
        ("Fine. I'll take two, up to $60.", pieces("pill organizer", 2), most(60)),
    ],
    [
        ("My dog eats too fast. A slow feeder, please, up to $20.", add("slow feeder"), most(20)),
        ("Made of silicone.", must("slow feeder", "Material=Silicone")),
        ("One that holds 3 cups.", must("slow feeder", "Capacity=3 Cup=3 cups")),
        ("Is there one like that for under $10?", most(10), IMPOSSIBLE),
        (
            "Then I'd take the 1.5-cup size, if it's no more than $10.",
            must("slow feeder", "Capacity=1.5 Cup=1.5 cups"),
            most(10),
        ),
    ],
    [
        ("Our cat wants a scratching post. I'd pay up to $110.", add("scratching post"), most(110)),
        ("It should be 40 inches tall.", must("scratching post", "Height=40 Inch=40 inches")),
        ("And wrapped in sisal rope.", must("scratching post", "Material=Sisal Rope")),
        ("That's a bit pricey. Is there a cheaper one?", than("scratching post", "cheaper")),
        (
            "Fine. He has long hair, so a brush for that, too. $130 for both.",
            add("brush", "Hair Type=Long Hair=for long hair"),
            most(130),
        ),
    ],
    [
        ("I want a smoke detector, up to $70.", add("smoke detector"), most(70)),
        (
            "One with a sealed battery that lasts ten years.",
            must("smoke detector", "Power Source=10-Year Sealed Battery=sealed ten-year battery"),
        ),
        (
            "And it should link to other detectors wirelessly.",
            must("smoke detector", "Connectivity=Wireless Interlink=wireless interlink"),
        ),
        (
            "I'd like one with a voice alert.",
            must("smoke detector", "Alarm Type=Voice Alert"),
            IMPOSSIBLE,
        ),
        ("Then without the voice alert, please.",),
        ("I'll take two, one for each floor, up to $130.", pieces("smoke detector", 2), most(130)),
    ],
    [
        ("Please suggest a face moisturizer up to $40.", add("moisturizer"), most(40)),
        ("It has to be fragrance free.", must("moisturizer", "Scent=Fragrance Free")),
        ("My skin is sensitive.", must("moisturizer", "Skin Type=Sensitive")),
        ("Do you have anything cheaper?", than("moisturizer", "cheaper")),
        (
            "And a serum with L-ascorbic acid. All of it for $50.",
            add("serum", "Active Ingredient=L-Ascorbic Acid"),
            most(50),
        ),
    ],
    [
        ("I'd like an electric shaver for my husband, at most $100.", add("shaver"), most(100)),
        ("With a 3-blade foil head.", must("shaver", "Head Type=3-Blade Foil")),
        ("The battery should last two hours.", must("shaver", "Battery Life>=120 minutes=two hours")),
        ("Anything from another brand?", than("shaver", "other_brand")),
        ("Actually, let's keep it under $60.", most(60)),
    ],
    [
        ("I need a cordless drill, up to $100.", add("drill"), most(100)),
        ("20 volts.", must("drill", "Voltage=20V=20 volts")),
        ("And a brushless motor.", must("drill", "Motor Type=Brushless Motor")),
        ("Can I get that for $40?", most(40), IMPOSSIBLE),
        (
            "Keep the drill as it was, then. Add a 35 ft tape measure, $130 in all.",
            add("tape measure", "Length=35 ft"),
            most(130),
        ),
    ],
    [
        ("My father needs a blood pressure monitor, up to $60.", add("blood pressure monitor"), most(60)),
        ("For the upper arm.", must("blood pressure monitor", "Cuff Position=Upper Arm")),
        (
            "It should store a lot of readings. I've seen some that hold 240.",
            must("blood pressure monitor", "Memory>=240 readings"),
        ),
        ("Is there another brand?", than("blood pressure monitor", "other_brand")),
        ("I'd rather have the one from before.", than("blood pressure monitor", "back")),
    ],
    [
        ("I want to tidy my desk. A desk organizer for up to $70, please.", add("desk organizer"), most(70)),
        ("It needs ten compartments.", must("desk organizer", "Number of Compartments=10 Compartments")),
        ("Made of bamboo.", must("desk organizer", "Material=Bamboo")),
        ("No, recycled plastic is better.", must("desk organizer", "Material=Recycled Plastic")),
        ("In black, please.", must("desk organizer", "Color=Black")),
        ("And a navy mouse pad, still $70 for everything.", add("mouse pad", "Color=Navy")),
    ],
    [
        ("We'd like a birdbath, for no more than $60.", add("birdbath"), most(60)),
        ("16 inches wide.", must("birdbath", "Size=16 inch=16 inches wide")),
        ("Do you have that in glazed ceramic?", must("birdbath", "Material=Glazed Ceramic"), IMPOSSIBLE),
        ("Too bad. Then it doesn't have to be ceramic.",),
        (
            "And a birdhouse for chickadees, $70 for both.",
            add("birdhouse", "Target Species=Chickadee=for chickadees"),
            most(70),
        ),
    ],
    [
        ("A mouse pad, please, up to $50.", add("mouse pad"), most(50)),
        ("In slate gray.", must("mouse pad", "Color=Slate Gray")),
        ("With a smooth cloth surface.", must("mouse pad", "Surface=Smooth Cloth")),
        ("Make it two, one is for the office. $50 for both.", pieces("mouse pad", 2)),
        ("And a silver desk lamp, everything for $80.", add("desk lamp", "Color=Silver"), most(80)),
        ("There's already one at the office, so one mouse pad is enough.", pieces("mouse pad", 1)),
    ],
    [
        ("Our baby isn't sleeping well. A white noise machine, up to $70?", add("white noise machine"), most(70)),
        ("It should have a sunrise light.", must("white noise machine", "Light=Sunrise Wake Light=sunrise light")),
        (
            "And a battery that lasts 24 hours.",
            must("white noise machine", "Power Source=24-Hour Battery=24-hour battery"),
        ),
        ("Show me one from another brand.", than("white noise machine", "other_brand")),
        (
            "Add a glass baby bottle. $110 for both.",
            add("baby bottle", "Material=Borosilicate Glass=glass"),
            most(110),
        ),
    ],
    [
        ("I'd like a swaddle blanket for a newborn, up to $40.", add("swaddle blanket"), most(40)),
        ("Cotton jersey.", must("swaddle blanket", "Material=Cotton Jersey")),
        ("A warm one, with a double layer.", must("swaddle blanket", "Fabric Weight=Double Layer")),
        ("Can you show me a different one?", than("swaddle blanket", "other")),
        ("No, the first one was nicer. Let's go back to that.", than("swaddle blanket", "back")),
        ("Add a bib in sage, $50 in total.", add("bib", "Color=Sage"), most(50)),
    ],
    [
        ("Find me a hair clip for $25 or less.", add("hair clip"), most(25)),
        ("Tortoiseshell.", must("hair clip", "Color=Tortoiseshell")),
        ("In matte plastic.", must("hair clip", "Material=Matte Plastic")),
        ("Isn't there a cheaper one?", than("hair clip", "cheaper")),
        (
            "And a shampoo for curly hair, $30 for both.",
            add("shampoo", "Hair Type=Curly=for curly hair"),
            most(30),
        ),
    ],
    [
        ("I need a headlamp for camping, at most $50.", add("headlamp"), most(50)),
        ("With both a spot and a flood beam.", must("headlamp", "Beam=Spot and Flood Beam=spot and flood beam")),
        ("With AA batteries, please.", must("headlamp", "Power Source=AA Battery Powered=AA batteries")),
        (
            "Or do you have one like that with USB-C charging?",
            must("headlamp", "Power Source=USB-C Rechargeable=USB-C"),
            IMPOSSIBLE,
        ),
        ("AA is fine then, as before.",),
        ("But from another brand, please.", than("headlamp", "other_brand")),
    ],
    [
        ("We're out of light bulbs. LED, up to $40.", add("light bulbs"), most(40)),
        ("Soft white, 2700K.", must("light bulbs", "Light Color=Soft White 2700K=soft white, 2700K")),
        ("Bright ones, with 1,600 lumens.", must("light bulbs", "Brightness=1,600 Lumens")),
        ("No, 800 lumens is enough.", must("light bulbs", "Brightness=800 Lumens")),
        ("And a white desk lamp. $60 for both.", add("desk lamp", "Color=White"), most(60)),
    ],
    [
        ("What pruning shears do you have up to $45?", add("pruning shears"), most(45)),
        ("The blade should be SK5 steel.", must("pruning shears", "Blade Material=SK5 Steel")),
        ("Bypass.", must("pruning shears", "Style=Bypass")),
        ("I mostly cut dead branches, so maybe anvil?", must("pruning shears", "Style=Anvil")),
        (
            "On second thought, I can borrow those. Back to the bypass ones.",
            must("pruning shears", "Style=Bypass"),
            than("pruning shears", "back"),
        ),
        (
            "A birdhouse for chickadees as well, $60 for both.",
            add("birdhouse", "Target Species=Chickadee=for chickadees"),
            most(60),
        ),
    ],
    [
        ("I need a magnesium supplement, up to $40.", add("magnesium"), most(40)),
        ("Capsules, please, not powder.", must("magnesium", "Item Form=Capsules")),
        ("Magnesium glycinate.", must("magnesium", "Magnesium Form=Glycinate")),
        ("With 200 mg a serving.", must("magnesium", "Magnesium per Serving=200 mg")),
        ("Actually, my doctor said 120 mg is enough.", must("magnesium", "Magnesium per Serving=120 mg")),
        ("Two bottles of it, up to $70.", pieces("magnesium", 2), most(70)),
    ],
    [
        ("I'd like a new sheet set, for at most $80.", add("sheet set"), most(80)),
        ("Our bed is a queen.", must("sheet set", "Size=Queen")),
        ("Cotton percale.", must("sheet set", "Material=Cotton Percale")),
        ("In oatmeal.", must("sheet set", "Color=Oatmeal"), IMPOSSIBLE),
        (
            "Then I'll take sateen, but it has to be oatmeal.",
            must("sheet set", "Material=Cotton Sateen=sateen", "Color=Oatmeal"),
        ),
    ],
    [
        ("A brush for my dog, up to $35.", add("brush"), most(35)),
        ("He has short hair.", must("brush", "Hair Type=Short Hair=for short hair")),
        ("A small one.", must("brush", "Size=Small")),
        ("Sorry, my mistake: he needs the large one.", must("brush", "Size=Large")),
        ("Two of them for $35: my parents have him on weekends.", pieces("brush", 2)),
    ],
    [
        ("I need a baby bottle, up to $40.", add("baby bottle"), most(40)),
        ("Glass, please, not plastic.", must("baby bottle", "Material=Borosilicate Glass=glass")),
        ("The small size, 5 oz.", must("baby bottle", "Capacity=5 oz")),
        ("Could you show me a different one?", than("baby bottle", "other")),
        ("Can I get that for under $20?", most(20), IMPOSSIBLE),
        ("Okay, then leave it as it is.",),
    ],
    [
        ("I'd like a bib for our baby, at most $30.", add("bib"), most(30)),
        ("In sage.", must("bib", "Color=Sage")),
        ("With long sleeves.", must("bib", "Style=Long-Sleeve=long sleeves")),
        ("Do you have another one like that?", than("bib", "other")),
        ("And a small baby bottle, 5 oz. $45 in all.", add("baby bottle", "Capacity=5 oz"), most(45)),
    ],
    [
        (
            "A desk lamp and a desk organizer for my study, $110 for both.",
            add("desk lamp"),
            add("desk organizer"),
            most(110),
        ),
        ("The lamp should be silver.", must("desk lamp", "Color=Silver")),
        ("And the organizer needs ten compartments.", must("desk organizer", "Number of Compartments=10 Compartments")),
        ("I don't need the organizer after all.", drop("desk organizer")),
        ("Add a navy mouse pad instead.", add("mouse pad", "Color=Navy")),
    ],
    [
        (
            "For our new dog: a bed, a slow feeder and a brush, $120 in all.",
            *(add("dog bed"), add("slow feeder"), add("brush"), most(120)),
        ),
        ("The bed should be a large one.", must("dog bed", "Size=Large")),
        ("The brush should be for short hair.", must("brush", "Hair Type=Short Hair=for short hair")),
        ("I just found our old brush, so leave that out.", drop("brush")),
        ("But two feeders, please: one stays at my parents'.", pieces("slow feeder", 2)),
    ],
    [
        ("Flower seeds and a birdhouse for the garden, up to $60.", add("flower seeds"), add("birdhouse"), most(60)),
        ("The seeds should be a mix for birds and butterflies.", must("flower seeds", "Mix=Bird and Butterfly")),
        ("And the birdhouse in white.", must("birdhouse", "Color=White")),
        ("Could I have both for $25?", most(25), IMPOSSIBLE),
        ("All right, then leave it as it was.",),
        ("And a second birdhouse for my neighbor, $75 in all.", pieces("birdhouse", 2), most(75)),
    ],
    [
        ("I want solar path lights, for up to $80.", add("path lights"), most(80)),
        ("Cool white.", must("path lights", "Light Color=Cool White")),
        ("Stainless steel.", must("path lights", "Material=Stainless Steel")),
        (
            "That's expensive. Plastic will do if it's cheaper.",
            must("path lights", "Material=ABS Plastic=plastic"),
            than("path lights", "cheaper"),
        ),
        (
            "On second thought, go back to the steel ones.",
            must("path lights", "Material=Stainless Steel"),
            than("path lights", "back"),
        ),
        ("And a birdbath, for $140 in all.", add("birdbath"), most(140)),
    ],
    [
        ("A planner and a mouse pad, up to $70 for both.", add("planner"), add("mouse pad"), most(70)),
        ("The planner should be undated.", must("planner", "Period=Undated")),
        ("Do you have a cheaper planner?", than("planner", "cheaper")),
        ("I can do without the mouse pad.", drop("mouse pad")),
        ("And a second planner for my wife. Up to $60 for both.", pieces("planner", 2), most(60)),
    ],
    [
        ("Could you choose a vitamin C serum for me, up to $60?", add("serum"), most(60)),
        ("With L-ascorbic acid.", must("serum", "Active Ingredient=L-Ascorbic Acid")),
        ("15 percent.", must("serum", "Active Ingredient Strength=15%=15 percent")),
        ("From another brand, please.", than("serum", "other_brand")),
        ("No, I want the one from before.", than("serum", "back")),
        ("And a moisturizer with SPF 50, all for $80.", add("moisturizer", "Sun Protection=SPF 50"), most(80)),
    ],
    [
        ("For a baby shower: a swaddle blanket and a bib, $60.", add("swaddle blanket"), add("bib"), most(60)),
        ("The bib in mustard.", must("bib", "Color=Mustard")),
        ("The blanket should be organic cotton muslin.", must("swaddle blanket", "Material=Organic Cotton Muslin")),
        ("Add a baby bottle; $90 then.", add("baby bottle"), most(90)),
        ("I'd prefer the bib in sage.", must("bib", "Color=Sage")),
        ("They already have bottles, so leave that out. Back to $60.", drop("baby bottle"), most(60)),
    ],
    [
        ("A cordless drill and wall anchors, $110 at most.", add("drill"), add("wall anchors"), most(110)),
        ("An 18 volt drill, please.", must("drill", "Voltage=18V=18 volt")),
        ("And zinc alloy anchors.", must("wall anchors", "Material=Zinc Alloy")),
        ("Show me a different drill.", than("drill", "other")),
        ("Leave out the anchors.", drop("wall anchors")),
    ],
    [
        ("I'm looking for a shampoo and a face moisturizer, $60.", add("shampoo"), add("moisturizer"), most(60)),
        ("The shampoo is for color-treated hair.", must("shampoo", "Hair Type=Color-Treated")),
        ("The moisturizer should be a gel.", must("moisturizer", "Item Form=Gel=gel")),
        ("Is there another moisturizer like that?", than("moisturizer", "other")),
        ("Two of the shampoos, up to $75 for everything.", pieces("shampoo", 2), most(75)),
    ],
]


def turns(number: int, written: list[Turn]) -> list[Query]:
    """The queries of a conversation."""
    met = Query(
        query_id=f"talk-{number:02}-0",
        text="-",
        mode="generic",
        asker=f"talk-{number:02}",
        world_fingerprint=WORLD,
        part_of="conversations-40 1",
        source=SOURCE,
    )
    made = [met]
    for say, *edits in written:
        wish = met.wish or Wish()
        draft = WishDraft({want.name: want for want in wish.wants}, wish.budget)
        for edit in edits:
            if edit is not IMPOSSIBLE:
                edit(draft)
        infeasible = True if IMPOSSIBLE in edits else None
        wish = wish.model_copy(update={"wants": tuple(draft.wants.values()), "budget": draft.budget})
        made.append(turn_after(made[-1], say, wish, draft.relations).model_copy(update={"infeasible": infeasible}))
        met = met if made[-1].infeasible else made[-1]
    return [made[1].model_copy(update={"after": None}), *made[2:]]


def closed(turn: Query, offers: Offers) -> Query:
    """The turn, whose demands are denied by all other values of their fields: the demo shop is too small for its
    records to say which values are words of a field.
    """
    wish = turn.wish or Wish()
    wants = tuple(
        want.model_copy(update={"must": tuple(_closed(demand, offers.of_want(want)) for demand in want.must)})
        for want in wish.wants
    )
    return turn.model_copy(update={"wish": wish.model_copy(update={"wants": wants})})


def _closed(demand: Demand, offered: Candidates) -> Demand:
    name = folded_name(demand.field or "")
    values = {str(listing.fields[name]) for listing in offered if name in listing.fields} - {*demand.any_of}
    return demand if demand.is_measure else demand.model_copy(update={"none_of": tuple(sorted(values))})


def is_proved(turn: Query, offers: Offers) -> bool:
    """True if the records prove that the shop can meet a turn, or that it can't if the turn is made so."""
    proof = offers.reference(turn).proof
    return proof is not None and proof.state == ("proved" if turn.infeasible else "refuted")


def main() -> int:
    queries = [query for number, written in enumerate(CONVERSATIONS, 1) for query in turns(number, written)]
    with world_of("demo") as world:
        offers = Offers(world)
        queries = [closed(query, offers) for query in queries]
        wrong = [f"{query.query_id}: {query.text}" for query in queries if not is_proved(query, offers)]
    print(f"{len(CONVERSATIONS)} conversations, {len(queries)} turns", *wrong, sep="\n")
    if wrong:
        return 1
    packed = TO.with_name("conversations.gold.jsonl.gz")
    packed.unlink(missing_ok=True)
    write_with_gold(queries, TO)
    TO.with_name("conversations.gold.jsonl").unlink()
    packed.write_bytes(gzip.compress("".join(f"{gold_line(query)}\n" for query in queries).encode(), mtime=0))
    return 0


if __name__ == "__main__":
    sys.exit(main())
