"""Passwords, keys and card numbers are found; what only looks so is not."""

from __future__ import annotations

import random
import string
from collections import Counter

import pytest
from benchmarks.suite.look_alikes import PROSE, harmless_cases
from benchmarks.suite.made_up_secrets import SHAPES, card, draw, left_over, secret_cases
from benchmarks.suite.secret_forms import look_alikes, told_forms
from hypothesis import given
from hypothesis import strategies as st
from tests.strategies import files

from reverie.secrets import Secret, find_secrets, redact, without_secrets
from reverie.secrets.labels import COLUMNS, languages, may_be_told, words_of

ALNUM = string.ascii_letters + string.digits


def chance(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 - nothing here is meant to be secret


RNG = chance(11)
KEY = draw(RNG, ALNUM, 32)
HEX = draw(RNG, "0123456789abcdef", 32)
WORD = "Kettle" + "42!"


def found(text: str) -> list[tuple[str, str]]:
    """The kinds that were found, and what each span holds."""
    return [(s.kind, text[s.start : s.end]) for s in find_secrets(text)]


def kinds(text: str) -> list[str]:
    return [secret.kind for secret in find_secrets(text)]


# --- the bars ----------------------------------------------------------------


def test_nearly_all_of_many_formats_are_found_wherever_they_stand() -> None:
    missed: Counter[str] = Counter()
    looked: Counter[str] = Counter()
    for case in secret_cases(chance(1), 3):
        looked[case.shape] += 1
        redacted = redact(case.text, find_secrets(case.text))
        missed[case.shape] += left_over(case, redacted)

    assert len(SHAPES) >= 25
    assert missed.total() <= 0.05 * looked.total()
    assert {shape: missed[shape] for shape in looked if missed[shape]} == {}


def test_hardly_anything_harmless_is_taken_for_a_secret() -> None:
    cases = list(harmless_cases(chance(2), 10))
    false = [(kind, text) for kind, text in cases if find_secrets(text)]

    assert len(false) <= 0.02 * len(cases)
    assert false == []


def test_no_sentence_about_passwords_is_taken_for_one() -> None:
    assert [text for text in PROSE if find_secrets(text)] == []


def test_nearly_all_forms_in_ten_languages_are_found() -> None:
    told = [each for seed in range(5) for each in told_forms(chance(seed))]
    missed = [each.text for each in told if each.secret in without_secrets(each.text)]

    assert len(told) >= 5 * 100
    assert len(missed) <= 0.05 * len(told), missed


def test_hardly_any_look_alike_is_flagged() -> None:
    alike = [each.text for each in look_alikes(chance(5))]
    flagged = [text for text in alike if find_secrets(text)]

    assert len(alike) >= 300
    assert len(flagged) <= 0.01 * len(alike), flagged


# --- labels ------------------------------------------------------------------


def test_every_label_is_looked_for() -> None:
    labels = [
        word
        for row in languages().values()
        for column in COLUMNS
        for word in words_of(row.get(column, ""))
    ]

    assert len(languages()) >= 60
    assert len(labels) >= 600
    assert [word for word in labels if not may_be_told(f"{word} 123")] == []


def test_a_password_is_found_in_every_language() -> None:
    for row in languages().values():
        word = row["password"].split()[0].replace("_", " ")
        joined = row.get("is", ":").split()[0].replace("_", " ")
        texts = (
            f"{word}: {WORD}",
            f"{word} = {WORD}",
            f"{word.upper()}: {WORD}",
            f"{word} {joined} {WORD}",
            f"{word}:\n{WORD}",
            f"| {word} | x |\n|---|---|\n| {WORD} | y |",
        )
        assert [text for text in texts if kinds(text) != ["password"]] == []


@pytest.mark.parametrize(
    "text",
    [
        "Kuus{}",
        "The secret ballot of {} was close.",
        "Password{} rules",
        "mot de passe : voir le coffre {}",
        "Passwort vergessen? Siehe Seite {}.",
    ],
)
def test_a_number_beside_a_label_is_no_value(text: str) -> None:
    assert found(text.format(1987)) == []


def test_a_public_key_is_none_whatever_it_is_called() -> None:
    key = draw(RNG, ALNUM + "+/", 43) + "="

    for name in ("PublicKey", "public_key", "Public key", "site key", "pubkey"):
        assert found(f"{name} = {key}") == []
    for name in ("PrivateKey", "private_key", "Private key", "PresharedKey"):
        assert kinds(f"{name} = {key}") == ["API key"]


def test_a_bitcoin_key_is_checked_to_the_last_letter() -> None:
    told = next(each for each in told_forms(chance(7)) if each.text == each.secret)
    wifs = [each.secret for each in told_forms(chance(7)) if each.secret[:1] in "KL"]
    key = next(each for each in wifs if len(each) == 52)

    assert told
    assert kinds(key) == ["private key"]
    assert "private key" not in kinds(key[:-1] + ("a" if key[-1] != "a" else "b"))


def test_a_dozen_words_of_a_wallet_are_a_secret_and_a_shopping_list_is_none() -> None:
    seed = next(
        each.secret for each in told_forms(chance(8)) if each.secret.count(" ") == 11
    )

    assert kinds(seed) == ["seed phrase"]
    assert kinds(", ".join(seed.split())) == ["seed phrase"]
    numbered = "\n".join(f"{n}. {word}" for n, word in enumerate(seed.split(), 1))
    assert kinds(numbered) == ["seed phrase"]
    assert kinds(" ".join(seed.split()[:11])) == []
    assert (
        kinds("bread milk eggs apples beans onions soup tea rice salt oil nuts") == []
    )


# --- near a label ------------------------------------------------------------

NEAR = (
    f"| Service | Login | Kennwort |\n|---|---|---|\n| Mail | ann | {WORD} |",
    f"name,url,username,password\nMail,https://x.org,ann,{WORD}",
    f'"Title","Password"\n"Router","{WORD}"',
    f"Q: What is the root password?\nA: {WORD}",
    f"Le mot de passe root ? {WORD}",
    f"Here is the password of the server:\n\n{WORD}",
    f"When it asks for the admin password, just type {WORD} and go on.",
    f"{WORD} \u2014 c'est mon mot de passe",
    f"{WORD}\u662f\u6211\u7684\u5bc6\u7801",
    f"Log in with ann@example.org and {WORD} please",
    f"<Pass encoding='plain'>{WORD}</Pass>",
    f"net use Z: /user:ann {WORD}",
    f"define('DB_PASSWORD', '{WORD}');",
    f"root:{WORD}@10.0.0.5",
)
FAR_OFF = (
    f"The password is long.\n\nToday\nwe read\nabout {WORD} in the paper",
    "I changed my password yesterday, and Outlook2021 crashed on Windows11",
    '{"target": "/etc/passwd", "content": "A line", "next": "FLAG"}',
    "## 14:05 | user | turn:12",
    "name,password policy,owner\nMail,at least twelve,ann",
    "Password rules follow NIST-800 and RFC-2617, see section 4.2.1 of notes2024.pdf",
)


def test_a_value_near_a_label_is_a_secret_wherever_it_stands() -> None:
    assert [text for text in NEAR if WORD in without_secrets(text)] == []
    assert [text for text in FAR_OFF if find_secrets(text)] == []


def test_several_words_are_a_passphrase_after_a_word_for_one() -> None:
    phrase = "walrus tundra marble orchard biscuit"

    for text in (
        f"my passphrase is {phrase}",
        f"Tape la phrase de passe {phrase} au d\u00e9marrage",
        f"has\u0142o do klucza to {phrase}",
        f"type {phrase} at boot, that is the passphrase",
    ):
        assert phrase not in without_secrets(text), text
    assert kinds("A passphrase of five words is easier to remember") == []


def test_digits_open_something_that_stands_near() -> None:
    assert kinds("Il codice dell'allarme \u00e8 43035") == ["access code"]
    assert kinds("4146 is de pincode van mijn pinpas") == ["PIN"]
    assert kinds("La combinaci\u00f3n de la caja fuerte es 76-25-64") == ["access code"]
    assert kinds("Il codice postale \u00e8 20121, porta 4") == []
    assert kinds("Der Code hat 4821 Zeilen") == []


def test_digits_beside_what_they_open_are_a_code_in_every_language() -> None:
    locks = [w for row in languages().values() for w in row.get("lock", "").split()]
    texts = [f"{lock.replace('_', ' ')}: 48213" for lock in locks]

    assert [text for text in texts if "48213" in without_secrets(text)] == []


OPENING = (
    "The shed opens with 4471, then push",
    "At the side gate type in 4471 and wait",
    "Mit 4471 geht das Garagentor auf",
    "Am Schl\u00fcsselsafe 4471 eintippen",
    "El candado de la bici es 4471",
    "Le coffre de la chambre, 4471",
    "Digita 4471 al citofono",
    "\u91d1\u5eab\u306f4471\u3067\u958b\u304f",
    "Dad's tablet unlocks with 4471",
    "pin of the joint card (4471)",
    "Carte bleue, code confidentiel 4471",
    "Clave del cajero 4471 (la de d\u00e9bito)",
)
OPENING_NOTHING = (
    "The safe weighs 4471 kg and cost 4471 euros",
    "We meet at gate 4471, locker 4471",
    "Das Garagentor wurde 2015 eingebaut",
    "Set the alarm for 0630",
    "The garage was full with 4471 visitors",
    "If the alarm rings, call 4471",
    "Farbton f\u00fcr die Haust\u00fcr: RAL 7016",
    "\u4fdd\u9669\u67dc\u91cd300\u516c\u65a4",
    "_MAX_LOCK_SIZE: int = 4471",
    "Error code 4471 on the alarm panel",
)


def test_digits_open_a_lock_unless_they_count_number_or_date_something() -> None:
    assert [text for text in OPENING if "4471" in without_secrets(text)] == []
    assert [text for text in OPENING_NOTHING if find_secrets(text)] == []


def test_what_lets_one_into_a_network_needs_no_word_for_it() -> None:
    for value, text in (
        ("Otter!Creek91", "Mit {} kommst du ins WLAN"),
        ("Otter_Creek91", "Zeg dat ze met {} op de wifi kan"),
        ("otter-creek-lamp", "(guest wifi: {})"),
        ("otter-creek-lamp-moss", "Livebox-22C1 / {} voil\u00e0"),
        ("94133580032379631489", "WLAN bei Oma: Schl\u00fcssel {}, steht unten"),
    ):
        assert value not in without_secrets(text.format(value)), text
    for text in (
        "SSID: FRITZ!Box 7530 AB",
        "Our wifi is Loft_Guest_5G",
        "WLAN um 14h30",
    ):
        assert kinds(text) == [], text


def test_a_secret_answer_and_a_login_in_three_parts_are_passwords() -> None:
    assert kinds("Security question, mother's name: I set it to eeTh5J#-m6") == [
        "password"
    ]
    assert kinds("Security question: what was your first pet?") == []
    assert kinds("Hulu login - dan_r - Kiwi2288x - profile") == ["password"]
    assert kinds("Login page - design - Tuesday") == []


@pytest.mark.parametrize(
    "text",
    [
        "snmp-server community rBzouLYjs1By RW",
        "radius-server host 10.0.0.1 key rBzouLYjs1By",
        "<keyMaterial>rBzouLYjs1By</keyMaterial>",
        'variable "admin_password" {\n  default = "rBzouLYjs1By"\n}',
        "machine x.example.com\n login me\n password rBzouLYjs1By",
        "Please use the following password to go on:\n\nrBzouLYjs1By\n\nThanks",
        "oathtool --totp -b AOWA656HXV3BXYPQ",
        f"Client('AC{'7e1' * 10}42', '{'9f04c2b1' * 4}')",
        f"Ocp-Apim-Subscription-Key: {'9f04c2b1' * 4}",
    ],
)
def test_what_devices_and_tools_have_in_their_files_is_found(text: str) -> None:
    assert len(kinds(text)) == 1


def test_every_recovery_code_of_a_list_goes() -> None:
    codes = ["yrpv-7usd", "q3zc-ljgu", "3uaw-cllc", "8232 6863"]

    for text in (", ".join(codes), "\n".join(codes)):
        redacted = without_secrets(f"Backup codes:\n{text}")
        assert not any(code in redacted for code in codes), text


def test_a_long_token_goes_to_its_last_letter() -> None:
    token = draw(RNG, ALNUM, 3000)

    assert found(f"session token: {token} end") == [("API key", token)]


# --- what it is called -------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("gh" + "p_" + draw(RNG, ALNUM, 36), "GitHub token"),
        ("AK" + "IA" + draw(RNG, "ABCDEFGHIJKL234567", 16), "AWS access key"),
        ("sk-" + "ant-api03-" + draw(RNG, ALNUM, 80), "Anthropic key"),
        ("sk-" + "proj-" + draw(RNG, ALNUM, 80), "OpenAI key"),
        ("xo" + "xb-" + draw(RNG, string.digits, 12) + "-" + KEY, "Slack token"),
        (f"password: {WORD}", "password"),
        (f"postgres://ann:{KEY}@db/app", "password in a URL"),
        (f"api_key={KEY}", "API key"),
        (f"Authorization: Bearer {KEY}", "Authorization header"),
        (f"our Datadog key is {HEX}", "Datadog key"),
        (card(RNG), "payment card"),
        ("my SSN is 219-09-" + "9998", "social security number"),
        ("my bank PIN is 4821", "PIN"),
        ("CVV 123", "card security code"),
        ("the alarm code is 4711#", "access code"),
        ("recovery codes: 8f3k-22ml, 9d8s-1kq2", "recovery codes"),
    ],
)
def test_a_secret_is_called_what_it_is(text: str, kind: str) -> None:
    assert kinds(text) == [kind]


def test_a_secret_never_holds_its_text() -> None:
    secret = find_secrets(f"password: {WORD}")[0]

    assert WORD not in repr(secret)
    assert secret == Secret("password", 10, 10 + len(WORD))


# --- sayings -----------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        f"my wifi password is {WORD}",
        f"I changed my password to {WORD} yesterday",
        f"The new password will be {WORD}",
        f"use {WORD} as the password",
        f"{WORD} is the admin password",
        f"login: ann / {WORD}",
        f"user ann password {WORD}",
        f"credentials are ann:{WORD}",
        f"Password:\n  {WORD}",
        f"mysql -u root -p{WORD} db",
        f"curl -u ann:{WORD} https://example.org",
        f"Server=db;User Id=sa;Password={WORD};Encrypt=true",
        f'{{"user":"ann","pass":"{WORD}"}}',
        f'"{{\\"password\\": \\"{WORD}\\"}}"',
        f"<password>{WORD}</password>",
        f"Das Passwort ist {WORD}",
        f"Le mot de passe est {WORD}",
        f"La contrase\u00f1a es {WORD}",
        f"WIFI:T:WPA;S:Home;P:{WORD};;",
        f"redis://:{WORD}@cache:6379/0",
        f"\u0130stanbul wifi password: {WORD}",
        f":password => {WORD}",
        f"login ann password {WORD}",
    ],
)
def test_a_password_is_found_however_it_is_told(text: str) -> None:
    redacted = redact(text, find_secrets(text))

    assert WORD not in redacted
    assert "[redacted: password" in redacted


@pytest.mark.parametrize(
    "text",
    [
        "the wifi password is sunflower",
        "The password is 'sunflower'.",
        "passphrase: correct horse battery staple",
        'The passphrase is "correct horse battery staple".',
        "root password = toor1234",
        "login ann password sunflower",
        "Das WLAN-Passwort lautet sonnenblume",
    ],
)
def test_a_plain_word_is_a_password_where_nothing_else_can_follow(text: str) -> None:
    assert kinds(text) == ["password"]


@pytest.mark.parametrize(
    "text",
    [
        f"the key is {KEY}",
        f"API key {KEY}",
        f"{KEY} is our API key",
        f"Authorization: token {KEY}",
        f"Cookie: sessionid={KEY}",
        f"--token {KEY}",
        f"STRIPE_KEY={HEX}",
        f"client_secret: '{KEY}'",
    ],
)
def test_a_random_value_beside_a_word_for_it_is_a_key(text: str) -> None:
    assert KEY not in redact(text, find_secrets(text)) or HEX in text
    assert len(find_secrets(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "password: ****",
        "password: <your password>",
        "password: ${DB_PASSWORD}",
        "password: {{ db_password }}",
        "PASSWORD=changeme",
        "api_key=YOUR_API_KEY",
        "OPENAI_API_KEY=sk-...",
        "ghp_" + "x" * 36,
        "AK" + "IAIOSFODNN7EXAMPLE",
        "api_key: 1234567890abcdef",
        "password = get_password()",
        "token = request.headers['X-Token']",
        "postgres://user:password@localhost/db",
        "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    ],
)
def test_a_placeholder_is_no_secret(text: str) -> None:
    assert found(text) == []


def test_a_number_of_something_else_is_no_card() -> None:
    number = card(RNG)

    assert kinds(f"Order {number} was shipped") == []
    assert kinds(f"Remember my card: {number}") == ["payment card"]


def test_a_card_is_found_with_its_date_and_code() -> None:
    number = "4" + "539 1488 0343 6467"

    assert found(f"{number} 12/27 CVV 123") == [
        ("payment card", number),
        ("card security code", "123"),
    ]


def test_an_iban_is_no_secret() -> None:
    assert find_secrets("IBAN: DE89 3704 0044 0532 0130 00") == ()


def test_a_place_in_india_is_no_pin() -> None:
    assert find_secrets("PIN code 560001 is in Bangalore") == ()


# --- private keys ------------------------------------------------------------


def key_block(ends: str) -> str:
    edge, name = "-" * 5, "RSA " + "PRIVATE KEY"
    body = [draw(RNG, ALNUM, 64) for _ in range(4)]
    return ends.join([f"{edge}BEGIN {name}{edge}", *body, f"{edge}END {name}{edge}"])


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\\n", " "])
def test_a_private_key_is_one_secret_with_all_its_lines(ends: str) -> None:
    block = key_block(ends)

    assert found(f"Keep {block} safe") == [("private key", block)]


def test_a_private_key_without_an_end_is_found_as_far_as_it_goes() -> None:
    block = key_block("\n")
    cut = block[: block.rindex("\n")]

    assert found(f"{cut}\n\nThat was it.") == [("private key", cut)]


def test_a_public_key_or_a_certificate_is_none() -> None:
    edge = "-" * 5
    body = draw(RNG, ALNUM, 64)

    for name in ("PUBLIC KEY", "CERTIFICATE"):
        assert not find_secrets(f"{edge}BEGIN {name}{edge}\n{body}\n{edge}END {name}")


# --- disguises ---------------------------------------------------------------


@pytest.mark.parametrize("mark", ["\u200b", "\u200d", "\u00ad", "\u2060", "\x00"])
def test_invisible_characters_hide_nothing(mark: str) -> None:
    key = "gh" + "p_" + draw(RNG, ALNUM, 36)
    text = f"use {mark.join(key)} now"

    assert found(text) == [("GitHub token", mark.join(key))]


def test_full_width_letters_hide_nothing() -> None:
    key = "gh" + "p_" + draw(RNG, ALNUM, 36)
    wide = "".join(chr(ord(char) + 0xFEE0) for char in key)

    assert found(f"\u2192 {wide}") == [("GitHub token", wide)]


def test_curly_quotes_and_long_dashes_hide_nothing() -> None:
    assert kinds(f"the password is \u201c{WORD}\u201d") == ["password"]
    key = "sk\u2011ant\u2011api03\u2011" + draw(RNG, ALNUM, 80)
    assert kinds(key) == ["Anthropic key"]


# --- redaction ---------------------------------------------------------------


def test_redaction_keeps_the_words_around_it() -> None:
    text = f"The wifi password is {WORD}, and the PIN is 4821."

    assert redact(text, find_secrets(text)) == (
        "The wifi password is [redacted: password], and the PIN is [redacted: PIN]."
    )


def test_a_text_without_secrets_is_redacted_to_itself() -> None:
    assert redact("Ann lives in Berlin.", ()) == "Ann lives in Berlin."


def test_one_secret_in_another_is_one() -> None:
    token = "gh" + "p_" + draw(RNG, ALNUM, 36)

    assert found(f"password: {token}") == [("GitHub token", token)]


def test_what_one_secret_hid_is_found_as_well() -> None:
    one, other = card(chance(3)), card(chance(4))

    assert [text for _, text in found(f"pay {one} or {other}")] == [one, other]
    assert kinds(f"password: {WORD} PIN: 4821") == ["password", "PIN"]


PIECES = st.sampled_from(
    [
        *("password: ", "password", "is", "token=", "api_key ", "key", "PIN ", "card "),
        *(WORD, KEY, HEX, "4821", "hunter2", "4" + "539148803436467", "eyJ", "sk-"),
        *("gh" + "p_" + KEY + "abcd", "AK" + "IA234567ABCDEFGH", "://a:", "@host", '"'),
        *(
            "[redacted: password]",
            "[redacted: ",
            "]",
            " ",
            "\n",
            ":",
            "=",
            "'",
            "\u200b",
        ),
        *(
            "seed phrase ",
            "anchor basket cedar ",
            "-----BEGIN PRIVATE KEY-----\n",
            "ssn",
        ),
        *(
            "219-09-" + "9998",
            "|",
            "->",
            "user ",
            "\uff41",
            "bearer ",
            "recovery codes ",
        ),
    ]
)
TEXTS = (
    st.text(max_size=60)
    | files
    | st.lists(PIECES | st.text(max_size=5), max_size=12).map("".join)
)


@given(TEXTS)
def test_spans_lie_inside_the_text_one_after_the_other(text: str) -> None:
    done = 0
    for secret in find_secrets(text):
        assert done <= secret.start < secret.end <= len(text)
        done = secret.end


@given(TEXTS)
def test_redaction_leaves_no_character_of_what_was_found(text: str) -> None:
    secrets = find_secrets(text)
    redacted = redact(text, secrets)
    edges = [0, *(edge for s in secrets for edge in (s.start, s.end)), len(text)]
    kept = [text[a:b] for a, b in zip(edges[::2], edges[1::2], strict=True)]
    marks = [f"[redacted: {secret.kind}]" for secret in secrets]

    assert redacted == "".join(
        part for pair in zip(kept, [*marks, ""], strict=True) for part in pair
    )


@given(TEXTS)
def test_redacting_twice_is_redacting_once(text: str) -> None:
    once = redact(text, find_secrets(text))

    assert find_secrets(once) == ()


# --- speed -------------------------------------------------------------------

TOKEN = "ghp_" + "R7mQ2xV9tL4kW8zB3nC6yH1pD5sF0aGjE2uK"
SPELLED = (
    TOKEN.replace("_", "\\_"),
    TOKEN.replace("_", "&#95;"),
    TOKEN.replace("_", "%5F"),
    TOKEN.replace("ghp_", "**ghp_**"),
    f"See this:\n\n> {TOKEN.replace('_', chr(92) + '_')} is it",
    "postgresql%3A%2F%2Fapp%3AQ7w9tZx2Lm%40db.internal%2Fprod",
    "password&nbsp;=&nbsp;Q7w9tZx2Lm!k",
)
PLAIN = (
    "100%25 of it is in **bold** and a\\_b is a name & so on &amp; more",
    "https://example.org/a%20b?q=tea%20and%20cake",
    "Use **password** managers; my\\_file\\_name.txt is no secret",
)


def test_a_secret_that_is_spelled_with_escapes_is_found() -> None:
    missed = [text for text in SPELLED if not find_secrets(text)]
    left = [text for text in SPELLED if "7mQ2xV9" in without_secrets(text)]

    assert missed == []
    assert left == []
    assert [text for text in PLAIN if find_secrets(text)] == []


def test_words_set_in_bold_beside_a_network_are_words() -> None:
    text = "1. **Weak Wi-Fi:** move the router.\n2. **Update** it, or try #MeshWiFi."

    assert without_secrets(text) == text


def test_a_recovery_code_may_stand_before_its_name() -> None:
    assert "k27r" not in without_secrets("zhec-k27r-xgk9 is the recovery code")
