"""Words that the reading rules pass over, each list with its reason."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Before "must be", these make it a sentence about somebody.
PEOPLE = _words(
    """
    he i never not she there we who you
    """
)

# They look like qualities of a product, and are about buying it.
NO_QUALITY = _words(
    """
    ad-free budget-friendly care-free cost-friendly debt-free drug-free duty-free error-free fail-safe hassle-free
    interest-free pain-free rent-free risk-free smoke-free stress-free tax-free toll-free user-friendly
    wallet-friendly worry-free
    """
)

# First words of phrases that are about the request or its delivery, and not about a product.
NO_DEMAND = _words(
    """
    a able about above added all also among an any anyone anything around as at available better between big bit both
    brand brands budget by careful charge clear clue considered cost delay delivered done doubt duplicates each easy
    everything exception exceptions extra few fewer for from further fuss hassle he her here him his how hurry i idea
    idle in issue issues it item items its later less limit longer lot luck many matter me more much my need no next
    nonsense not note noted nothing of on one only other our over overlap part particular possible preference prior
    problem problems product products purchased question questions ready real reason repeat repeats rush second she
    single some something specific subscription success such sure thank thanks that the their them there these they
    thing things this those to too trouble under us used very way we what within worries worse you your
    """
)

# They end in s and are no plural.
SINGULAR_IN_S = _words(
    """
    bass brass canvas chess christmas cordless cross gas glass less plus stainless wireless
    """
)

# What is counted in a query without being bought: time, measures, people, places, suggestions.
NOT_BOUGHT = _words(
    """
    adults alternatives amps articles babies bathrooms bedrooms birds boys brands bucks candidates cars categories
    cats centimeters cents children choices colors colours conditions cups daughters days degrees dogs dollars doors
    drawers euros feet floors friends gallons generations girls grams grandchildren grandkids grandsons guests hours
    ideas inches items kids kilos kinds kittens labradors layers lbs levels liters litres meters metres miles minutes
    models modes months nights options orders others ounces people percent persons pets phases picks points pounds
    products puppies purchases quarts questions reasons recommendations reports reviews roommates rooms seats seconds
    settings shelves shops sides sites sizes sons sources speeds stars steps stores styles suggestions things times
    toddlers twins types users volts watts ways weekends weeks windows yards years
    """
)

# Capitalised, and no brand: dates, places, people, materials, ways to begin a sentence.
NO_BRANDS = _words(
    """
    a abs also amazon america american an and apr april aug august autumn black bpa but canada canadian china
    chinese christmas cyber dad dec december deet diwali easter europe european fall father's feb february france
    french friday german germany god grandma grandpa halloween hanukkah hdpe i i'm i've if india indian it italian
    italy its jan january japan japanese jul july jun june just led less lycra mar march may mdf mexico mom monday
    more mother's msg mum my new nov november nylon oct october one only or our pfas please plexiglas polyester
    prime pvc ramadan santa saturday sep sept september spandex spring styrofoam summer sunday sure teflon
    thanksgiving that the these this those three thursday too tuesday tv two u.s uk us usa usb valentine valentine's
    velcro wednesday when winter xmas
    """
)

# Capitalised before the name of a thing, they say of what kind or style it is, and not who makes it.
STYLES = _words(
    """
    adirondack allen android art arts asian bluetooth bohemian boho bordeaux braille celtic cuban danish deco dutch
    edison egyptian english ethernet gothic greek hawaiian himalayan irish japandi kosher mason mediterranean
    montessori nordic nouveau oriental persian phillips pilates polish queen king reiki roman scandi scottish
    spanish swedish swiss thai tiffany torx turkish tuscan twin victorian wi-fi wifi windsor yoga zen
    """
)

# They count something only with its name in front of them: "gel pen sets".
CONTAINERS = _words("counts packs pairs pieces sets")

# Words of titles that tell no product from another.
COMMON = _words(
    """
    a an and best black by cm color colour count ct fl for from ft in inch inches large lb lbs medium mm new of on
    or ounce ounces our oz pack packs pcs piece pieces set sets size small the to w white with xl your
    """
)

# "No known allergies": what people, and not products, have none of.
NOT_IN_PRODUCTS = _words(
    """
    allergies allergy background car children conditions debt debts degree disease diseases experience garden
    history illness illnesses income injuries injury insurance job kids knowledge medication medications pets plans
    reasons savings siblings surgeries surgery yard
    """
)

# Words of a claim about a product that say nothing its record could contradict …
NEUTRAL_OF_PRODUCTS = _words(
    """
    a an and are at average by charges cost costs costing currently customer customers dollars for from get has have in
    is it item its listed listing of on out price priced prices product rated rating ratings review reviews sells shop
    stands star stars store that the this to us usd user users voices votes with
    """
)

# … about several products, between their names and values …
CONNECTIVES_OF_PRODUCTS = _words(
    """
    a against and at but by cheaper cost costs dearer for from get has is it less more of out pick price priced rated
    rating ratings runner-up the to where with
    """
)

# … about an order …
NEUTRAL_OF_ORDERS = NEUTRAL_OF_PRODUCTS | _words(
    """
    already bought customer delivered made order ordered orders placed purchase purchased status user was were you your
    """
)

# … about the result of a calculation.
NEUTRAL_OF_SUMS = _words(
    """
    a all altogether amount amounts and are basket both combined come comes cost costs for in is it items of or picks
    plus products sum that the them these they this to together total totals usd your
    """
)

# A name with one of these is a label of the report's and not a product's name.
LABELS = _words(
    """
    alternative alternatives average best bottom budget category choice conclusion cons cost costs estimate estimated
    features first how item items key left line month note option overall phase pick plan price prices pros quantity
    range rating ratings recommendation recommended remaining reviews runner-up save saving savings second shipping
    spend spending stage step subtotal summary tax third tier tip tips total value verdict week what why year
    """
)

# A shopper may say them whatever the question is about: they tell no question from another.
OF_ANY_QUESTION = _words(
    """
    a about after again all along alike also always an and another any anything are around as ask at away back be
    because been before best better between bit both bought buy but by can care check choose come compare could did
    different do does done each either else enough every everything explain far few find first for from get give go
    going good got had has have help here history how i if in information into is it its just keep kind know last
    least less let like limit look looking made make many may me mean might mine more most much must my need new
    next no nor not nothing now of off on once one only or order ordered other our out over own past people please
    price purchase put rather really recommend record research same say see shall she should show simply since so
    some somebody something spend stay still such suggest suit take tell than that the their them then there these
    they thing think this those through time to together too two under until up us use used using very want was wait
    way we well were what when where whether which while who why will with within without wonder work would year yet
    you your
    """
)
