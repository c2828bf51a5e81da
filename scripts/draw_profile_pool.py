"""Draws drretail/env/profile_pool.json, the parts that profiles are put together from.

    pip install faker && python scripts/draw_profile_pool.py

Names and streets come from Faker (en_US, seed 42); cities, states, zips and telephone area codes from the table below,
where they belong together: four real cities of each state. Run it only to change the pool on purpose, and raise
POOL_VERSION: worlds that exist keep the pool they were made with.
"""

from collections.abc import Callable
from pathlib import Path

from faker import Faker

from drretail.env.users import POOL_FILE, City, ProfilePool
from drretail.files import write_json

POOL_VERSION = 1
LOCALE = "en_US"
SEED = 42

# state: city zip area code; …
PLACES = """
AL: Birmingham 35203 205; Montgomery 36104 334; Huntsville 35801 256; Mobile 36602 251
AK: Anchorage 99501 907; Fairbanks 99701 907; Juneau 99801 907; Ketchikan 99901 907
AZ: Phoenix 85004 602; Tucson 85701 520; Mesa 85201 480; Flagstaff 86001 928
AR: Little Rock 72201 501; Fayetteville 72701 479; Fort Smith 72901 479; Jonesboro 72401 870
CA: Los Angeles 90012 213; San Diego 92101 619; San Francisco 94103 415; Sacramento 95814 916
CO: Denver 80202 303; Colorado Springs 80903 719; Fort Collins 80524 970; Boulder 80302 303
CT: Hartford 06103 860; New Haven 06510 203; Stamford 06901 203; Bridgeport 06604 203
DE: Wilmington 19801 302; Dover 19901 302; Newark 19711 302; Lewes 19958 302
FL: Miami 33130 305; Orlando 32801 407; Tampa 33602 813; Jacksonville 32202 904
GA: Atlanta 30303 404; Savannah 31401 912; Augusta 30901 706; Macon 31201 478
HI: Honolulu 96813 808; Hilo 96720 808; Kailua 96734 808; Lihue 96766 808
ID: Boise 83702 208; Idaho Falls 83402 208; Pocatello 83201 208; Coeur d'Alene 83814 208
IL: Chicago 60602 312; Springfield 62701 217; Peoria 61602 309; Naperville 60540 630
IN: Indianapolis 46204 317; Fort Wayne 46802 260; Evansville 47708 812; South Bend 46601 574
IA: Des Moines 50309 515; Cedar Rapids 52401 319; Davenport 52801 563; Sioux City 51101 712
KS: Wichita 67202 316; Topeka 66603 785; Lawrence 66044 785; Overland Park 66204 913
KY: Louisville 40202 502; Lexington 40507 859; Bowling Green 42101 270; Owensboro 42301 270
LA: New Orleans 70112 504; Baton Rouge 70801 225; Shreveport 71101 318; Lafayette 70501 337
ME: Portland 04101 207; Bangor 04401 207; Augusta 04330 207; Lewiston 04240 207
MD: Baltimore 21202 410; Annapolis 21401 410; Rockville 20850 301; Frederick 21701 301
MA: Boston 02108 617; Worcester 01608 508; Springfield 01103 413; Cambridge 02139 617
MI: Detroit 48226 313; Grand Rapids 49503 616; Lansing 48933 517; Ann Arbor 48104 734
MN: Minneapolis 55401 612; Saint Paul 55102 651; Duluth 55802 218; Rochester 55902 507
MS: Jackson 39201 601; Gulfport 39501 228; Hattiesburg 39401 601; Tupelo 38804 662
MO: Kansas City 64106 816; Saint Louis 63103 314; Springfield 65806 417; Columbia 65201 573
MT: Billings 59101 406; Missoula 59802 406; Bozeman 59715 406; Helena 59601 406
NE: Omaha 68102 402; Lincoln 68508 402; Grand Island 68801 308; Kearney 68847 308
NV: Las Vegas 89101 702; Reno 89501 775; Henderson 89015 702; Carson City 89701 775
NH: Manchester 03101 603; Concord 03301 603; Nashua 03060 603; Portsmouth 03801 603
NJ: Newark 07102 973; Jersey City 07302 201; Trenton 08608 609; Princeton 08540 609
NM: Albuquerque 87102 505; Santa Fe 87501 505; Las Cruces 88001 575; Roswell 88201 575
NY: New York 10007 212; Buffalo 14202 716; Rochester 14604 585; Albany 12207 518
NC: Charlotte 28202 704; Raleigh 27601 919; Greensboro 27401 336; Asheville 28801 828
ND: Fargo 58102 701; Bismarck 58501 701; Grand Forks 58201 701; Minot 58701 701
OH: Columbus 43215 614; Cleveland 44114 216; Cincinnati 45202 513; Toledo 43604 419
OK: Oklahoma City 73102 405; Tulsa 74103 918; Norman 73069 405; Lawton 73501 580
OR: Portland 97204 503; Eugene 97401 541; Salem 97301 503; Bend 97701 541
PA: Philadelphia 19107 215; Pittsburgh 15222 412; Harrisburg 17101 717; Erie 16501 814
RI: Providence 02903 401; Newport 02840 401; Warwick 02886 401; Cranston 02910 401
SC: Columbia 29201 803; Charleston 29401 843; Greenville 29601 864; Myrtle Beach 29577 843
SD: Sioux Falls 57104 605; Rapid City 57701 605; Pierre 57501 605; Aberdeen 57401 605
TN: Nashville 37203 615; Memphis 38103 901; Knoxville 37902 865; Chattanooga 37402 423
TX: Houston 77002 713; Dallas 75201 214; Austin 78701 512; San Antonio 78205 210
UT: Salt Lake City 84111 801; Provo 84601 801; Ogden 84401 801; Saint George 84770 435
VT: Burlington 05401 802; Montpelier 05602 802; Rutland 05701 802; Brattleboro 05301 802
VA: Richmond 23219 804; Norfolk 23510 757; Roanoke 24011 540; Arlington 22201 703
WA: Seattle 98101 206; Spokane 99201 509; Tacoma 98402 253; Olympia 98501 360
WV: Charleston 25301 304; Morgantown 26505 304; Huntington 25701 304; Wheeling 26003 304
WI: Milwaukee 53202 414; Madison 53703 608; Green Bay 54301 920; Eau Claire 54701 715
WY: Cheyenne 82001 307; Casper 82601 307; Laramie 82070 307; Jackson 83001 307
"""


def places() -> tuple[City, ...]:
    found: list[City] = []
    for line in PLACES.strip().splitlines():
        state, _, cities = line.partition(": ")
        for entry in cities.split("; "):
            city, zip_code, area_code = entry.rsplit(" ", 2)
            found.append(City(city=city, state=state, zip=zip_code, area_code=area_code))
    return tuple(found)


def names(draw: Callable[[], str], wanted: int) -> tuple[str, ...]:
    """``wanted`` different names, sorted."""
    values: set[str] = set()
    while len(values) < wanted:
        values.add(draw())
    return tuple(sorted(values))


def draw_pool() -> ProfilePool:
    """The pool; the same version of Faker gives the same one."""
    fake = Faker(LOCALE, use_weighting=False)
    fake.seed_instance(SEED)
    return ProfilePool(
        version=POOL_VERSION,
        locale=LOCALE,
        country="US",
        first_names=names(fake.first_name, 400),
        last_names=names(fake.last_name, 600),
        streets=names(fake.street_name, 600),
        places=places(),
    )


if __name__ == "__main__":
    target = Path(__file__).parents[1] / "drretail" / "env" / POOL_FILE
    pool = draw_pool()
    write_json(target, pool.model_dump(mode="json"))
    print(f"{target}: version {pool.version}, sha256 {pool.hash}")
