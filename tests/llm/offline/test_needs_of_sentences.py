"""Sentences with the things to buy that they name, those that only sound like one included."""

import pytest

from drretail.llm.offline.shopper.needs import read_needs
from drretail.records.query import Constraints

SENTENCES = [
    # what only judges or asks
    ("What I've ordered so far should help you judge what suits me. I need a dog bed.", ["dog bed"]),
    ("Show me a desk lamp. Base it on what suits me, not on what suits everybody.", ["desk lamp"]),
    ("Find a planner and tell me which size suits a handbag.", ["planner"]),
    ("Help me understand which hole size suits which bird, and then show me a birdhouse.", ["birdhouse"]),
    ("Which brush suits a double coat? I need a pet grooming brush.", ["pet grooming brush"]),
    ("I want to know what thread count really tells before I buy a bed sheet set.", ["bed sheet set"]),
    (
        "Check what's on offer now and what each costs. I want laundry detergent sheets.",
        ["laundry detergent sheets"],
    ),
    ("Find out which presents end up unused, and suggest a headlamp.", ["headlamp"]),
    ("Tell me what professionals would rent rather than buy, and suggest a tape measure.", ["tape measure"]),
    ("I wonder when vets recommend memory foam. I need a dog bed.", ["dog bed"]),
    ("Tell me how to get a house ready for winter. Would a wall anchor kit help?", ["wall anchor kit"]),
    ("My best friend loves tea. I thought of a planner.", ["planner"]),
    ("I want to get some energy back; suggest a magnesium supplement.", ["magnesium supplement"]),
    (
        "I'm ready for another facial moisturizer. I also wonder what order it should go on with a vitamin C serum.",
        ["facial moisturizer"],
    ),
    ("I want to get a tidy grooming routine together. I'm thinking of a shampoo.", ["shampoo"]),
    ("I wonder how often a bird feeder needs cleaning.", ["bird feeder"]),
    ("I've had my humidifier for a year. I wonder which essential oil set is the purest.", ["essential oil set"]),
    ("I wonder how often a humidifier needs cleaning. I need a travel adapter.", ["travel adapter"]),
    # what is owned already
    ("I need a headlamp. The solar path lights I bought back in 2020 didn't solve that.", ["headlamp"]),
    ("A birdhouse, please. The bird bath we got last year is fine.", ["birdhouse"]),
    ("I've had my cast iron skillet for a few weeks, and now I want a coffee grinder.", ["coffee grinder"]),
    ("Going by what I've bought myself, such as the birdhouse, would a bird bath be right?", ["bird bath"]),
    ("It shouldn't just be a crib sheet like mine. I thought of a swaddle blanket.", ["swaddle blanket"]),
    (
        "It shouldn't just be more solar path lights like mine; I thought of a headlamp or LED light bulbs.",
        ["headlamp", "LED light bulbs"],
    ),
    (
        "I've only tried the vitamin D3 supplement I ordered in March. Would a pill organizer help?",
        ["pill organizer"],
    ),
    ("Look at what I've ordered, not only the weighted blanket, and suggest a bed sheet set.", ["bed sheet set"]),
    ("I've been using a coffee grinder for years and want a cast iron skillet.", ["cast iron skillet"]),
    ("My humidifier works well. Recommend a desk lamp.", ["desk lamp"]),
    (
        "The coffee grinder I bought was only the beginning. Help me choose a cast iron skillet.",
        ["cast iron skillet"],
    ),
    ("I returned my label maker, so what about a planner?", ["planner"]),
    # what a thing is for, or stands beside
    ("I need a hose for the raised bed", ["hose"]),
    ("A garden hose for my raised garden bed, please", ["garden hose"]),
    ("I want a cover for a dog bed", ["cover"]),
    ("Looking for a brush for my cast iron skillet", ["brush"]),
    ("wildflower seeds to sow around the bird bath", ["wildflower seeds"]),
    ("I need LED light bulbs for the desk lamp in my study", ["LED light bulbs"]),
    ("Looking for a dog bed", ["dog bed"]),
    ("I have a budget of $80 for a label maker", ["label maker"]),
    ("Ideas for a bird bath, please", ["bird bath"]),
    ("I am interested in a cordless drill", ["cordless drill"]),
    ("a slow feeder bowl for my labrador and a dog harness", ["slow feeder bowl", "dog harness"]),
    ("I want a vegetable and flower corner in my garden. I need a garden hose.", ["garden hose"]),
    # idioms and other senses
    ("I'm not much of a planner, so I need a label maker.", ["label maker"]),
    ("My dog sleeps in my bed. I need a pet grooming brush.", ["pet grooming brush"]),
    ("When I go to bed the dog barks; find me a white noise machine.", ["white noise machine"]),
    ("I want to brush up on knots. Which headlamp should I get?", ["headlamp"]),
    ("Don't be a wet blanket: find me a fun planner.", ["planner"]),
    ("Let's drill down into details: I need a tape measure.", ["tape measure"]),
    ("I want to harness the morning with my dog, so get me a headlamp.", ["headlamp"]),
    ("I need to get back into shape and want a headlamp for running.", ["headlamp"]),
    ("I'd like to get my sofa back. Help me choose a cat scratching post.", ["cat scratching post"]),
    ("I need to sleep better. Would a humidifier help?", ["humidifier"]),
    ("I want the best for my baby: which baby bottle?", ["baby bottle"]),
    ("Get well soon! I need a gel pen set as a gift.", ["gel pen set"]),
    ("I need your help with a shampoo", ["shampoo"]),
    ("I want it quiet; a white noise machine that is easy to find in the dark", ["white noise machine"]),
    ("No blades, please: I need an electric shaver", ["electric shaver"]),
    # what is ruled out
    ("I need a desk lamp rather than a headlamp", ["desk lamp"]),
    ("Anything but a weighted blanket: I need a humidifier", ["humidifier"]),
    ("I need a shampoo, please nothing with talc", ["shampoo"]),
    ("I need a face powder and a blush, nothing with talc", ["face powder", "blush"]),
    ("Please nothing with talc.", []),
    ("A mascara for under $10, no talc, and shampoo", ["mascara", "shampoo"]),
    # everyday things
    ("Which leash fits?", ["leash"]),
    ("bath pillow", ["bath pillow"]),
    ("Face serum or sheet mask", ["face serum", "sheet mask"]),
    ("hair ties", ["hair ties"]),
    ("I'm thinking of a hair mask and a bath pillow, chosen so that they match.", ["hair mask", "bath pillow"]),
    ("Suggest something like an eyeshadow or a mascara.", ["eyeshadow", "mascara"]),
    ("I can't decide between a face serum and a sheet mask.", ["face serum", "sheet mask"]),
    ("It's long since I ordered my liquid lipstick, and I'm ready for another order.", ["liquid lipstick"]),
    ("Find out whether water removes sunscreen. I need a face cleanser.", ["face cleanser"]),
    # what shall go or come back
    ("My dad wants to get rid of beard flakes; which beard oil?", ["beard oil"]),
    ("I want to get some glow back and thought of a face serum.", ["face serum"]),
    ("I want to get makeup off: a face cleanser or makeup remover cloths?", ["face cleanser", "makeup remover cloths"]),
    # to be bought although owned
    ("My bed sheet set is worn. I need a new bed sheet set.", ["bed sheet set"]),
    ("I want to go back to the laundry detergent sheets I used to buy from you.", ["laundry detergent sheets"]),
    ("I've been using the makeup brush set I bought in 2021. Show me two that do better.", ["makeup brush set"]),
    ("I think it's time to replace my bed sheet set.", ["bed sheet set"]),
    (
        "Did I choose the wrong crib sheet, or is a swaddle blanket the better way?",
        ["crib sheet", "swaddle blanket"],
    ),
    (
        "The pet grooming brush I ordered annoys me. Which one would be a real step up?",
        ["pet grooming brush"],
    ),
]


@pytest.mark.parametrize(("sentence", "wanted"), SENTENCES)
def test_a_sentence_names_these_things_to_buy_and_no_others(sentence: str, wanted: list[str]) -> None:
    needs = read_needs(sentence, Constraints()).needs
    assert [need.name for need in needs] == wanted
    assert not any(need.guessed for need in needs)


@pytest.mark.parametrize("query", ["I want to get rid of dandruff", "get rid of beard flakes", "Get some glow back"])
def test_what_shall_go_or_come_back_is_at_most_a_guess(query: str) -> None:
    needs = read_needs(query, Constraints()).needs
    assert all(need.guessed and need.name not in ("rid", "glow") for need in needs)


@pytest.mark.parametrize(
    ("query", "other"),
    [
        ("Replace my bronzer, but don't suggest the same thing again.", True),
        ("Should I get a different nail polish set?", True),
        ("Please leave out what I already own. I need a lip balm.", True),
        ("Should I order the same lip balm again?", False),
    ],
)
def test_wanting_anything_but_the_same_is_recognised(query: str, other: bool) -> None:
    assert read_needs(query, Constraints()).needs[0].other is other


@pytest.mark.parametrize(
    ("sentence", "one_of"),
    [
        ("I can't decide between a weighted blanket and a white noise machine.", True),
        ("What would help me more: a pill organizer or a blood pressure monitor?", True),
        ("I thought of a headlamp or LED light bulbs.", True),
        ("A bird feeder, a bird bath or a birdhouse?", True),
        ("I need a bird feeder and a bird bath.", False),
        ("I need a bird feeder, a bird bath and a birdhouse.", False),
        ("I need two bird feeders or three bird baths.", False),
        ("I need a humidifier, sooner or later.", False),
    ],
)
def test_things_to_choose_from_are_told_from_things_to_buy_together(sentence: str, one_of: bool) -> None:
    assert read_needs(sentence, Constraints()).one_of is one_of
