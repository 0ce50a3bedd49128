"""A made-up life in three languages, and what is asked about it.

Ines Calvo is a nurse in Graz. Each memory has the days before the questions on which
it was stored, and how: as plain text, on a page, or as a turn of a conversation. Each
question has a part of the text that answers it, or nothing where nothing does.
"""

from __future__ import annotations

from typing import NamedTuple


class Told(NamedTuple):
    """One memory of the life.

    Attributes:
        days: How many days before the questions it was stored.
        text: What it says.
        about: The page it is stored on; empty for the router's choice, `turn` for a
            turn of a conversation, `episode` for an entry of its day.
    """

    days: int
    text: str
    about: str = ""


class Asked(NamedTuple):
    """One question about the life.

    Attributes:
        text: The question.
        answer: A part of the right answer; empty where nothing answers it.
        sure: Whether it has to be sure (`yes`), must not be (`no`), or either (`?`).
        kind: What it is an example of.
    """

    text: str
    answer: str
    sure: str
    kind: str


LIFE = (
    # About herself, in her own words and in those of an agent.
    Told(200, "I'm Ines Calvo, a paediatric nurse at the Landeskrankenhaus."),
    Told(199, "I grew up in Valparaíso."),
    Told(190, "Ich wohne in der Annenstraße 14 in Graz."),
    Told(185, "Soy alérgica a la penicilina."),
    Told(180, "My birthday is on March 9."),
    Told(178, "Is married to Jakob since 2019", "person--user"),
    Told(175, "Drives a red Dacia Sandero", "person--user"),
    Told(170, "Ich singe im Kirchenchor, immer am Dienstag."),
    Told(165, "My locker at the ward is number 212."),
    Told(160, "Mi número de pie es el 38."),
    Told(158, "I take the tram number 6 to the hospital."),
    Told(150, "Mein Hausarzt ist Dr. Ferenc Balog."),
    Told(149, "My favourite author is Isabel Allende."),
    Told(148, "Wears contact lenses of minus 3.5", "person--user"),
    Told(147, "Mi postre favorito es el arroz con leche."),
    # About others, with the same predicates.
    Told(198, "Tomasz works at the fire station."),
    Told(197, "Bettina is a tax consultant at Kranzler & Co."),
    Told(196, "Tomasz lives in Leibnitz."),
    Told(195, "Bettina hat am 30. Juli Geburtstag."),
    Told(194, "Pilar conduce un Seat Ibiza azul."),
    Told(193, "Is allergic to cats", "person--lukas-reiter"),
    Told(192, "Wears glasses since he was six", "person--lukas-reiter"),
    Told(191, "Works at the library of Leoben", "person--lukas-reiter"),
    Told(189, "Pilar es arquitecta y vive en Sevilla."),
    Told(188, "Tomasz's favourite colour is orange."),
    Told(187, "Bettina spielt Querflöte im Orchester."),
    Told(186, "Dr. Okafor is Tomasz's dentist."),
    Told(184, "Lukas graduated from the music school in Wels.", "episode"),
    Told(183, "Gerlinde pays 640 euros of rent."),
    # What changed, older first.
    Told(140, "I take my tea with milk."),
    Told(30, "I no longer take milk in my tea."),
    Told(139, "Mein Fahrrad steht im Keller."),
    Told(25, "Mein Fahrrad steht jetzt im Hof."),
    Told(138, "Mi compañera de turno es Rosa."),
    Told(22, "Mi compañera de turno es Amparo ahora."),
    Told(137, "Lives in Linz", "person--katharina-moser"),
    Told(20, "Lives in Villach", "person--katharina-moser"),
    Told(136, "The house renovation ends in May."),
    Told(18, "The house renovation ends in August."),
    Told(135, "Pilar works for a museum in Cádiz."),
    Told(16, "Pilar works for the city of Huelva now."),
    Told(134, "My gym membership costs 39 euros a month."),
    Told(12, "My gym membership costs 46 euros a month."),
    Told(133, "The choir meets in the parish hall."),
    Told(11, "The choir meets in the school from now on."),
    Told(132, "Prefers the early shift", "person--user"),
    Told(10, "Prefers the night shift", "person--user"),
    # Rules with days in them.
    Told(120, "Never schedule appointments on a Wednesday morning."),
    Told(119, "Always water the orchids on Sundays."),
    Told(118, "Am Freitag keine Wäsche waschen, da ist die Waschküche belegt."),
    Told(117, "No llamar a la abuela los lunes antes de las doce."),
    Told(116, "The bins have to be outside on Thursday evening."),
    Told(115, "Do not book trips in December, the ward needs everybody."),
    # What happened on days; the questions are asked on a Monday.
    Told(3, "Repaired the kitchen tap with Jakob.", "episode"),
    Told(5, "Finished the jigsaw puzzle of Lisbon.", "episode"),
    Told(4, "The washing machine was delivered.", "episode"),
    Told(7, "Sold the old cello for 300 euros.", "episode"),
    Told(1, "Watched a documentary about glaciers.", "episode"),
    Told(2, "Cooked lentil soup for the neighbours.", "episode"),
    # Things around her.
    Told(110, "The spare key hangs behind the fuse box."),
    Told(109, "Glasfaser Plus is our internet provider."),
    Told(108, "Kranzler & Co has its office on the Hauptplatz."),
    Told(107, "The wifi password reminder is in the blue folder."),
    Told(106, "The car insurance runs until October 31."),
    Told(105, "Atelier Nube restores antique furniture in Sevilla."),
    Told(104, "Der Schlüssel zur Hütte liegt bei Familie Pichler."),
    Told(60, "I had my hair cut short before the trip.", "turn"),
    Told(59, "My passport expires in February 2031.", "turn"),
    Told(58, "Jakob lost his job at the sawmill.", "turn"),
)

QUESTIONS = (
    # About herself: her own first, never somebody else's for sure.
    Asked("what is my name", "Ines Calvo", "yes", "self"),
    Asked("what's my job", "nurse", "?", "self"),
    Asked("where do I work", "Landeskrankenhaus", "?", "self"),
    Asked("where do I live", "Annenstraße", "?", "self"),
    Asked("wo wohne ich", "Annenstraße", "yes", "self"),
    Asked("where did I grow up", "Valparaíso", "yes", "self"),
    Asked("when is my birthday", "March 9", "yes", "self"),
    Asked("who is my husband", "Jakob", "?", "self"),
    Asked("what car do I drive", "Dacia", "?", "self"),
    Asked("¿a qué soy alérgica?", "penicilina", "yes", "self"),
    Asked("am I allergic to anything", "penicilina", "?", "self"),
    Asked("what number is my locker", "212", "yes", "self"),
    Asked("¿qué número de pie tengo?", "38", "yes", "self"),
    Asked("which tram do I take", "tram number 6", "yes", "self"),
    Asked("wer ist mein Hausarzt", "Balog", "yes", "self"),
    Asked("who is my favourite author", "Allende", "yes", "self"),
    Asked("do I wear glasses or lenses", "contact lenses", "?", "self"),
    Asked("when does my passport expire", "2031", "yes", "self"),
    Asked("¿cuál es mi postre favorito?", "arroz", "yes", "self"),
    Asked("wo singe ich", "Kirchenchor", "yes", "self"),
    # Nobody told this of herself, only of others.
    Asked("what is my favourite colour", "", "no", "not told of self"),
    Asked("who is my dentist", "", "no", "not told of self"),
    Asked("how much rent do I pay", "", "no", "not told of self"),
    Asked("which instrument do I play", "", "no", "not told of self"),
    Asked("which music school did I graduate from", "", "no", "not told of self"),
    Asked("who is my tax consultant", "", "no", "not told of self"),
    Asked("spiele ich Querflöte", "", "no", "not told of self"),
    Asked("¿conduzco un Seat?", "", "no", "not told of self"),
    Asked("do I work at the fire station", "", "no", "not told of self"),
    Asked("am I allergic to cats", "", "no", "not told of self"),
    Asked("did I lose my job at the sawmill", "", "no", "not told of self"),
    # About others: theirs first.
    Asked("where does Tomasz work", "fire station", "yes", "others"),
    Asked("where does Tomasz live", "Leibnitz", "yes", "others"),
    Asked("what is Tomasz's favourite colour", "orange", "yes", "others"),
    Asked("wann hat Bettina Geburtstag", "30. Juli", "yes", "others"),
    Asked("¿dónde vive Pilar?", "Sevilla", "yes", "others"),
    Asked("what is Lukas Reiter allergic to", "cats", "yes", "others"),
    Asked("where does Lukas work", "library", "yes", "others"),
    # The newer one of two.
    Asked("how do I take my tea", "no longer take milk", "yes", "newer"),
    Asked("wo steht mein Fahrrad", "Hof", "yes", "newer"),
    Asked("¿quién es mi compañera de turno?", "Amparo", "yes", "newer"),
    Asked("where does Katharina Moser live", "Villach", "yes", "newer"),
    Asked("when does the house renovation end", "August", "yes", "newer"),
    Asked("where does Pilar work", "Huelva", "yes", "newer"),
    Asked("what does my gym membership cost", "46", "yes", "newer"),
    Asked("where does the choir meet", "school", "yes", "newer"),
    Asked("which shift do I prefer", "night", "yes", "newer"),
    # A day in a question is no reason to leave a rule out.
    Asked("can I schedule an appointment on Wednesday", "Wednesday", "yes", "rules"),
    Asked("should I water the orchids on Sunday", "orchids", "yes", "rules"),
    Asked("kann ich am Freitag Wäsche waschen", "Waschküche", "yes", "rules"),
    Asked("¿puedo llamar a la abuela el lunes?", "abuela", "yes", "rules"),
    Asked("do the bins go outside on Thursday", "bins", "yes", "rules"),
    Asked("may we book a trip in December", "December", "yes", "rules"),
    # A day is what is asked for.
    Asked("what did I do last Friday", "kitchen tap", "yes", "days"),
    Asked("what happened on Thursday", "washing machine", "yes", "days"),
    Asked("what did I do last Wednesday", "jigsaw", "yes", "days"),
    Asked("what did I watch yesterday", "glaciers", "yes", "days"),
    Asked("was habe ich am Samstag gekocht", "lentil", "?", "days"),
    Asked("what did I sell last week", "cello", "?", "days"),
    # Nobody told this at all.
    Asked("who is the CEO of Kranzler & Co", "", "no", "not told"),
    Asked("when was Atelier Nube founded", "", "no", "not told"),
    Asked("how much does Glasfaser Plus cost", "", "no", "not told"),
    Asked("what is the phone number of Pilar", "", "no", "not told"),
    Asked("wie heißt die Chefin von Bettina", "", "no", "not told"),
    Asked("¿quién fundó Kranzler?", "", "no", "not told"),
    Asked("which school do Tomasz's children go to", "", "no", "not told"),
    Asked("what is the capital of Mongolia", "", "no", "not told"),
    # Plain ones.
    Asked("where is the spare key", "fuse box", "yes", "plain"),
    Asked("until when does the car insurance run", "October 31", "yes", "plain"),
    Asked("who is our internet provider", "Glasfaser", "yes", "plain"),
    Asked("wo liegt der Schlüssel zur Hütte", "Pichler", "yes", "plain"),
)
