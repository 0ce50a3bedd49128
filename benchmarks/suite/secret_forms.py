"""Ways to tell a secret, in ten languages and in files; and what only looks like one.

A form has a mark such as `{pw}` where the secret stands; it is drawn at run time, so
that no file of ours holds anything that looks like a live key. Every second example is
held out: the rules were written with the even ones alone in sight, and are measured on
both halves.
"""

from __future__ import annotations

import base64
import hashlib
import re
import string
import uuid
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.suite.made_up_secrets import ALNUM, BASE64, HEX, draw

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator

_MARK = re.compile(r"(?<!\{)\{([a-z]\w*)\}")
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"

FORMS: tuple[str, ...] = (
    # English
    "btw the guest network is Lindenhof and its password is {pw}, don't share it",
    "We changed the admin password from the old one to {pw} this morning.",
    "For the NAS log in as thomas, the passphrase there is {pw}",
    "pw for the printer = {pw}",
    "{pw} is what I set as my password for the tax portal",
    "my voicemail PIN is {pin}",
    "The code for the garage door is {pin}",
    "Netflix (shared account)\n  user: family\n  pass: {pw}",
    "the router's admin password got reset, it's now {pw}",
    'She wrote "the password is {pw}" on the whiteboard',
    # German
    "Mein Passwort fürs Bahnkonto ist {pw}, bitte merken",
    "WLAN-Schlüssel: {pw}",
    "Das Kennwort vom Drucker im Keller lautet {pw}.",
    "Zugangsdaten Steuerportal: Benutzer mschulz, Kennwort {pw}",
    "Die PIN meiner Girokarte ist {pin}",
    "{pw} ist das neue Passwort für den Mailserver",
    "Ich habe das Passwort auf {pw} geändert.",
    "Der API-Schlüssel für den Wetterdienst lautet {key}",
    # French
    "Le mot de passe du wifi chez mes parents est {pw}",
    "mdp : {pw}",
    "J'ai mis {pw} comme mot de passe sur le vieux portable",
    "Le nouveau mot de passe de la base est « {pw} »",
    "le code PIN de ma carte bleue est le {pin}",
    "Identifiant : jdupont\nMot de passe : {pw}",
    "Voici la clé API du service météo : {key}",
    "mon mot de passe reste {pw} pour l'instant",
    # Spanish
    "La contraseña del wifi de la oficina es {pw}",
    "Usuario: marta / Contraseña: {pw}",
    "Cambié la contraseña del correo a {pw} ayer",
    "mi clave del banco es {pw}",
    "El PIN de la tarjeta es {pin}",
    "usa {pw} como contraseña para el servidor",
    "la contrasena nueva: {pw}",
    "La clave de API de producción es {key}",
    # Italian
    "La password del router di casa è {pw}",
    "Parola d'ordine del gestionale: {pw}",
    "il PIN del bancomat è {pin}",
    "La chiave API per le mappe è {key}",
    "Ho impostato {pw} come password del server",
    "nome utente: luca, password: {pw}",
    "La nuova password sarà {pw} da lunedì",
    # Portuguese
    "A senha do wifi é {pw}",
    "A minha palavra-passe do portal das finanças é {pw}",
    "senha do banco de dados: {pw}",
    "Troquei a senha do e-mail para {pw}",
    "o PIN do cartão é {pin}",
    "usuário ana, senha {pw}",
    "A chave de API do serviço é {key}",
    # Dutch
    "Het wachtwoord van de wifi boven is {pw}",
    "wachtwoord: {pw}",
    "Mijn pincode is {pin}",
    "ik heb {pw} als wachtwoord ingesteld",
    "Het nieuwe wachtwoord van de database luidt {pw}",
    # Polish
    "Hasło do wifi w biurze to {pw}",
    "hasło: {pw}",
    "Moje hasło do poczty brzmi {pw}",
    "PIN do karty to {pin}",
    "Zmieniłem hasło na {pw} w zeszłym tygodniu",
    # Russian
    "Пароль от вайфая на даче — {pw}",
    "пароль: {pw}",
    "Мой пароль от почты {pw}, запомни",
    "Пин-код карты: {pin}",
    "Логин admin, пароль {pw}",
    "Новый пароль для базы данных это {pw}",
    # Turkish
    "Evdeki wifi şifresi {pw}",
    "Şifre: {pw}",
    "E-posta parolam {pw} olarak değişti",
    # Chinese
    "家里的WiFi密码是{pw}",
    "数据库密码：{pw}",
    "我的邮箱密码改成了 {pw}",
    "管理員密碼為 {pw}",
    # Japanese
    "社内Wi-Fiのパスワードは{pw}です。",
    "パスワード：{pw}",
    "暗証番号は{pin}です",
    # Korean
    "사무실 와이파이 비밀번호는 {pw} 입니다",
    "비밀번호: {pw}",
    # Arabic, Hindi, Ukrainian, Swedish, Czech, Vietnamese, Greek
    "كلمة المرور الخاصة بالشبكة هي {pw}",
    "मेरा वाईफाई पासवर्ड {pw} है",
    "Пароль від пошти: {pw}",
    "Lösenordet till nätverket är {pw}",
    "Heslo k wifi je {pw}",
    "Mật khẩu wifi là {pw}",
    "Ο κωδικός πρόσβασης του δικτύου είναι {pw}",
    # files and programs
    "Cookie: theme=dark; connect.sid=s%3A{key}; lang=en",
    "Set-Cookie: JSESSIONID={hex}; Path=/; HttpOnly",
    "laravel_session={key}",
    "my wallet backup\n{seed}\nkeep it offline",
    "{seed24}",
    "the old paper wallet: {wif}",
    "{wif}",
    "db1.internal:5432:orders:svc_orders:{pw}",
    "*:*:*:postgres:{pw}",
    "[Interface]\nPrivateKey = {wg}\nAddress = 10.0.0.2/24",
    "PresharedKey = {wg}",
    "machine ftp.example.org login anna password {pw}",
    "smtp://mailer:{pw}@mail.example.org:587",
    "docker login -u anna -p {pw} registry.example.org",
    "PGPASSWORD={pw} psql -h db1 app",
    "redis-cli -h cache1 -a {pw} ping",
    "jdbc:mysql://db1/app?user=anna&password={pw}",
    "BitLocker recovery key: {bitlocker}",
    "X-Api-Key: {key}",
    "SECRET_KEY = '{key}'",
    "spring.datasource.password={pw}",
    "  client_secret: {key}",
    "AWS_SESSION_TOKEN={long}",
    'network={{\n  ssid="Lindenhof"\n  psk="{pw}"\n}}',
    "ENCRYPTION_KEY={hex}",
)

LOOK_ALIKES: tuple[str, ...] = (
    # about passwords, in many languages
    "Change your password every 90 days.",
    "The password field is required.",
    "Please choose a password with at least 12 characters, one digit and one symbol.",
    "Our password policy follows NIST SP 800-63B.",
    "She forgot her password again and called the help desk.",
    "Password reset e-mails are sent within 5 minutes.",
    "The password strength meter was added in version 2.4.1.",
    "I keep all my passwords in KeePassXC.",
    "Passwords are hashed with argon2id and a 16-byte salt.",
    "The login form asks for a password and a 6-digit code.",
    "He guessed the password on the third attempt.",
    "The password expires on 2026-03-31.",
    "Is the password still the one that you gave me last year?",
    "Without a password nobody gets in.",
    "The wifi password hangs in the kitchen next to the calendar.",
    "Their password rules are absurd: no spaces, no umlauts.",
    "The error says: password authentication failed for user postgres.",
    "Password1 was the most common choice in the 2012 leak, researchers said.",
    "A passphrase of 6 words is easier to remember than 12 random characters.",
    "Passwordless login with FIDO2 keys is planned for Q3 2026.",
    "The new hire still waits for a password from IT.",
    "Use the password generator of your browser.",
    "The password of the old laptop is lost.",
    "Ask Petra, she knows the password for the booking system.",
    "Passwort zurücksetzen",
    "Das Passwort muss mindestens 12 Zeichen haben.",
    "Ich habe mein Passwort vergessen.",
    "Das Passwort ist abgelaufen.",
    "Bitte ändern Sie Ihr Kennwort alle 90 Tage.",
    "Die Passwortrichtlinie wurde am 03.02.2026 beschlossen.",
    "Das Passwort hängt am Kühlschrank.",
    "Passwörter werden mit bcrypt gespeichert.",
    "Das Kennwort ist nicht korrekt.",
    "Der Passwort-Manager läuft auf Server 12.",
    "Mot de passe oublié ?",
    "Le mot de passe est obligatoire.",
    "Votre mot de passe expire dans 14 jours.",
    "Choisissez un mot de passe de 8 à 20 caractères.",
    "Le mot de passe est incorrect, veuillez réessayer.",
    "Je change de mot de passe tous les trois mois.",
    "¿Olvidaste tu contraseña?",
    "La contraseña es obligatoria.",
    "La contraseña debe tener entre 8 y 16 caracteres.",
    "Cambia la contraseña cada 6 meses.",
    "La clave del éxito es la paciencia.",
    "La clave está en dormir 8 horas.",
    "Ho dimenticato la password.",
    "La password è troppo corta.",
    "La password deve avere almeno 10 caratteri.",
    "La chiave di volta fu posata nel 1436.",
    "Esqueci a senha do portal.",
    "A senha é obrigatória.",
    "A senha deve ter no mínimo 8 dígitos.",
    "Pegue a senha 47 e aguarde no balcão.",
    "Wachtwoord vergeten?",
    "Het wachtwoord is verlopen.",
    "Het wachtwoord moet 10 tekens lang zijn.",
    "Zapomniałem hasła do poczty.",
    "Hasło jest wymagane.",
    "Hasło musi mieć co najmniej 8 znaków.",
    "Hasło w encyklopedii z 1998 roku było krótkie.",
    "Забыли пароль?",
    "Пароль должен содержать не менее 8 символов.",
    "Пароль изменён 12.03.2026.",
    "Он сменил пароль на прошлой неделе.",
    "Şifremi unuttum.",
    "Şifre en az 8 karakter olmalıdır.",
    "忘记密码了怎么办？",
    "密码长度至少为8位。",
    "请在90天内更改密码。",
    "パスワードを忘れた場合はこちら",
    "パスワードは8文字以上にしてください。",
    "パスワードの有効期限は2026年3月31日です。",
    "비밀번호를 잊으셨나요?",
    "비밀번호는 8자 이상이어야 합니다.",
    "هل نسيت كلمة المرور؟",
    "पासवर्ड भूल गए?",
    "Glömt lösenordet?",
    "Heslo musí mít alespoň 8 znaků.",
    "Quên mật khẩu?",
    "Ξεχάσατε τον κωδικό πρόσβασης;",
    # programs and configuration
    "password: z.string().min(8).max(64)",
    "const password = useState('');",
    "if (password !== confirmPassword) throw new Error('mismatch');",
    "password_hash VARCHAR(255) NOT NULL",
    "PASSWORD_HASHERS = ['django.contrib.auth.hashers.Argon2PasswordHasher']",
    "password: !vault |",
    "password: ${{ secrets.DB_PASSWORD }}",
    "DB_PASSWORD=${DB_PASSWORD:?missing}",
    "--password-file /run/secrets/db",
    "password=<redacted>",
    "password: '********'",
    'passwordField.setText("")',
    "auth: { type: 'password', required: true }",
    'label for="password" class="form-control-2"',
    "token = tokenizer.encode(text)[0]",
    "access_token: string;",
    "API_KEY=<paste yours here>",
    "apiKey: process.env.API_KEY,",
    "secret: { secretName: 'tls-cert' }",
    "secretKeyRef:\n  name: db\n  key: password",
    "auth_token = request.cookies.get('auth')",
    "Authorization: Bearer <token>",
    "Authorization: Bearer $TOKEN",
    "The Authorization header carries a bearer token.",
    "git commit -m 'Rotate token signing keys'",
    "next_page_token: CAUQAA4kJ2",
    "max_tokens=4096 temperature=0.2",
    "tokens: 18342 in, 921 out",
    "The tokenizer has 128256 tokens.",
    "key: value",
    '"key": "ArrowDown"',
    "primary key (id, created_at)",
    "The cache key is linux-node18-{hex8}.",
    "cache-key: v3-{hex}",
    "Idempotency-Key: {uuid}",
    "S3 object key: exports/2026/03/report-{hex8}.parquet",
    "The sort key is created_at#2026-03-01.",
    "ssh-keygen -t ed25519 -C anna@example.org",
    "GPG fingerprint: {fingerprint}",
    "Key fingerprint is SHA256:{b43}",
    "[Peer]\nPublicKey = {wg}\nAllowedIPs = 10.0.0.0/24",
    "PublicKey = {wg}",
    "Her WireGuard public key is {wg}",
    "reCAPTCHA site key: 6L{b38}",
    'data-sitekey="6L{b38}"',
    "The publishable key is pk_live_{alnum24}.",
    "pk_test_{alnum24}",
    "VAPID public key: B{b86}",
    "Öffentlicher Schlüssel: {wg}",
    "clé publique : {wg}",
    "minisign public key RW{b54}",
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQAB{b64} anna@laptop",
    "age1{bech58}",
    "Bitcoin address bc1q{bech38}",
    "Send it to 0x{hex40} please.",
    "tx 0x{hex64} was confirmed in block 19283746.",
    "sha256 {hex64}  backup.tar.gz",
    "integrity sha384-{b64}",
    'ETag: "{hex}"',
    "commit {hex40}",
    "docker pull alpine@sha256:{hex64}",
    "trace id {hex}",
    "span_id={hex16} trace_id={hex}",
    "request id: {uuid}",
    "session {uuid} was closed by the server",
    "X-Request-Id: {uuid}",
    "device id {hex16}",
    "container {hex12} exited with code 137",
    "UUID={uuid} /boot ext4 defaults 0 2",
    "serial number C02{caps9}",
    "order {caps4}-{digits6} shipped",
    "booking reference {caps6}",
    "IMEI 35{digits13}",
    "ISBN 978-3-16-148410-0",
    "tracking number 1Z{caps16}",
    "IBAN NL91 ABNA 0417 1643 00",
    "VAT number DE{digits9}",
    "The invoice total is 4821.50 EUR.",
    "phone: +44 20 7946 0958",
    "lat 52.520008, lon 13.404954",
    "MAC 3c:22:fb:9a:10:4e",
    "2001:0db8:85a3:0000:0000:8a2e:0370:7334",
    "fe80:1234:5678:9abc:def0:1122",
    "127.0.0.1:8080:app:main",
    "main.c:120:15: error: expected ';'",
    "src/app.py:88:12:E501 line too long",
    "root:x:0:0:root:/root:/bin/bash",
    "10:45:00 INFO worker-3 started",
    "node v20.11.1, npm 10.2.4",
    "Chapter 12: keys and tokens",
    # pins, codes, seeds, sessions
    "Pin D13 is wired to the relay.",
    "Connect pin 4 to ground and pin 18 to the sensor.",
    "She bought a vintage pin from 1984 at the market.",
    "Drop a pin at 48.8584, 2.2945.",
    "Enter the PIN that we sent by post.",
    "The PIN has 4 digits.",
    "PIN codes in Bangalore start with 560.",
    "Die PIN kommt in 3 bis 5 Tagen per Post.",
    "Le code postal est 75011.",
    "Der Code 404 heißt nicht gefunden.",
    "The area code is 0711.",
    "exit code 139 means a segmentation fault",
    "error code 0x80070005",
    "promo code SPRING2026 gives 10 percent off",
    "The dress code is casual.",
    "zip code 90210",
    "QR code version 4 holds 78 characters",
    "The door code was changed, ask the caretaker.",
    "The recovery codes are in the safe.",
    "Recovery time is 6 to 8 weeks.",
    "The seed for the random generator is 20260401.",
    "seed=1234 shuffle=true",
    "We planted basil, parsley and tomato seeds in March.",
    "apple banana cherry grape lemon mango orange peach pear plum",
    "mercury venus earth mars jupiter saturn uranus neptune",
    "monday tuesday wednesday thursday friday saturday sunday",
    "red orange yellow green blue indigo violet",
    "tags: travel, food, family, work, health, music, books, films, garden, sport",
    "she went home early because her son was ill and needed soup",
    "the meeting notes cover budget hiring travel and the office move next spring",
    "buy milk eggs bread butter cheese apples rice pasta beans onions carrots soup",
    "do re mi fa sol la ti do",
    "left right left right forward back jump crouch jump left right stop",
    "Session notes: 14 people came, 3 left early.",
    "The therapy session is on 12 May at 15:30.",
    "session length: 45 minutes",
    "Cookies: 200 g butter, 180 g sugar, 2 eggs",
    "Cookie: theme=dark; lang=en",
    "cookie consent banner v2 is live",
    "set-cookie flags: HttpOnly, Secure, SameSite=Lax",
    # words that sound secret
    "The secret ingredient is smoked paprika.",
    "Top secret documents from 1962 were released.",
    "His secret was out by Tuesday.",
    "Secret Santa budget: 15 euros",
    "The key takeaway: ship smaller changes.",
    "The key to apartment 12B is with the neighbour.",
    "The house keys are under pot number 3.",
    "Her key signature is F# minor.",
    "key=C#m tempo=128",
    "token of appreciation: 25 euro voucher",
    "He lost his bus token.",
    "credentials: PhD in physics, 12 years of teaching",
    "He presented his credentials to the king in 1871.",
    "auth is handled by Keycloak 24",
    "OAuth2 with PKCE and RS256",
    "two-factor authentication via TOTP (RFC 6238)",
    "login: every morning at 9",
    "The login page loads in 1.2s.",
    "username: anna.schmidt-1990",
    "user anna42 joined the channel",
    "Account number 4402 8871 belongs to the club.",
    "access granted to group dev-team-7",
    "boarding pass: gate B42, seat 17A",
    "We pass the bridge at km 42.",
    "mountain pass: 2,478 m",
    "pass rate: 87%",
    "Tests: 412 pass, 3 fail",
    "pass@1 on HumanEval: 67.1",
    "passport valid until 2031-08-15",
    "The season pass costs 89.90 euros.",
    "psk modulation (BPSK/QPSK) at 2400 baud",
    "The bypass valve is rated PN16.",
    "compass heading 274",
    "pw 3 starts on Monday",
    "mdp stands for Markov decision process",
    # quotes and stories
    '"Open sesame" is the password in the tale of Ali Baba.',
    "In the film the hacker types the password three times.",
    "The spy whispered the password and the gate opened.",
    "Speak friend and enter was the password riddle.",
    "The book 'Password to Larkspur Lane' appeared in 1933.",
    "Password (game show) first aired in 1961.",
    "World Password Day is on 7 May 2026.",
    "The game Password was on CBS from 1961 to 1975.",
    # plain facts with odd values
    "My router is a FRITZ!Box 7590 AX.",
    "The wifi is called Lindenhof-5GHz.",
    "Wifi: channel 36, WPA3, 5 GHz",
    "SSID: Lindenhof_Guest2",
    "The laptop is a ThinkPad X1 Carbon Gen 11.",
    "Her licence plate is B-MW 4711.",
    "Flight LH2031 leaves at 06:45 from gate A24.",
    "Train ICE 1093 is 25 minutes late.",
    "We use Python 3.12.4 and PostgreSQL 16.2.",
    "CVE-2024-3094 hit xz 5.6.0 and 5.6.1.",
    "RFC 7519 defines JSON web tokens.",
    "ISO 27001 audit on 2026-06-18",
    "The model is gpt-4o-mini-2024-07-18.",
    "sentence-transformers/all-MiniLM-L6-v2 has 384 dimensions",
    "https://example.org/reset-password?lang=de",
    "https://example.org/docs/tokens#rotation",
    "https://youtu.be/{b11}",
    "https://docs.example.org/d/1{b43}/edit",
    "https://github.com/acme/app/commit/{hex40}",
    "/var/lib/app/keys/public-{hex8}.pem",
    "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7",
    "color: #3fa9f5; padding: 12px",
    "regex: ^[A-Za-z0-9_-]{{8,64}}$",
    "crontab: 15 3 * * 1-5 /usr/local/bin/backup.sh",
    "The secret handshake takes 3 seconds.",
    "Wi-Fi calling works since iOS 17.2.",
    "Anna's birthday is 1990-04-12.",
    "Meeting ID: 874 2210 9931",
    "Zoom link in the calendar, room 3.14",
    "The alarm goes off at 0645 every day.",
    "Alarm code E17 means low water pressure.",
    "Card game night: bring 52 cards and 2 jokers.",
    "His card says senior engineer, ext. 4821.",
    "customer 4402887 prefers invoices by post",
    "contract no. 2026/118-B",
    "The safe is 60 x 40 x 35 cm.",
    "He safeguards the combination of both approaches.",
    "combination therapy: 20 mg and 5 mg",
    "Lock the door at 22:00.",
    "gate 12 closes at 18:05",
    "Recovery phrase backup is explained on page 24.",
    "The mnemonic for the planets is easy.",
    "wallet app 5.3 supports 24-word backups",
    "Seed round: 2.5 million in 2024",
    "private key cryptography needs 2048 bits or more",
    "-----BEGIN CERTIFICATE-----\n{b64}\n-----END CERTIFICATE-----",
    "-----BEGIN PUBLIC KEY-----\n{b64}\n-----END PUBLIC KEY-----",
    "-----BEGIN PGP SIGNATURE-----\n{b64}\n-----END PGP SIGNATURE-----",
    "The API key page is under Settings > Developers.",
    "The API key is valid for 90 days.",
    "La clé API expire le 2026-05-01.",
    "Der API-Schlüssel liegt im Tresor.",
    "La chiave API scade il 12/05/2026.",
    "Ключ от дачи лежит под ковриком.",
    "APIキーは設定画面で確認できます。",
    "A chave do carro está na gaveta 2.",
)


class Told(NamedTuple):
    """A text, the secret in it, and whether it was held out while rules were made."""

    text: str
    secret: str
    held: bool


def told_forms(rng: random.Random) -> Iterator[Told]:
    """Every form once, with a secret that was drawn for it."""
    for n, form in enumerate(FORMS):
        name = _MARK.search(form)
        assert name, form
        secret = SECRETS[name[1]](rng)
        yield Told(form.format(**{name[1]: secret}), secret, held=bool(n % 2))


def look_alikes(rng: random.Random) -> Iterator[Told]:
    """Everything that only looks like a secret."""
    for n, form in enumerate(LOOK_ALIKES):
        marks = {name: make(rng) for name, make in HARMLESS.items()}
        text = form.format(**marks) if "{" in form and _fills(form) else form
        yield Told(text, "", held=bool(n % 2))


def _fills(form: str) -> bool:
    return any(f"{{{name}}}" in form for name in HARMLESS) or "{{8,64}}" in form


def _password(rng: random.Random) -> str:
    word = rng.choice(("Marder", "glazed", "Fjord", "pepper", "Kiesel", "Wolke"))
    return rng.choice(
        (
            f"{word}{rng.randint(10, 9999)}{rng.choice('!?#$%&')}",
            f"{word}{rng.randint(100, 99999)}",
            f"{draw(rng, ALNUM, 4)}{rng.choice('!#*+%')}{draw(rng, ALNUM, 5)}4",
            f"{draw(rng, string.ascii_lowercase, 3)}7{draw(rng, ALNUM, 7)}",
            f"{word}-{rng.randint(10, 99)}-{rng.choice(('Tal', 'Ufer', 'moss'))}",
            f"{word[:3]}_{draw(rng, string.digits, 3)}${word[3:]}",
        )
    )


_SEED_WORDS = """
    abandon glove tiger ocean hammer velvet puzzle garlic window lunar orbit cabin
    dragon melody fossil insect jungle kidney lizard muffin nephew oxygen paddle quarter
    rabbit salmon tattoo unfold vacuum walnut yellow zebra acoustic broom captain denial
    elbow fabric genius humble
"""


def _seed(count: int) -> Callable[[random.Random], str]:
    words = _SEED_WORDS.split()
    return lambda rng: " ".join(rng.sample(words, count))


def _wif(rng: random.Random) -> str:
    raw = b"\x80" + rng.randbytes(32) + b"\x01"
    raw += hashlib.sha256(hashlib.sha256(raw).digest()).digest()[:4]
    number, text = int.from_bytes(raw), ""
    while number:
        number, digit = divmod(number, 58)
        text = BASE58[digit] + text
    return text


SECRETS: dict[str, Callable[[random.Random], str]] = {
    "pw": _password,
    "pin": lambda rng: draw(rng, string.digits, 4),
    "key": lambda rng: draw(rng, ALNUM, 30) + "x7Q",
    "hex": lambda rng: draw(rng, HEX, 32),
    "long": lambda rng: draw(rng, BASE64, 120),
    "wg": lambda rng: base64.b64encode(rng.randbytes(32)).decode(),
    "seed": _seed(12),
    "seed24": _seed(24),
    "wif": _wif,
    "bitlocker": lambda rng: "-".join(draw(rng, string.digits, 6) for _ in range(8)),
}


def _some(letters: str, count: int) -> Callable[[random.Random], str]:
    return lambda rng: draw(rng, letters, count)


_CAPS = string.ascii_uppercase + string.digits
HARMLESS: dict[str, Callable[[random.Random], str]] = {
    "hex8": _some(HEX, 8),
    "hex12": _some(HEX, 12),
    "hex16": _some(HEX, 16),
    "hex": _some(HEX, 32),
    "hex40": _some(HEX, 40),
    "hex64": _some(HEX, 64),
    "b11": _some(ALNUM, 11),
    "b38": _some(ALNUM, 38),
    "b43": _some(ALNUM, 43),
    "b54": _some(ALNUM, 54),
    "b64": _some(BASE64, 64),
    "b86": _some(ALNUM, 86),
    "alnum24": _some(ALNUM, 24),
    "bech38": _some("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 38),
    "bech58": _some("qpzry9x8gf2tvdw0s3jn54khce6mua7l", 58),
    "caps4": _some(string.ascii_uppercase, 4),
    "caps6": _some(_CAPS, 6),
    "caps9": _some(_CAPS, 9),
    "caps16": _some(_CAPS, 16),
    "digits6": _some(string.digits, 6),
    "digits9": _some(string.digits, 9),
    "digits13": _some(string.digits, 13),
    "fingerprint": lambda rng: " ".join(
        draw(rng, HEX[:16], 4).upper() for _ in range(10)
    ),
    "uuid": lambda rng: str(uuid.UUID(int=rng.getrandbits(128), version=4)),
    "wg": lambda rng: base64.b64encode(rng.randbytes(32)).decode(),
}
