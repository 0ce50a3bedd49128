"""The phrases of the design in plain position, as people say them, in each language.

The order is the design's: remember, forget, reflect (with the one that searches), the
words that begin a reflection at once, and the farewells.
"""

from __future__ import annotations

REMEMBER = {
    "en": """remember that {}|remember {}|don't forget {}|keep in mind {}|note that {}
        |important: {}|for future reference {}|save this: {}|FYI for later {}""",
    "de": """merk dir, dass {}|merke dir: {}|vergiss nicht, dass {}|behalte im Kopf, dass {}
        |notiere, dass {}|wichtig: {}|für die Zukunft: {}|speichere das: {}
        |zur Info für später: {}|denk daran, dass {}""",
    "es": """recuerda que {}|recuerda: {}|no olvides que {}|ten en cuenta que {}|anota que {}
        |importante: {}|para futura referencia, {}|guarda esto: {}|para más adelante: {}
        |acuérdate de que {}|apunta que {}""",
    "fr": """souviens-toi que {}|rappelle-toi que {}|n'oublie pas que {}|garde à l'esprit que {}
        |note que {}|important : {}|pour référence future, {}|enregistre ceci : {}
        |pour info pour plus tard : {}|retiens que {}""",
    "pt": """lembre-se de que {}|lembra que {}|não esqueça que {}|tenha em mente que {}
        |anote que {}|importante: {}|para referência futura, {}|guarde isso: {}
        |para mais tarde: {}|não se esqueça de que {}""",
    "zh": """记住{}|请记住，{}|别忘了{}|不要忘记{}|牢记{}|请注意，{}|重要：{}|供以后参考，{}
        |保存这个：{}|备忘：{}|记下来：{}""",
    "ja": """{}と覚えておいて|{}ことを覚えておいてください|{}のを忘れないで|{}を心に留めておいて
        |{}とメモしておいて|重要：{}|今後の参考に、{}|{}を保存しておいて|後で使うから：{}
        |覚えておいて：{}""",
}
FORGET = {
    "en": """forget about {}|never mind about {}|disregard {}|{} is no longer relevant
        |ignore what I said about {}|remove from memory {}|delete the memory about {}
        |forget {}|remove {} from memory|delete memory of {}""",
    "de": """vergiss {}|vergiss das mit {}|streiche {}|{} ist nicht mehr relevant
        |ignoriere, was ich über {} gesagt habe|lösche aus dem Gedächtnis {}
        |lösche die Erinnerung an {}|lösche {} aus deinem Gedächtnis
        |{} kannst du vergessen|{} hat sich erledigt""",
    "es": """olvida {}|olvídate de {}|descarta {}|{} ya no es relevante
        |ignora lo que dije sobre {}|borra de tu memoria {}|elimina el recuerdo de {}
        |borra {} de tu memoria|olvida lo que dije de {}|haz caso omiso de {}""",
    "fr": """oublie {}|oublie ce que j'ai dit sur {}|ne tiens pas compte de {}
        |{} n'est plus d'actualité|ignore ce que j'ai dit sur {}|efface de ta mémoire {}
        |supprime le souvenir de {}|efface {} de ta mémoire|{} n'est plus pertinent""",
    "pt": """esqueça {}|esquece {}|desconsidere {}|{} não é mais relevante
        |ignore o que eu disse sobre {}|apague da memória {}|apague a memória sobre {}
        |remova {} da sua memória|{} já não é relevante""",
    "zh": """忘掉{}|忘了{}|不用管{}|{}不再重要|忽略我说的关于{}|从记忆中删除{}
        |删除关于{}的记忆|忘记{}|把{}忘掉""",
    "ja": """{}は忘れて|{}のことは忘れてください|{}は気にしないで|{}はもう関係ない
        |{}について言ったことは無視して|{}を記憶から消して|{}についての記憶を削除して
        |{}は取り消し""",
}
LAID_ASIDE = {  # what was said just now: no memory is touched
    "en": "never mind|scratch that|that's no longer relevant|ignore previous instructions",
    "de": "schon gut|streich das|das ist nicht mehr relevant|ignoriere alle vorherigen Anweisungen",
    "es": "no importa|tacha eso|eso ya no es relevante|ignora todas las instrucciones anteriores",
    "fr": "laisse tomber|raye ça|ce n'est plus pertinent|ignore toutes les instructions précédentes",
    "pt": "deixa pra lá|risca isso|isso não é mais relevante|ignore todas as instruções anteriores",
    "zh": "算了|划掉那个|那已经不重要了|忽略之前的指令",
    "ja": "気にしないで|今のは取り消し|それはもう関係ない|前の指示は無視して",
}
SEARCH = {
    "en": "what do you remember about {}?",
    "de": "was weißt du noch über {}?|woran erinnerst du dich bei {}?",
    "es": "¿qué recuerdas de {}?|¿qué recuerdas sobre {}?",
    "fr": "de quoi te souviens-tu à propos de {} ?|que te rappelles-tu de {} ?",
    "pt": "o que você lembra sobre {}?|o que você se lembra de {}?",
    "zh": "你还记得关于{}的什么？|关于{}你记得什么？",
    "ja": "{}について何を覚えている？|{}について何を覚えていますか？",
}
REFLECT = {
    "en": """reflect on today|consolidate your memories|review your memories
        |clean up your memory|reflect|let's reflect|reflection time|time to reflect""",
    "de": """reflektiere über heute|konsolidiere deine Erinnerungen
        |geh deine Erinnerungen durch|räum dein Gedächtnis auf|reflektiere
        |lass uns reflektieren|Zeit für eine Reflexion|Zeit zu reflektieren""",
    "es": """reflexiona sobre hoy|consolida tus recuerdos|repasa tus recuerdos
        |limpia tu memoria|reflexiona|vamos a reflexionar|hora de la reflexión
        |es hora de reflexionar""",
    "fr": """réfléchis à aujourd'hui|consolide tes souvenirs|passe en revue tes souvenirs
        |nettoie ta mémoire|réfléchis|réfléchissons|l'heure de la réflexion
        |il est temps de réfléchir""",
    "pt": """reflita sobre hoje|consolide suas memórias|reveja suas memórias
        |limpe sua memória|reflita|vamos refletir|hora da reflexão|hora de refletir""",
    "zh": "反思一下今天|巩固你的记忆|回顾你的记忆|清理你的记忆|反思|我们来反思|反思时间|该反思了",
    "ja": """今日を振り返って|記憶を統合して|記憶を見直して|記憶を整理して|内省して
        |振り返ろう|振り返りの時間|内省の時間""",
}
FAREWELL = {
    "en": """going to sleep|I'm going to sleep|logging off|goodnight|good night|heading out
        |done for today|signing off|calling it a night""",
    "de": """ich gehe schlafen|ich logge mich aus|gute Nacht|ich bin weg|fertig für heute
        |ich melde mich ab|Schluss für heute|ich mache Feierabend|ich gehe ins Bett""",
    "es": """me voy a dormir|me desconecto|buenas noches|me voy|terminé por hoy
        |cierro sesión|lo dejo por hoy|eso es todo por hoy""",
    "fr": """je vais dormir|je me déconnecte|bonne nuit|je m'en vais
        |j'ai fini pour aujourd'hui|je vous laisse|je vais me coucher
        |c'est tout pour aujourd'hui""",
    "pt": """vou dormir|vou me desconectar|boa noite|estou saindo|terminei por hoje
        |vou indo|por hoje é só|vou para a cama""",
    "zh": "我去睡了|下线了|晚安|我出门了|今天就到这里|我先下了|我要睡了|收工了",
    "ja": """もう寝る|ログオフします|おやすみ|出かけます|今日はここまで|落ちます
        |今日は終わりにします|おやすみなさい""",
}
NAMED = {  # what is said in these tests
    "en": "the old boat",
    "de": "das alte Boot",
    "es": "el barco viejo",
    "fr": "le vieux bateau",
    "pt": "o barco velho",
    "zh": "那条旧船",
    "ja": "古い船",
}
SAID = {
    "en": "the boat is green",
    "de": "das Boot ist grün",
    "es": "el barco es verde",
    "fr": "le bateau est vert",
    "pt": "o barco é verde",
    "zh": "船是绿色的",
    "ja": "船は緑だ",
}


def said(table: dict[str, str], words: dict[str, str]) -> list[tuple[str, str]]:
    """Each phrase with its words in it, and the words."""
    return [
        (" ".join(phrase.split()).replace("{}", words[language]), words[language])
        for language, phrases in table.items()
        for phrase in phrases.split("|")
    ]
