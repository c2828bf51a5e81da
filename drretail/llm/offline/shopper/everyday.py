"""Everyday things of which the shopper knows the names only: enough to see what a query asks for."""

from drretail.llm.offline.shopper.kinds import KINDS, Kind

# One name a line, other words for it behind it; a star marks what is used up.
_NAMES = """
mascara *
eyeshadow stick *
eyeshadow palette *
eyeshadow *: eye shadow
eyeliner *: eye liner
foundation *: bb cream
concealer *
blush *
bronzer *
face powder *: facial powder
lipstick *: lip stick
liquid lipstick *
lip gloss *
lip balm *
makeup organizer: make up organizer, cosmetic organizer, makeup organiser
makeup bag: cosmetic bag
makeup remover cloths: makeup remover pads, makeup remover wipes
makeup remover *
magnetic eyelashes: magnetic lashes
false eyelashes: false lashes, eyelash extensions
eyelash curler: lash curler
tweezers
nail polish remover *
nail polish set *
nail polish *
nail art brushes: nail brush
nail clipper set: nail clippers
nail files
nail drill
nail lamp
face serum *: facial serum
hyaluronic acid serum *
retinol serum *
face cleanser *: facial cleanser, face wash, foam cleanser, foaming cleanser, cleansing balm
toner *: facial toner
sheet mask *: facial mask sheet
face mask *: facial mask
eye cream *
sunscreen *: sun screen, sunblock
hand cream *: hand lotion
body lotion *: body cream, body butter
body scrub *: sugar scrub, salt scrub
body wash *: shower gel
bath bombs *
bath pillow: bathtub pillow
bar soap *: soap bar, soap
hand soap *
back scrubber: bath brush, shower brush
shower cap
deodorant *
perfume *
hair mask *: scalp pack
conditioner *: hair conditioner
hair oil *
hair ties: hair tie, scrunchies
headbands: hairband, head band
hair scissors: hair cutting scissors
hair comb
hair brush: hairbrush
hair dryer: hair drier
hair dryer brush
curling iron
wig
scalp massager: scalp scrubber
beard balm *
beard oil *
travel bottles
sleep mask: sleeping mask, eye mask
nail kit
foot file
foot spa
toothbrush: tooth brush
toothpaste *
massage gun
yoga mat
leash: dog leash
dog collar
cat tree
"""


def _kind(line: str) -> Kind:
    name, _, also = line.partition(":")
    others = tuple(part.strip() for part in also.split(",") if part.strip())
    return Kind(name.strip(" *"), "", others, consumable="*" in name)


EVERYDAY: tuple[Kind, ...] = tuple(_kind(line) for line in _NAMES.splitlines() if line.strip())
ALL_KINDS = (*KINDS, *EVERYDAY)
