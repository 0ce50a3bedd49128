"""Values that are hard to tell from words are found beside a clear label."""

from __future__ import annotations

import pytest

from reverie.model.change import Secrets
from reverie.secrets import (
    SecretFoundError,
    find_secrets,
    pass_words,
    without_secrets,
)

SEED = "stomach switch core father leg cave save entire result style beyond step"


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("PGPASSWORD=MRVLPqDWNTgqnnB psql -h db prod", "MRVLPqDWNTgqnnB"),
        ("PGPASSWORD=tagmuatad psql -h db prod", "tagmuatad"),
        ("copper-window-heron is the wifi password.", "copper-window-heron"),
        ('{"clientSecret": "marble-window-otter"}', "marble-window-otter"),
        ("NVEddfQauqon ist das Passwort vom Router.", "NVEddfQauqon"),
        ("CszavsZTRSPoQz is the wifi password.", "CszavsZTRSPoQz"),
        ("wifi密码是Regen_BlAKG。", "Regen_BlAKG"),
        ("Password is Regen_BlAKG", "Regen_BlAKG"),
        ("La contraseña del wifi es Regen_TuRme.", "Regen_TuRme"),
        ("tool login --password copper-lantern-otter", "copper-lantern-otter"),
        ("| router | password | CmykxpjsUNPjQz |", "CmykxpjsUNPjQz"),
        ('{"clientSecret": "Tango%RyEDU"}', "Tango%RyEDU"),
        ("client_secret: ziylbxduh85", "ziylbxduh85"),
        ("GH_TOKEN=SrRSYamjBMLweRutuACQhmwY", "SrRSYamj"),
        ('The wifi password is "two moons over lisbon".', "two moons"),
        ('password: "two moons over lisbon"', "two moons"),
        ("The passphrase is two moons over lisbon.", "two moons"),
        ("The password is swordfishing.", "swordfishing"),
        ("密码\uff1a春江花月夜88", "春江花月夜88"),
        ("pasword: Lemming#4471", "Lemming#4471"),
        ('{"note": "Contrase\\u00f1a: Blau\\u00fcber77x"}', "ber77x"),
        ("Ann says: site\tuser\tpassword\nshop\tnora\tTango%88Kilo", "Tango%88Kilo"),
        ('title: "site\\tuser\\tpassword\\nshop\\tnora\\tTangoKilo8"', "TangoKilo8"),
        ("What is my PIN?\n146794", "146794"),
        ("Wie ist das WLAN-Passwort?\n\nPuerta_UZzQu", "Puerta_UZzQu"),
        ('{"kty":"EC","x":"KTtGWjCeCO0KeBJu","d":"JiGy6a2NucrdWq81xk"}', "JiGy6a2N"),
        ("Use jina_" + "s4IOim1rwVWJM4Zj88rA" * 3 + " for it", "s4IOim1r"),
    ],
)
def test_an_odd_value_is_found_beside_its_label(text: str, secret: str) -> None:
    assert secret not in without_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "password reset took two days",
        "the password is too short",
        "The password is missing.",
        "The password is being checked.",
        'password: "must be at least eight characters"',
        '"password": "Passwords do not match"',
        "Password: UserPasswordSchema",
        "token: AuthTokenResponseDto",
        "use --password to set it",
        "密码\uff1a8位以上",
        '{"kty":"EC","crv":"P-256","x":"KTtGWjCeCO0KeBJu","y":"Mnz174ei8M1aSF1j"}',
        "Do you know the password?\nNo, ask Peter.",
        "Which ticket is the password bug?\nACME-48213",
    ],
)
def test_sentences_and_code_about_passwords_hold_none(text: str) -> None:
    assert find_secrets(text) == ()


@pytest.mark.parametrize(
    "name",
    [
        f"person--{SEED}",
        f"tool--{SEED.replace(' ', '-')}",
        "ENV POSTGRES_PASSWORD=Rotoucgxh581.md",
        "I set the root password to Rotbtafba4025..md",
    ],
)
def test_a_name_hides_no_secret_behind_its_type_or_file_ending(name: str) -> None:
    with pytest.raises(SecretFoundError):
        pass_words([name], Secrets.REFUSE)


def test_a_number_behind_a_bracket_and_a_comma_opens_nothing() -> None:
    steps = "24 hours between two coats (48 if it is cold in the shed), sand with 240."

    assert find_secrets(steps) == ()
