"""The word for password in more than fifty languages, as a table.

A label, something that joins it to a value, and a value: that is how people tell a
secret, in any language. A new language is a new row. What sentences *about* passwords
say stands beside the same words, but has no value in it (`values.py`).
"""

from __future__ import annotations

import re
from typing import NamedTuple

PASSWORD, PIN, KEY = "password", "PIN", "API key"


class Tongue(NamedTuple):
    """What one language calls secrets. Words are apart by blanks; `_` is a blank.

    Attributes:
        password: Words for a password, without endings.
        joins: Words between it and its value: "is", "as", "called".
        pin: Words for a number that opens something.
        key: Words for a key of a program.
        turns: Words before a new value: "changed it *to* …".
        none: What stands after a colon, alone, and is no password: "required".
        bare: Whether the value may follow the word with nothing that joins them.
    """

    password: str
    joins: str = ""
    pin: str = ""
    key: str = ""
    turns: str = ""
    none: str = ""
    bare: bool = False


TONGUES: dict[str, Tongue] = {
    "English": Tongue(
        "password passwd passphrase pass-phrase passcode pass_code pass pwd pw psk "
        "wifi_key wi-fi_key network_key wpa_key wpa2_key wpa3_key wep_key",
        "is was are be as it's its 's called currently still now just",
        "pin pin_code pin_number pincode",
        "key token secret credential credentials auth api_key access_key",
        "to",
    ),
    "German": Tongue(
        "passwort kennwort losungswort geheimwort wlan-schlüssel netzwerkschlüssel "
        "wlan-passwort passwörter kennwörter",
        "ist lautet war heißt heisst bleibt wird als sei jetzt nun weiterhin",
        "pin geheimzahl pin-code türcode zugangscode entsperrcode bestätigungscode "
        "alarmcode",
        "api-schlüssel zugriffsschlüssel geheimschlüssel zugangsschlüssel",
        "auf zu in",
    ),
    "French": Tongue(
        "mot_de_passe mots_de_passe mdp phrase_secrète code_secret phrase_de_passe",
        "est était sera reste devient comme c'est le maintenant toujours",
        "code_pin digicode code_d'accès code_de_la_porte code_de_vérification pin",
        "clé_api clé_d'api clé_secrète clé_d'accès jeton",
        "en par à pour",
        "oublié obligatoire incorrect requis perdu expiré invalide",
    ),
    "Spanish": Tongue(
        "contraseña contrasena clave palabra_de_paso contraseñas",
        "es era será sigue siendo como ahora",
        "pin código_pin código_secreto código_de_acceso código_de_verificación",
        "clave_de_api clave_api clave_secreta clave_de_acceso",
        "a por en",
        "olvidada obligatoria incorrecta requerida perdida caducada",
    ),
    "Portuguese": Tongue(
        "senha palavra-passe palavra_passe palavra-chave senhas",
        "é era será fica como agora",
        "pin código_pin código_de_acesso código_secreto",
        "chave_de_api chave_api chave_secreta chave_da_api",
        "para por a",
        "obrigatória esquecida incorreta expirada",
    ),
    "Italian": Tongue(
        "password parola_d'ordine parola_d'accesso parola_chiave",
        "è era sarà resta come e' adesso",
        "pin codice_pin codice_segreto codice_d'accesso codice_di_verifica",
        "chiave_api chiave_segreta chiave_di_accesso chiave_privata",
        "in a con",
        "obbligatoria dimenticata errata scaduta",
    ),
    "Catalan": Tongue("contrasenya", "és era serà com", turns="a per"),
    "Galician": Tongue("contrasinal", "é era como", turns="a por"),
    "Romanian": Tongue("parola parolă", "este e era ca", turns="în la"),
    "Dutch": Tongue(
        "wachtwoord toegangscode wachtzin",
        "is was luidt als wordt blijft nu",
        "pincode pin toegangscode",
        "api-sleutel geheime_sleutel",
        "naar in",
        "vergeten verplicht verlopen onjuist",
    ),
    "Afrikaans": Tongue("wagwoord", "is was as"),
    "Swedish": Tongue(
        "lösenord losenord lösenfras",
        "är var lyder blir som nu",
        "pinkod portkod pin-kod",
        "api-nyckel",
        "till",
    ),
    "Danish": Tongue(
        "adgangskode kodeord", "er var lyder bliver som", "pinkode", turns="til"
    ),
    "Norwegian": Tongue("passord", "er var lyder blir som", "pinkode", turns="til"),
    "Icelandic": Tongue("lykilorð aðgangsorð", "er var sem", turns="í"),
    "Finnish": Tongue("salasana salasanan tunnussana", "on oli", "pin-koodi"),
    "Estonian": Tongue("parool salasõna", "on oli"),
    "Latvian": Tongue("parole paroli", "ir bija", turns="uz"),
    "Lithuanian": Tongue("slaptažodis slaptažod", "yra buvo kaip", turns="į"),
    "Polish": Tongue(
        "hasło haslo hasła",
        "to jest brzmi było jako teraz",
        "kod_pin kod_dostępu pin",
        "klucz_api klucz_tajny klucz_dostępu",
        "na",
        "wymagane zapomniane",
    ),
    "Czech": Tongue("heslo hesla hesl", "je zní bylo jako", "pin-kód", turns="na"),
    "Slovak": Tongue("heslo prístupové_heslo", "je znie bolo ako", turns="na"),
    "Slovenian": Tongue("geslo", "je kot", turns="v na"),
    "Croatian and Serbian": Tongue(
        "lozinka lozink šifra zaporka", "je kao", turns="u na"
    ),
    "Serbian": Tongue("лозинка лозинк шифра", "је као", turns="у на"),
    "Macedonian": Tongue("лозинката", "е како", turns="на"),
    "Bulgarian": Tongue("парола паролата", "е беше като", turns="на"),
    "Russian": Tongue(
        "пароль парол кодовое_слово",
        "это есть такой теперь как",
        "пин-код пин пинкод код_доступа код_домофона",
        "api-ключ ключ_api секретный_ключ ключ_доступа токен",
        "на",
        "обязателен забыт неверный",
        bare=True,
    ),
    "Ukrainian": Tongue(
        "пароль гасло",
        "це такий як",
        "пін-код",
        "ключ_доступу секретний_ключ",
        "на",
        bare=True,
    ),
    "Belarusian": Tongue("пароль", "гэта як", turns="на", bare=True),
    "Hungarian": Tongue(
        "jelszó jelszav jelszo", "az a lett lesz mint", "pin-kód", bare=True
    ),
    "Albanian": Tongue("fjalëkalim fjalekalim", "është eshte si", turns="në"),
    "Greek": Tongue(
        "κωδικός_πρόσβασης κωδικό_πρόσβασης συνθηματικό κωδικός κωδικό",
        "είναι ήταν ως",
        "κωδικός_pin",
        "κλειδί_api",
        "σε",
    ),
    "Turkish": Tongue(
        "şifre sifre parola şifrem",
        "olarak",
        "pin_kodu",
        "api_anahtarı gizli_anahtar",
        none="zorunlu gerekli yanlış",
        bare=True,
    ),
    "Azerbaijani": Tongue("şifrə parol", "kimi", bare=True),
    "Uzbek": Tongue("parol maxfiy_so'z", "", bare=True),
    "Kazakh": Tongue("құпия_сөз құпиясөз", "", bare=True),
    "Mongolian": Tongue("нууц_үг", "нь бол", bare=True),
    "Arabic": Tongue(
        "كلمة_السر كلمة_المرور كلمة_مرور كلمة_سر الرقم_السري باسورد",
        "هي هو كانت",
        "رمز_pin الرمز_السري",
        "مفتاح_api المفتاح_السري",
        "إلى",
        bare=True,
    ),
    "Hebrew": Tongue(
        "סיסמה סיסמא סיסמת הסיסמה", "היא הוא זה", "קוד_סודי", turns="ל", bare=True
    ),
    "Persian": Tongue(
        "رمز_عبور گذرواژه پسورد کلمه_عبور رمز", "این برابر است", turns="به", bare=True
    ),
    "Urdu": Tongue("پاس_ورڈ پاسورڈ", "یہ ہے", bare=True),
    "Hindi": Tongue("पासवर्ड कूटशब्द", "यह है", "पिन", "एपीआई_कुंजी", bare=True),
    "Bengali": Tongue("পাসওয়ার্ড", "হল হলো", bare=True),
    "Punjabi": Tongue("ਪਾਸਵਰਡ", "", bare=True),
    "Gujarati": Tongue("પાસવર્ડ", "", bare=True),
    "Tamil": Tongue("கடவுச்சொல்", "", bare=True),
    "Telugu": Tongue("పాస్‌వర్డ్ పాస్వర్డ్", "", bare=True),
    "Kannada": Tongue("ಪಾಸ್‌ವರ್ಡ್ ಪಾಸ್ವರ್ಡ್", "", bare=True),
    "Malayalam": Tongue("പാസ്‌വേഡ് പാസ്വേഡ്", "", bare=True),
    "Thai": Tongue("รหัสผ่าน", "คือ เป็น", "รหัส_pin"),
    "Lao": Tongue("ລະຫັດຜ່ານ", "ແມ່ນ"),
    "Khmer": Tongue("ពាក្យសម្ងាត់", "គឺ"),
    "Burmese": Tongue("စကားဝှက်", ""),
    "Vietnamese": Tongue(
        "mật_khẩu mat_khau", "là la", "mã_pin", "khóa_api", "thành sang"
    ),
    "Indonesian": Tongue(
        "kata_sandi sandi", "adalah ialah yaitu", turns="menjadi ke", bare=True
    ),
    "Malay": Tongue("kata_laluan", "ialah adalah", turns="kepada", bare=True),
    "Filipino": Tongue("kontrasenyas", "ay"),
    "Swahili": Tongue("nenosiri nywila", "ni"),
    "Georgian": Tongue("პაროლი პაროლ", "არის"),
    "Armenian": Tongue("գաղտնաբառ", "է"),
    "Basque": Tongue("pasahitz", "da"),
    "Welsh": Tongue("cyfrinair", "yw"),
    "Irish": Tongue("pasfhocal", "is"),
    "Esperanto": Tongue("pasvorto", "estas kiel"),
    "Chinese": Tongue(
        "密码 密碼 口令 通行码 通行碼",
        "是 为 為 改为 改成 设为 設為 叫",
        "pin码 验证码",
        "api密钥 密钥 密鑰 api金鑰 访问令牌",
    ),
    "Japanese": Tongue(
        "パスワード パスフレーズ 合言葉 パスコード",
        "は が",
        "暗証番号 暗証コード pinコード",
        "apiキー 秘密鍵 アクセスキー シークレットキー",
    ),
    "Korean": Tongue(
        "비밀번호 패스워드 암호 비번",
        "는 은",
        "핀번호 핀코드",
        "api_키 비밀키 액세스_키",
    ),
}

AMBIGUOUS = "to on a az e er da ni je la le com si in as is ir ca ay va"
"""Words that join in their own language alone: elsewhere they are something else."""

USERS = (
    "user username login account benutzer benutzername nutzer anmeldename utilisateur "
    "identifiant usuario usuário utilizador utente gebruiker gebruikersnaam użytkownik "
    "uživatel användare bruker bruger логин пользователь користувач kullanıcı pengguna "
    "χρήστης مستخدم 用户 用户名 帳號 账号 ユーザー ユーザー名 사용자 아이디"
)
"""Who stands beside a name and a password: after these a password needs no "is"."""

PUBLIC = (
    "public publishable site sitekey pub fingerprint öffentlicher öffentliche "
    "öffentlichen publique publiques pública públicas pubblica publiczny publieke "
    "openbare открытый публичный açık 公開 公钥 公鑰 公共 publik offentlig "
    "page next continuation csrf xsrf sync cursor pagination cache primary foreign "
    "idempotency partition sort object"
)
"""Before a word for a key: such a key is no secret."""

PROGRAMS = (
    "api access auth secret private preshared signing encryption master service "
    "account admin app application license licence deploy storage shared session bot "
    "integration webhook hmac jwt project server client geheimer privater privé privée "
    "secrète privada secreta privata segreta prywatny приватный закрытый"
)
"""Before a word for a key: such a key is one of a program, and no table's or song's."""

_STEMS = """
    pass pasa pasf pasv pw psk pin key token secr auth cred mdp kennw losungs schl code
    codic digo kod geheim api clave clé cle_d' chiave chave ontras cyfrin fjal sleutel
    gesl hasl hasł hesl anahtar jelsz jeton laluan klucz senord senfras lozink maxfiy
    nenosiri nywila pala paro salas sandi senha ifr slapt tunnus wacht wagw zapor lykil
    gangs örter t_kh
"""
STEMS = tuple(stem.replace("_", " ") for stem in _STEMS.split())
"""One of these stands in every label in our own letters: most texts have none."""

OTHER_SCRIPT = re.compile(r"[\u0370-\u1fff\u2c00-\u2dff\u3040-\ud7ff]")
"""Letters that are not ours."""


def may_be_told(low: str) -> bool:
    """Whether a text, in small letters, may have a label in it."""
    if any(map(low.__contains__, STEMS)):
        return True
    return not low.isascii() and bool(OTHER_SCRIPT.search(low))
