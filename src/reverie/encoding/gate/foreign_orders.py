"""The commonest orders to an agent in other languages, as a table."""

from __future__ import annotations

from reverie.encoding.gate.order_phrases import (
    APPROVAL,
    DUTY,
    OVERRIDES,
    ROLE,
    STANDING,
    UNASKED,
    Phrase,
)

FOREIGN: tuple[Phrase, ...] = (
    Phrase(
        DUTY,
        "en sie ,nie ,niemals ,immer ,einfach ,bitte ,merci de ,veuillez,il faut"
        ",por favor,ne d,ne p,no le,no digas,no preguntes,nunca ,toujours ,jamais ",
        r"(?:^|[\n.!?:;,]\s{0,9}|\bbitte\s+)(?!haben|sind|k\u00f6nnen|m\u00f6chten"
        r"|wollen|werden)"
        r"[a-z\u00e4\u00f6\u00fc\u00df]{3,20}en\s+sie\b|\b(?:nie|niemals|immer"
        r"|einfach)\s+"
        r"(?:wieder\s+)?[a-z\u00e4\u00f6\u00fc\u00df]{3,20}en\s*(?:[.,!]|\Z)"
        r"|\bmerci\s+de\s+[a-z]"
        r"|\bveuillez\b|\bil\s+faut\b|\bpor\s+favor\b|\bbitte\s+[a-z]"
        r"|\bne\s+(?:dis|dites|demande[rz]?|parle[rz]?|pr\u00e9viens)\b"
        r"|\bnunca\s+[a-z]+s\b|\b[a-z\u00e0-\u00ff]+ez\s+(?:toujours|jamais)\b"
        r"|\bno\s+(?:les?\s+|lo\s+)?(?:digas|preguntes|reveles|menciones|avises)\b",
    ),
    Phrase(
        OVERRIDES,
        "ignorier,vergiss,vergesst,missacht,ignorez,oublie,ignora,ignore ,"
        "olvid,esquece,dimentica,negeer,vergeet",
        r"\b(?:ignorier(?:e|t|en)?|vergiss|vergesst|missachte|ignorez|ignore"
        r"|oublie[zr]?|ignora"
        r"|ignorad|ignoren|olvida(?:d|te)?|esque\u00e7a|dimentica|negeer|vergeet)\s"
        r"[^.!?\n]{0,40}?(?:anweisung|regel|befehl|vorgaben|alles|instruction|consigne"
        r"|r\u00e8gle|instruccion|regla|orden|istruzion|instru\u00e7|instructies"
        r"|regels)",
    ),
    Phrase(
        STANDING,
        "ab sofort,ab jetzt,von nun an,immer wenn,jedes mal,partir de,"
        "d\xe9sormais,ahora en adelante,siempre que,cada vez que,chaque fois,"
        "vanaf nu,d'ora in poi",
        r"\b(?:ab\s+(?:sofort|jetzt)|von\s+nun\s+an|immer\s+wenn|jedes\s+mal"
        r"|d'ora\s+in\s+poi"
        r"|(?:\u00e0|a)\s+partir\s+de\s+(?:maintenant|ahora|agora)|d\u00e9sormais"
        r"|vanaf\s+nu"
        r"|de\s+ahora\s+en\s+adelante|siempre\s+que|cada\s+vez\s+que"
        r"|chaque\s+fois\s+que)",
    ),
    Phrase(
        ROLE,
        "du bist,sie sind,tu es,vous \xeates,eres,sei ora,voc\xea \xe9",
        r"\b(?:du\s+bist\s+(?:jetzt|nun|ab)|sie\s+sind\s+(?:jetzt|nun)"
        r"|tu\s+es\s+(?:maintenant"
        r"|d\u00e9sormais)|vous\s+\u00eates\s+(?:maintenant|d\u00e9sormais)"
        r"|ahora\s+eres|eres\s+ahora"
        r"|ora\s+sei|agora\s+voc\u00ea\s+\u00e9)",
    ),
    Phrase(
        DUTY,
        "du musst,du sollst,sie m\xfcssen,sie sollen,tu dois,vous devez,debes,"
        "tienes que,devi ,voc\xea deve,je moet",
        r"\b(?:du\s+(?:musst|sollst|darfst)|sie\s+(?:m\u00fcssen|sollen)|tu\s+dois"
        r"|vous\s+devez"
        r"|debes|deb\u00e9is|tienes\s+que|devi|voc\u00ea\s+deve|je\s+moet)\s",
    ),
    Phrase(
        UNASKED,
        "ohne ,sans ,sin ",
        r"\b(?:ohne\s+(?:nachzufragen|r\u00fcckfrage|zu\s+fragen|best\u00e4tigung"
        r"|genehmigung|pr\u00fcfung)"
        r"|sans\s+(?:demander|confirmation|v\u00e9rifier|autorisation|approbation)"
        r"|sin\s+(?:preguntar|confirmaci\u00f3n|verificar|aprobaci\u00f3n|permiso))",
    ),
    Phrase(
        APPROVAL,
        "nutzer,benutzer,utilisateur,usuario",
        r"\b(?:be)?nutzer\s+hat\s+[^.!?\n]{0,30}?(?:zugestimmt|genehmigt|erlaubt"
        r"|best\u00e4tigt)"
        r"|\butilisateur\s+a\s+[^.!?\n]{0,20}?(?:approuv|autoris|confirm|accept)"
        r"|\busuario\s+ha\s+[^.!?\n]{0,20}?(?:aprobado|autorizado|confirmado|aceptado)",
    ),
    Phrase(
        DUTY,
        "send,schick,leite,f\u00fchr,l\u00f6sch,\u00fcberweis,zahl,antwort,sag,"
        "\u00f6ffn,install,gib,gebe,gebt,speicher,merk,empfiehl,kopier,lade,start,"
        "\u00e4nder,nutz,verwend,schreib,lies,erstell,aktivier,entfern,teile,"
        "befolg,best\u00e4tig,genehmig,kauf,bestell,buch,ersetz,f\u00fcge,envoie,"
        "envoy,transf,ex\u00e9cut,supprim,pay,r\u00e9pond,ouvr,donne,copi,"
        "t\u00e9l\u00e9ch,utilis,\u00e9criv,ajout,cliqu,veuil,env\u00eda,enviad,"
        "ejecut,elimin,borra,paga,respond,abre,instal,recomiend,descarg,escrib,"
        "a\u00f1ad,cambia,confirm",
        r"(?:^|[\n.!?:;,]\s{0,9}|\bund\s+|\bbitte\s+)(?:sende|schicke?|leite|f\u00fchre"
        r"|l\u00f6sche?|\u00fcberweise|bezahle?|zahle?|antworte|sage?|\u00f6ffne"
        r"|installiere|gebe?"
        r"|gib|gebt|speichere?|merke?|empfiehl|kopiere|lade|starte|\u00e4ndere|nutze"
        r"|benutze"
        r"|verwende|schreibe?|lies|erstelle|deaktiviere|aktiviere|entferne|teile"
        r"|befolge"
        r"|best\u00e4tige|genehmige|kaufe?|bestelle|buche|ersetze|f\u00fcge"
        r"|envoie|envoyez|transf\u00e8re|transf\u00e9rez|ex\u00e9cute[rz]?"
        r"|supprime[rz]?|payez"
        r"|r\u00e9ponds|r\u00e9pondez|ouvre|ouvrez|installe[rz]?|donne[rz]?|copie[rz]?"
        r"|t\u00e9l\u00e9charge[rz]?|utilise[rz]?|\u00e9crivez|ajoute[rz]?|clique[rz]?"
        r"|veuillez"
        r"|env\u00eda|enviad|reenv\u00eda|ejecuta|elimina|borra|paga|transfiere"
        r"|responde|abre"
        r"|instala|recomienda|copia|descarga|escribe|a\u00f1ade|cambia|confirma)\s+\S"
        r"|\b(?:schicken|senden|f\u00fchren|l\u00f6schen|\u00fcberweisen|\u00f6ffnen"
        r"|zahlen)\s+sie\b",
    ),
    Phrase(
        OVERRIDES,
        "\u0438\u0433\u043d\u043e\u0440\u0438\u0440,"
        "\u0437\u0430\u0431\u0443\u0434,\u5ffd\u7565,\u7121\u8996,\u65e0\u89c6",
        r"\u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443\w*[^.\n]{0,40}?\u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446"
        r"|\u0437\u0430\u0431\u0443\u0434\u044c\w*[^.\n]{0,40}?(?:\u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446|\u043f\u0440\u0430\u0432\u0438\u043b)"
        r"|(?:\u5ffd\u7565|\u65e0\u89c6|\u7121\u8996)[^\u3002\n]{0,12}?(?:\u6307\u4ee4"
        r"|\u6307\u793a|\u89c4\u5219|\u6307\u4ee4)"
        r"|\u6307\u793a\u3092\u7121\u8996",
    ),
)
"""German, French, Spanish; of some others only what sets instructions aside."""
