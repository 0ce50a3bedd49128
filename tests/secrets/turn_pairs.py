"""Pairs of turns: one that asks for a secret and one that tells it, and ordinary ones.

Nothing here is a real secret. In a pair of `TOLD` the value follows the second bar.
"""

from __future__ import annotations

TOLD = """
What is the wifi password?|It is tulip-Falcon77|tulip-Falcon77
What's our Netflix password again?|Sure, it's Otter!Canoe92|Otter!Canoe92
PIN of the phone?|907361|907361
Wie lautet das Passwort?|Regenwurm!84|Regenwurm!84
API key?|qkzvhwmprtyxbnlcdjfgsaeouiqwkzhv|qkzvhwmprtyxbnlcdjfgsaeouiqwkzhv
Which password did you set for the router?|I set it to Harbor_Lamp_19.|Harbor_Lamp_19
Could you give me the login password for the NAS?|Of course. Use nasK3eper!x2|nasK3eper!x2
What was the PIN for the safe?|4821|4821
What's the alarm code?|It's 73905.|73905
Please enter your password.|Zebra$Quilt55|Zebra$Quilt55
I need your database password to continue.|pgR00t-Walrus|pgR00t-Walrus
Enter the one-time code that we sent you|448201|448201
What is the door code of the flat?|Press 5931# and wait.|5931#
Do you remember the password of the old laptop?|Yes, it was Marzipan7788|Marzipan7788
And the passphrase for the backup?|copper lantern drifting otter seventeen maples|copper lantern drifting otter
What's the secret token for the webhook?|f83kd02mxq71vbnz5tyw|f83kd02mxq71vbnz5tyw
What's the guest wifi key?|BlueHeron2024!|BlueHeron2024!
Wie ist die PIN von deiner EC-Karte?|6047|6047
Wie war nochmal das WLAN-Passwort?|Das war Kirschbaum#21|Kirschbaum#21
Hast du das Kennwort für den Server?|Ja: s3rv3rK0nig!|s3rv3rK0nig!
Welchen Code hat das Fahrradschloss?|2749|2749
Nenne mir bitte dein Passwort.|Apfel_Kuchen_88|Apfel_Kuchen_88
Was ist der API-Schlüssel?|zk39fjw02lqpx84mvbt1|zk39fjw02lqpx84mvbt1
Quel est le mot de passe du wifi ?|C'est Papillon!73|Papillon!73
Tu te souviens du code de la porte ?|Oui, 48B12|48B12
Le code PIN de la carte ?|9035|9035
Donne-moi le mot de passe du serveur.|Voilà : Chouette_44x!|Chouette_44x!
¿Cuál es la contraseña del wifi?|Es Caracol!9034|Caracol!9034
¿Y el PIN de la tarjeta?|7712|7712
Dime la clave del router, por favor|Es Mariposa77Luz|Mariposa77Luz
¿Qué contraseña tiene el portátil?|Girasol*2048|Girasol*2048
Qual é a senha do wifi?|É Jacare@5521|Jacare@5521
Qual a senha do cofre?|8263|8263
Me passa a senha do banco de dados|Tucano_R7!x|Tucano_R7!x
Qual è la password del wifi?|È Lucciola!88|Lucciola!88
Il PIN del telefono?|551908|551908
Wat is het wachtwoord van de wifi?|Het is Stroopwafel#12|Stroopwafel#12
Jakie jest hasło do wifi?|To jest Borsuk!2031|Borsuk!2031
Какой пароль от вайфая?|Ёлка!Снег77x|Снег77x
Какой пин-код?|6194|6194
wifiのパスワードは何ですか？|Sakura!Tokei93です|Sakura!Tokei93
WiFi密码是多少？|是 Longjing#8871|Longjing#8871
保险箱的密码是什么？|839201|839201
와이파이 비밀번호가 뭐예요?|Hanok!Dari52 입니다|Hanok!Dari52
Wifi şifresi nedir?|Kelebek!4477|Kelebek!4477
Vad är lösenordet till wifi?|Det är Blabar#904|Blabar#904
Mikä on wifin salasana?|Se on Karhu!Metsa31|Karhu!Metsa31
Hvad er adgangskoden?|Den er Havfrue!27|Havfrue!27
Care este parola de la wifi?|Este Castravete!66|Castravete!66
What is your password?|Let me see. I found the note. Sparrow^Gate41|Sparrow^Gate41
Can you send me the AWS secret?|here: wJ8rXUtnF3MI9K7MDkbPxRfiCYzQwErTyUiOpA2s|wJ8rXUtnF3MI9K7MDkbPxRfiCYzQwErTyUiOpA2s
Which passcode unlocks the iPad?|302817|302817
What's the combination of the bike lock?|3-8-1-5|3-8-1-5
Tell me the password for the Wi-Fi and I will connect.|Sure thing - Walnut~Creek5|Walnut~Creek5
What are the login credentials for staging?|user ann, password Gr4vel-Pit!|Gr4vel-Pit!
What's the root password on that box?|h7Kq2pXw|h7Kq2pXw
Please type your card's CVV.|482|482
What's the key for the license server?|9F3K-77QP-M2XZ-LL4D|9F3K-77QP-M2XZ-LL4D
Give me the encryption passphrase|"winter-Orchard-99 river"|winter-Orchard-99
What's the OpenAI key I should use?|Use this one: k8Jq2vN7xT4bR9mL3wZ6pY1c|k8Jq2vN7xT4bR9mL3wZ6pY1c
The system asks for a password. Which one?|Try Hedgehog!Pie8|Hedgehog!Pie8
what password should i type|try Moonrise_77|Moonrise_77
Did you change the wifi password?|Yes, to Pelican%Barn3|Pelican%Barn3
I forgot the password for the printer.|It is Pr1nter-Oak!|Pr1nter-Oak!
Gib mir das Passwort für die Cloud|Klar, hier: Wolke7-Fenster!|Wolke7-Fenster!
Wie lautet der Türcode?|Das ist die 4409.|4409
Quelle est la phrase secrète ?|Elle est « Tortue!Lune83 »|Tortue!Lune83
¿Cuál es el código de la alarma?|Es el 30917.|30917
"""

ORDINARY = """
What is the weather tomorrow?|Sunny with 24 degrees.
How was your day?|Long, but good. I met Tom at 14:30.
How do I reset my password?|Click on Settings, then on Security, and choose Reset password.
I forgot my password.|No problem. Open the login page and click "Forgot password".
Is my password strong enough?|It should have at least 12 characters.
Which password manager do you use?|I use Bitwarden on all my devices.
How long must the password be?|At least 14 characters with digits.
Did you change the password?|Yes, yesterday evening.
When did you last change your password?|On 12 March 2024.
Where is the password stored?|In /etc/app/config.yaml, under db.
Do you know the wifi password?|No, ask Anna in room 204.
What's the wifi password?|I don't know, sorry.
What's the wifi password?|It is on the sticker below the router.
Who knows the password?|Peter and Maria do.
Can you send me the password?|I will send it by Signal.
Should I share my password?|Never share it with anybody.
What is a passphrase?|Several words in a row that nobody can guess.
Is a PIN safer than a password?|On a phone, usually, because tries are limited.
How many digits has the PIN?|It has 6 digits.
Where do I enter the PIN?|On the second screen, below the logo.
Did the PIN arrive?|Yes, the letter came on Tuesday.
What is the postal code of Berlin Mitte?|10115
What's the area code for San Francisco?|It's 415.
What's your postcode?|SW1A 1AA
What's the country code of Austria?|43
What is the error code?|It says 0x80070005.
Which error code did you get?|E4012
What status code does it return?|404
What's the exit code?|137
Which HTTP code means forbidden?|403
What is the product code?|AX-4471-B
What was the order number?|It was 4471920.
What is your customer number?|88213345
What's the ticket number?|INC0042317
Which room are you in?|Room B204 on floor 2.
What's the flight number?|LH1834 at 16:45.
What is my booking reference?|It is QX7L2P.
What is the invoice number?|RE-2024-0091
How much did the lock cost?|It cost 49.90 euros.
Where is the key for the cellar?|On the hook by the door.
Which key did you use for the song?|F sharp minor.
What is the primary key of the table?|user_id
What's the foreign key called?|It is called order_ref_2.
What is the key of the map?|The name of the country.
Which shortcut key opens the terminal?|Ctrl+Alt+T
Which key do I press?|Press F12 or Delete.
How does public key encryption work?|Each side has a pair of keys, one of them public.
What's the API rate limit?|5000 requests per hour.
What is the API endpoint?|https://api.example.com/v2/users
Does the API key expire?|After 90 days.
How do I get an API key?|Create one in the dashboard under Developers.
Which API version is it?|v2.14.3
How many tokens did that take?|About 8200 tokens.
What's the token limit?|128000
How many tokens fit into the context?|200000
What is a JWT?|A signed token with three parts.
What's the token budget?|8000 plus 500 for bonus.
Which model did you use?|gpt-4o-mini-2024-07-18
Which commit broke it?|3f2a9c81
What's the commit hash?|9fceb02d0ae598e95dc970b74767f19372d61af8
What's the checksum?|sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
What's the UUID of the job?|550e8400-e29b-41d4-a716-446655440000
What's the MAC address?|00:1A:2B:3C:4D:5E
Which port does the server use?|8443
What is the IP address of the printer?|192.168.1.44
What's the serial number of the router?|SN84731-22K
Which version of Python is it?|3.12.4
Which colour has the door?|RAL7016, a dark grey.
What is the code name of the project?|Bluebird2
What's the name of the wifi?|FRITZ!Box 7590 AX
Which wifi do you use?|Home-5G
Is the wifi slow?|Only 12 Mbit/s in the kitchen.
What's the SSID?|CasaBianca_Guest
Which router do you have?|A TP-Link Archer AX55.
How do I open the safe?|With the key in the drawer.
Is the alarm on?|Since 22:15.
When does the garage open?|At 7:30 in the morning.
How heavy is the safe?|It weighs 120 kg.
What is the code review about?|It is about the parser in PR #4471.
Did you push the code?|Yes, 14 files in 3 commits.
How many lines of code are there?|49000
Which dress code applies?|Smart casual.
What's the promo code?|There is none this month.
What's the QR code for?|It opens the menu.
What's the source code license?|MIT
Can you read the bar code?|4006381333931
What's the ISBN?|978-3-16-148410-0
How old are you?|I am 34.
When were you born?|On 4 July 1990.
What year was it built?|1887
How many people came?|2300
What's the distance?|4200 km
How much do you earn?|5200 a month.
What time is it?|1430
When does the train leave?|At 0915 from platform 7.
What's your phone number?|+49 170 1234567
What's Ann's email?|ann.lee@example.org
What's your user name?|ann_lee90
Which account did you use to log in?|The work account of Tom.
What's your login name?|tomk_84
Did you log in?|Yes, at 8:15.
Who is the user?|Alex from Berlin.
What's your username on GitHub?|octo-cat42
Which username should I take?|Try riverfox_21
What's the account number for the gym?|It's on the card, I think 4471.
What's the IBAN?|DE89 3704 0044 0532 0130 00
What's the secret of your soup?|Two hours and a bay leaf.
What's your secret?|I sleep eight hours.
Can you keep a secret?|Always.
What's the secret ingredient?|Anchovies.
Who has access to the building?|All 45 employees.
What is the combination of spices?|Cumin, coriander and chili.
Which combination works best?|Model B2 with size 40.
What is the pin on the map?|The hotel.
Can you pin that message?|Done, it is pinned.
Did you pin the version?|Yes, to 4.17.21
Which GPIO pin is it?|Pin 17
Which pin is ground?|Pin 6
What's the pinout?|1 is VCC, 2 is GND.
What is the backup schedule?|Every night at 0200.
Where are the recovery codes?|In the vault, in the blue folder.
How many backup codes are left?|7
What do I need for the recovery?|Your phone and the mail address.
What's a seed phrase?|12 or 24 words that restore a wallet.
How many words has the seed phrase?|24
Which mnemonic do you use for the planets?|My very educated mother just served us noodles.
What's your mother's maiden name?|Why do you ask?
What was the first question?|What your name is.
Passwort vergessen, was nun?|Klicke auf "Passwort zurücksetzen".
Wie lang muss das Passwort sein?|Mindestens 12 Zeichen.
Wo steht das Passwort?|Im Tresor, im blauen Ordner.
Wer kennt das Passwort?|Nur Peter und ich.
Wann wurde das Passwort geändert?|Am 03.02.2024 um 14:30.
Kennst du das WLAN-Passwort?|Nein, frag Anna in Zimmer 204.
Welche Postleitzahl hat Potsdam?|14467
Wie ist die Vorwahl von Hamburg?|040
Welcher Fehlercode kam?|E1042
Wie viele Stellen hat die PIN?|4 Stellen.
Ist die PIN angekommen?|Ja, am Dienstag.
Welchen Schlüssel brauche ich?|Den 13er Maulschlüssel.
Wie hoch ist das Token-Limit?|128000
Wie alt ist das Schloss?|Von 1723.
Welche Hausnummer hat die Schule?|Die 47.
Wie viel kostet die Tür?|1450 Euro.
Wann geht der Alarm los?|Um 6:45.
Wo ist der Schlüssel für das Rad?|In der Jacke.
Welches Netz nimmst du?|Das von Oma, FritzBox7530.
Welche Version läuft?|2.4.1-rc3
Was ist das Geheimnis des Brots?|Viel Zeit und 20 g Salz.
Comment changer mon mot de passe ?|Dans les paramètres, sous Sécurité.
Où est le mot de passe ?|Sur la boîte, sous le logo.
Qui connaît le mot de passe ?|Seulement Marie.
Quel est le code postal de Lyon ?|69001
Quel code d'erreur ?|502
Quelle heure est-il ?|14h30
La porte est ouverte ?|Depuis 8h.
Quel est le numéro de commande ?|4471920
Combien de chiffres a le code PIN ?|Quatre.
Le mot de passe a changé ?|Oui, lundi dernier.
¿Cómo cambio la contraseña?|En Ajustes, en Seguridad.
¿Quién sabe la contraseña?|Solo Marta.
¿Cuál es el código postal?|28013
¿Qué código de error sale?|Sale el 503.
¿Cuántos dígitos tiene el PIN?|Tiene 4 dígitos.
¿Dónde está la clave?|En la caja, debajo del logo.
¿Cuál es la clave del éxito?|Dormir ocho horas.
¿A qué hora abre la puerta?|A las 0730.
Como mudo a senha?|Nas configurações, em Segurança.
Quem sabe a senha?|Só a Marta.
Qual o CEP?|01310-100
Quantos dígitos tem o PIN?|Quatro dígitos.
Qual é a chave do sucesso?|Dormir oito horas.
Come cambio la password?|Nelle impostazioni, sotto Sicurezza.
Qual è il CAP di Roma?|00184
Hoe verander ik mijn wachtwoord?|Bij Instellingen, onder Beveiliging.
Wie kent het wachtwoord?|Alleen Piet.
Jak zmienić hasło?|W ustawieniach, w sekcji Bezpieczeństwo.
Jaki jest kod pocztowy?|00-950
Как сменить пароль?|В настройках, раздел Безопасность.
Кто знает пароль?|Только Маша.
Какой почтовый индекс?|101000
パスワードを変えるには？|設定の「セキュリティ」からできます。
郵便番号は？|150-0001です
密码怎么改？|在设置里的安全选项。
谁知道密码？|只有小王。
邮政编码是多少？|100080
비밀번호는 어떻게 바꿔요?|설정에서 바꿀 수 있어요.
우편번호가 뭐예요?|04524
Şifremi nasıl değiştiririm?|Ayarlar bölümünden.
Hur byter jag lösenord?|Under Inställningar.
Please choose a new password.|Ok, done.
Enter your password.|I did, and it says "Invalid credentials".
Please enter the code we sent to you.|It did not arrive yet.
Your password expires in 7 days.|Thanks, I will change it on 2024-05-03.
The password must have a digit.|Then I take a longer one.
I saved the password in 1Password.|Great, in which vault?
The API key is in the .env file.|Which variable? OPENAI_API_KEY?
We rotate the keys every month.|Then the next date is 2024-06-01.
Use the token from the environment.|So os.environ["API_TOKEN"]?
Our secrets are in Vault.|Which path? secret/data/app1?
I hashed the password with bcrypt.|With cost 12, I hope.
Let us write the login form.|OK. I will add username, password and a submit button.
Write a function that checks a password.|Here it is: def check_password(value): return len(value) >= 12
Explain OAuth2.|OAuth2 gives a client an access token instead of the password.
How do I create an SSH key?|Run ssh-keygen -t ed25519 -C "you@example.com"
How do I generate a password?|Run openssl rand -base64 24
Which command shows the wifi key?|netsh wlan show profile name="Home" key=clear
How do I set the password in Postgres?|ALTER USER app WITH PASSWORD '<your password>';
What does the env file look like?|DB_HOST=localhost, DB_PORT=5432, DB_PASSWORD=<secret>
Where do I put the token?|In the header: Authorization: Bearer <token>
What's the password field called?|passwordHash
What's the default password length?|16
Do you need my password?|No, I never need it.
My password is too long.|Then cut it to 32 characters.
The lock is broken.|I will call the locksmith, 030 4471920.
The door is open.|Then close it, it is 5 degrees outside.
I lost my bank card.|Call 116116 to block it.
My credit card expires soon.|When? In 08/2026?
Did you pay by card?|Yes, 84.20 euros on 3 May.
How is the project?|We shipped v2.3.0 and closed 41 issues.
What did Maria say?|That she arrives at 18:45 with train ICE1004.
How do I open the file?|Run nvim src/main.rs +42
What broke the build?|Commit a1b2c3d in PR #231.
Which test fails?|test_login_rejects_wrong_password
Which class holds it?|PasswordResetTokenGenerator
Which table stores users?|auth_user2
What is the regex?|^[A-Z]{2}\\d{4}$
How do I say goodbye in Finnish?|Näkemiin!
What's the recipe?|200 g flour, 2 eggs, 1 pinch of salt.
Which size do you wear?|L or EU42.
What's the model of the phone?|Pixel8Pro
What is the license plate?|B-AX 4471
What's the name of the hamster?|Mr. Nibbles3000
"""


def told() -> list[tuple[str, str, str]]:
    """Pairs with a secret: what is asked, what is answered, and the value in it."""
    found = (line.split("|") for line in TOLD.strip().splitlines())
    return [(asked, answered, value) for asked, answered, value in found]


def ordinary() -> list[tuple[str, str]]:
    """Pairs without a secret."""
    found = (line.split("|") for line in ORDINARY.strip().splitlines())
    return [(asked, answered) for asked, answered in found]
