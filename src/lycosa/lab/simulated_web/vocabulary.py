"""The words of the simulated web: what pages of each topic talk about, and what all pages say.

Words are listed from frequent to rare; a page draws them by that rank. They are real
English words in plain ASCII, so that language detection and stemming see natural text.
"""

from __future__ import annotations

from functools import lru_cache
from random import Random
from typing import NamedTuple

TABLE_SIZE = 2048
"""Entries of a table of words or phrases; a power of two, so that random bits choose by masking."""

STRENGTHS = (0.12, 0.2, 0.28)
"""The share of topical words on pages that touch, treat, or concentrate on their topic."""

_FUNCTION_SHARE = 0.42

TOPICS: dict[str, tuple[str, ...]] = {
    name: tuple(listed.split())
    for name, listed in {
        "birds": """
            bird nest feather wing egg species plumage beak flock migration song habitat breeding chick owl eagle
            hawk sparrow finch robin heron gull duck goose swan falcon warbler woodpecker thrush crow raven pigeon
            parrot penguin ostrich stork crane pelican kingfisher swallow swift wren lark starling cuckoo hatchling
            fledgling ornithology aviary perch roost talon moult predator insect wetland forage seabird raptor
            songbird kestrel puffin albatross cormorant plover sandpiper quail pheasant grouse nightingale
        """,
        "astronomy": """
            star planet galaxy telescope orbit moon comet asteroid nebula universe light gravity solar eclipse
            constellation supernova astronomer observatory spectrum redshift quasar pulsar cosmos meteor satellite
            crater lunar stellar luminosity parallax dwarf giant cluster interstellar cosmology radiation dust disk
            halo equinox zenith ecliptic aphelion perihelion magnitude photon spectroscopy binary accretion corona
            sunspot flare mars jupiter saturn venus mercury neptune uranus pluto exoplanet celestial
            astrophysics hydrogen rotation transit wavelength
        """,
        "railways": """
            train station railway track locomotive passenger freight platform signal line carriage steam diesel
            electric gauge wagon timetable junction bridge tunnel conductor driver engine rail sleeper ballast
            switch depot tram metro subway express commuter ticket coach bogie coupling brake boiler tender shunting
            siding viaduct level crossing catenary pantograph overhead traction turntable semaphore timetabled
            rolling stock branch terminus monorail funicular narrow electrification goods yard stationmaster
            axle whistle derailment embankment
        """,
        "cooking": """
            recipe flour butter sugar salt oven bake dish sauce onion garlic pepper boil simmer roast stir kitchen
            dough bread cake pasta soup salad cheese cream milk vinegar lemon tomato potato carrot chicken beef
            pork lamb fish rice bean herb basil thyme parsley oregano cinnamon ginger spice broth stew grill fry
            whisk knead marinate chop dice peel saucepan skillet yeast pastry custard dessert appetizer menu
            flavour ingredient tablespoon teaspoon chef cuisine
        """,
        "chemistry": """
            acid molecule atom reaction compound element bond solution ion electron oxygen hydrogen carbon nitrogen
            catalyst polymer oxidation reduction solvent crystal metal salt alkali isotope proton neutron valence
            covalent ionic enthalpy entropy equilibrium titration distillation precipitate reagent organic
            inorganic benzene ethanol methane sulphur chlorine sodium potassium calcium phosphorus ammonia oxide
            chloride nitrate sulphate hydroxide laboratory beaker pipette chromatography synthesis electrolysis
            buffer concentration mole periodic halogen
        """,
        "music": """
            song melody harmony rhythm chord orchestra symphony concerto piano violin guitar composer singer opera
            choir album band concert tempo key scale note tune lyric instrument flute clarinet trumpet trombone
            drum cello bass sonata quartet overture prelude fugue jazz blues rock folk classical baroque romantic
            conductor score soprano alto tenor baritone octave pitch treble staff improvisation ballad anthem
            record studio performance audience soloist ensemble
        """,
        "medicine": """
            patient disease doctor treatment hospital symptom drug therapy diagnosis infection surgery nurse blood
            heart cancer vaccine virus bacteria antibiotic dose clinical chronic acute tumour artery vein lung liver
            kidney brain nerve muscle bone fracture fever pain inflammation immune antibody insulin diabetes
            hypertension stroke asthma allergy pneumonia malaria tuberculosis prescription pharmacy physician
            surgeon anaesthetic transplant biopsy radiology cardiology pathology epidemic hygiene remission
            prognosis syndrome
        """,
        "computing": """
            computer software program data code algorithm network server memory processor database compiler
            language file system kernel thread interface internet protocol browser keyboard hardware disk cache
            byte pointer array string function variable loop recursion queue stack graph hash encryption password
            router packet bandwidth latency bug debugger source library framework module class object inheritance
            parser syntax binary logic transistor microchip programmer script terminal shell virtual cloud cluster
        """,
        "sports": """
            team player game match goal coach league season score championship tournament football cricket tennis
            rugby hockey basketball baseball golf swimming athletics marathon sprint relay stadium referee
            penalty defender striker goalkeeper batsman bowler wicket innings racket serve volley court pitch
            field track medal olympic champion trophy training fitness athlete runner cyclist rowing boxing
            wrestling gymnastics skating skiing archery fencing javelin hurdle supporter captain
        """,
        "history": """
            king empire war century battle army treaty emperor kingdom revolution dynasty castle throne reign
            conquest medieval ancient colony parliament republic monarch knight siege crusade peasant nobility
            feudal invasion fortress rebellion abolition slavery independence constitution senate legion province
            ambassador heir crown coronation archive chronicle manuscript excavation artefact tomb monument
            civilisation bronze neolithic roman greek persian ottoman mongol viking saxon norman renaissance
            reformation enlightenment armistice
        """,
        "religion": """
            church faith prayer temple priest monk scripture god worship bishop saint pilgrim gospel sermon altar
            cathedral monastery abbey convent mosque synagogue rabbi imam sacred holy ritual sacrament baptism
            communion creed doctrine theology heresy prophet angel soul salvation grace sin mercy blessing psalm
            hymn parish clergy deacon pope cardinal shrine relic fasting meditation karma nirvana sutra torah
            bible pilgrimage congregation missionary devotion liturgy
        """,
        "gardening": """
            garden plant flower soil seed leaf root rose tree shrub lawn compost fertiliser prune bloom bulb
            greenhouse harvest vegetable weed mulch hedge orchard fruit apple pear cherry tulip daffodil lily
            orchid fern ivy moss perennial annual seedling cutting graft pollination pollen petal stem branch
            trowel spade rake shovel watering irrigation drainage frost shade sunlight aphid slug snail
            border terrace pergola trellis topiary nursery botanical hardy
        """,
    }.items()
}
"""The topics by name, each with its words."""

_FUNCTION = """
    the of and to in a is that for it as was with on by at are be from this or which an were not but have has had
    they their its one all also can there been more when will into only some such other than these then most may
    over between after both through during about where while under many before each
"""

_GENERAL = """
    time year people way day thing world life hand part place case week company group problem fact number point
    home water room area money story month book word issue side kind head house service friend father power hour
    line end member law car city community name president minute idea body information back parent face level
    office door health person art result morning reason research moment air teacher force education foot age
    policy process sense nation plan college interest death experience effect use control field development role
    effort rate study example paper land report question work night light state country family student month
    price market form value building action model season society tax director position player record summer
    picture ground figure street image phone test page window matter century evidence product society wife size
    task event society doubt letter future condition choice staff trial view trade glass skill rule crowd
    summer winter spring autumn mountain river lake sea island coast valley north south east west road
    great new old high small large long young different early important public bad good able late hard major
    better economic strong possible whole free real best recent certain clear easy close common natural
    similar hot central happy serious ready simple left physical general environmental financial blue
    democratic dark various entire legal final main green nice huge popular traditional cultural wide deep
    make know take see come think look want give find tell ask seem feel try leave call need become put mean
    keep let begin help show hear run move live believe hold bring happen write provide sit stand lose pay
    meet include continue set learn change lead understand watch follow stop create speak read allow add spend
    grow open walk win offer remember love consider appear buy wait serve die send expect build stay fall cut
    reach kill remain suggest raise pass sell require decide pull return explain hope develop carry break
    receive agree support hit produce eat cover catch draw choose cause listen realise place involve describe
    often never always sometimes usually perhaps together almost later again already around however quickly
    slowly simply really nearly soon once twice today tomorrow yesterday everywhere anything something nothing
"""

FUNCTION_WORDS = tuple(_FUNCTION.split())
GENERAL_WORDS = tuple(dict.fromkeys(_GENERAL.split()))


class PhraseTable(NamedTuple):
    """Runs of three words as they stand within a sentence, and the same at its beginning."""

    plain: tuple[str, ...]
    opening: tuple[str, ...]


PHRASE = 3
"""Words per phrase: choosing words in runs makes a page in a third of the time."""


@lru_cache(maxsize=64)
def phrase_table(topic: str, strength: int) -> PhraseTable:
    """`TABLE_SIZE` phrases in which each word occurs as often as in text of that topic and strength."""
    words = word_table(topic, strength)
    rng = Random(f"{topic} {strength}")
    columns = [rng.sample(words, len(words)) for _ in range(PHRASE)]
    phrases = tuple(" ".join(row) for row in zip(*columns, strict=True))
    return PhraseTable(phrases, tuple(phrase.capitalize() for phrase in phrases))


def word_table(topic: str, strength: int) -> tuple[str, ...]:
    """`TABLE_SIZE` words in the proportions in which pages of that topic and strength use them."""
    topical = STRENGTHS[strength]
    weighted = [
        *_by_rank(TOPICS[topic], topical),
        *_by_rank(FUNCTION_WORDS, _FUNCTION_SHARE),
        *_by_rank(GENERAL_WORDS, 1.0 - topical - _FUNCTION_SHARE),
    ]
    filled = [word for word, weight in weighted for _ in range(max(1, round(weight * TABLE_SIZE)))]
    return tuple((filled + [FUNCTION_WORDS[0]] * TABLE_SIZE)[:TABLE_SIZE])


def _by_rank(listed: tuple[str, ...], share: float) -> list[tuple[str, float]]:
    """Weights that fall with the rank like in natural text, a little flatter, and add up to `share`."""
    raw = [1.0 / (rank + 8) ** 0.9 for rank in range(len(listed))]
    scale = share / sum(raw)
    return [(word, weight * scale) for word, weight in zip(listed, raw, strict=True)]
