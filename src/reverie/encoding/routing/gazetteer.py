"""Names that tell what they name: people, places, tools, and what is no name.

Short lists of common names. A name that is not here is typed by the words around it.
"""

from __future__ import annotations

from reverie.encoding.routing.lexicon import words_in

_GIVEN = """
    aaron abdul abigail ada adam aditi adrian agnes ahmed aidan aisha akira alan alana
    albert alejandro alex alexander alexandra alfred ali alice alicia alina alison
    alma amal amanda amara amber amelia amina amir amy ana ananya anders andre andrea
    andreas andrew andy angela angelina anika anita ann anna anne annika anthony anton
    antonio april arash ari arjun arthur asha ashley astrid audrey ava aya babak bao
    barbara beatriz ben benjamin bernd beth betty bianca bill björn blake bob boris
    brandon brenda brian brittany brittney bruce bruno bryan caleb cameron camila carl
    carla carlos carmen carol caroline carolyn cassandra catherine cathy cecilia
    celeste chad charles charlie charlotte chelsea chen cheryl chiara chidi chioma
    chloe chris christian christina cindy claire clara claudia clemens cleo colin
    colleen connor courtney craig crystal curtis cynthia daisy dale dalia dan dana
    daniel daniela danny dariusz darren darya dave david dawn deborah debra deepa
    deniz dennis derek diana diane diego dina dmitri dominik donald donna dora doris
    dorothy doug douglas duncan dylan earl eddie edgar edith eduardo edward edwin efua
    eileen eleanor elena eli elias elif elin elisa elizabeth ella ellen ellie eloise
    elsa emeka emil emilia emily emma enzo eric erik erin ernest esther ethan eugene
    eva evan evelyn fabian faith farah farhan farid fatima felix femi finn fiona flora
    florian francesca francis frank fred frida gabriel gail gareth gary gavin geoffrey
    george gerald gilbert gina gita giulia glenn gloria goran gordon grace graham greg
    gregory greta gustav gwen hana hanna hannah hans harold harriet harry haruto
    hassan hazel heather hector heidi helen helena henrik henry hiro hiroshi holly
    hope howard hugo ian ibrahim ida igor imani ines ingrid irene irina isabel isla
    ivan ivy jack jackie jacob jake jakob jamal james jamie jan jana jane janet janice
    jared jasmine jason jay jean jeff jeffrey jenna jennifer jenny jeremy jerry
    jessica jiang jill jim jimmy jin jiro joan joanna joe joel johanna john johnny jon
    jonas jonathan jordan jorge joseph josh josé joyce juan judith judy julia julian
    julie jun justin kaito kamal karen karim karl kate katherine kathleen kathy katie
    katja kavya keiko keith kelly ken kenji kenneth kerry kevin kim kira kofi
    krzysztof kwame kyle laila lance lara larry lars laura lauren lawrence layla lea
    leah leila lena leo leon leonard leonie leslie lester lewis li liam lillian lily
    lin lina linda ling lisa liz lloyd logan lola lorenzo lori lorraine louie louis
    louise luca lucas lucia lucy luis luisa luka lukas lydia lynn mabel madison magda
    maja malcolm malik malika marcia marco marcus margaret margot maria mariam marian
    marie marilyn marina mario marion marjorie marlene marta martha martin marvin mary
    mateo matilda matt matthew maureen max maya megan mehmet mei melanie melissa mia
    michael michelle miguel mika mike milan mildred miloš mina ming minh mira miriam
    mitchell mohamed mohammed molly monica morgan mustafa nadia nadja nancy naomi
    natalia nathan naveen neil nellie ngozi nguyen nia nick nico nicola nicole niels
    nigel nikhil nikolai nina noah noor nora norma norman obi oksana olamide oleg olga
    oliver olivia olu omar oscar owen pablo paige pamela parisa pat patricia patrick
    patty paul paula pavel pedro peggy penny peter petra phil philip philippa phyllis
    pia pierre piotr priya qing quentin rachel rafael rahul raj ralph ramona randy
    rania rashid ravi raymond rebecca reggie regina reza rhonda ricardo richard ricky
    rita rob robert roberta robin rodney roger rohan roland ronald rosa rosalind
    rosario rose roxanne roy russell ruth ryan sadie sakura sally sam samantha samir
    samuel sana sandra sanjay sara sarah sasha scott sean sebastian selin selma sergei
    seth shane shannon sharon shawn sheila shelley sherry shirin shirley shreya
    siddharth sidney silvia simon sina sofia sofie sonia soo sophia sophie stacey
    stacy stanley stefan stella stephanie stephen steve stuart sunita susan suzanne
    sven svetlana sylvia tadeusz tala tamara tanya tara tariq ted teresa terri terry
    thelma theo theresa thomas tiffany tim timothy tina tobias todd tom tomas tommy
    tony tove tracy travis trevor tuan tyler ulrike uma ursula valentina valerie
    vanessa vera vernon veronica vicky victor victoria vikram viktor vince vincent
    vivian vlad wade walter wanda warren wayne wei wendy wesley will william wilma
    wolfgang xavier xin yan yara yasmin yasmine yolanda yosef yuki yusuf yvonne zach
    zachary zainab zara zeynep zoe
"""
GIVEN_NAMES = words_in(_GIVEN) - {"will"}
"""First names; `will` is a verb far more often."""

GIVEN_TOO = words_in("""
    bill daisy flora frank grace ivy jack jean lily max pat penny robin rob rose ruth
    ray art may april june dawn joy hope faith sandy amber crystal dale earl gail
    holly mike lance jay jake norma sally sherry misty chad wade warren ted terry
    trevor tracy li ling obi sina soo tala yan min bao ming sana grant ari asha jan
    kim lin jun mina milan
""")
"""Those that are words as well."""

COUNTRIES = words_in("""
    argentina australia austria belgium bolivia brazil bulgaria cambodia cameroon
    canada chile china colombia croatia cuba cyprus denmark ecuador egypt england
    estonia ethiopia finland france georgia germany ghana greece guatemala hungary
    iceland india indonesia iran iraq ireland israel italy jamaica japan jordan kenya
    kuwait laos latvia lebanon lithuania luxembourg malaysia malta mexico moldova
    mongolia morocco nepal netherlands nigeria norway oman pakistan panama paraguay
    peru philippines poland portugal qatar romania russia rwanda scotland senegal
    serbia singapore slovakia slovenia somalia spain sudan sweden switzerland syria
    taiwan tanzania thailand tunisia turkey uganda ukraine uruguay uzbekistan venezuela
    vietnam wales zambia zimbabwe usa uk
""") | {
    *("south korea", "north korea", "new zealand", "south africa", "costa rica"),
    *("saudi arabia", "sri lanka", "united states", "united kingdom", "the us"),
    *("czech republic", "the netherlands", "us"),
}

_PLACES = """
    africa asia europe america antarctica scandinavia bavaria catalonia crete sicily
    tuscany provence normandy brittany tyrol saxony california texas florida alaska
    hawaii oregon nevada utah colorado arizona michigan ohio virginia ontario quebec
    amsterdam antwerp athens auckland baghdad bangalore bangkok barcelona basel beijing
    beirut belfast belgrade bergen berlin bern bilbao birmingham bogotá bologna bombay
    bonn bordeaux boston bremen brisbane bristol bruges brussels bucharest budapest
    cairo calgary cambridge canberra cardiff casablanca chennai chicago cologne
    copenhagen dakar dallas damascus delhi denver detroit dhaka dresden dubai dublin
    düsseldorf edinburgh eindhoven florence frankfurt gdańsk geneva genoa ghent glasgow
    gothenburg granada graz grenoble hamburg hanoi hanover havana heidelberg helsinki
    houston istanbul jakarta jerusalem johannesburg kabul karachi kathmandu kiel kiev
    kyiv kobe kolkata krakow kraków kyoto lagos lahore leeds leiden leipzig lille lima
    linz lisbon liverpool ljubljana london lyon madrid malaga malmö manchester manila
    marrakesh marseille melbourne memphis miami milan minsk montevideo montreal moscow
    mumbai munich nagoya nairobi nantes naples nashville nice nuremberg osaka oslo
    ottawa oxford paris perth philadelphia phoenix pisa porto portland potsdam prague
    pune reykjavik riga rome rotterdam salzburg santiago sarajevo seattle seoul seville
    shanghai sheffield shenzhen sofia stockholm strasbourg stuttgart sydney tallinn
    tampere tehran tokyo toronto toulouse trieste trondheim tunis turin utrecht valencia
    vancouver venice verona vienna vilnius warsaw wellington york zagreb zurich zürich
"""
PLACES = (
    COUNTRIES
    | (words_in(_PLACES) - {"nice", "sofia", "milan"})
    | {"new york", "new york city", "los angeles", "san francisco", "hong kong"}
    | {"buenos aires", "cape town", "las vegas", "mexico city", "new delhi"}
    | {"rio de janeiro", "são paulo", "tel aviv", "the hague", "st. gallen"}
)

PLACE_TAILS = words_in("""
    street road avenue lane square boulevard alley drive airport station harbour harbor
    park island islands beach bay lake river valley mountain mountains hill hills
    forest bridge castle cathedral city town village county district quarter café cafe
    restaurant hotel inn pub plaza market museum library
""")
"""What the name of a place may end with,"""

PLACE_HEADS = frozenset({"lake", "mount", "cape", "port", "fort", "san", "santa"})
"""and begin with."""

PLACE_ENDINGS = ("burg", "burgh", "stadt", "ville", "shire", "heim", "dorf", "holm")

TOOLS = words_in("""
    airtable android angular ansible apache arduino asana astro aws azure babel bash
    bitbucket blender bootstrap brew bun c++ c# caddy canva cassandra celery chatgpt
    chrome claude clickhouse clojure cmake confluence cursor cypress dart datadog deno
    discord django docker duckdb eclipse elasticsearch electron elixir elm emacs erlang
    eslint evernote excel express fastapi figma firebase firefox flask flutter fortran
    gcc gimp git github gitlab gmail go golang gradle grafana graphql haskell helm
    heroku homebrew htmx inkscape java javascript jenkins jest jira jq julia jupyter
    kafka keycloak kibana kotlin kubernetes kubectl laravel latex linear linux litellm
    lua macos make mariadb markdown matlab matplotlib maven memcached mercurial
    metabase mocha mongodb mypy mysql neovim netlify next.js nginx nix node node.js
    nodejs notion npm numpy obsidian ocaml ollama openssl outlook pandas perl
    photoshop php playwright pnpm podman poetry postgres postgresql postman powerpoint
    powershell prettier prisma prolog prometheus puppeteer pycharm pytest python
    pytorch qt rabbitmq rails raspberry react redis redux rclone rsync ruby ruff rust
    sass scala scikit-learn selenium sentry signal sketch slack solidjs spark splunk
    spotify sqlite stripe sublime supabase svelte svn swift tailscale tailwind telegram
    tensorflow terraform thunderbird tmux todoist traefik trello typescript ubuntu
    unity vercel vim vite vitest vscode vue vue.js webpack whatsapp windows wordpress
    xcode yarn zig zoom zotero zsh
""") | {
    *("vs code", "visual studio code", "visual studio", "google docs", "ruby on rails"),
    *("google calendar", "google sheets", "github actions", "raspberry pi"),
}
WORDS_TOO = words_in("""
    astro bash cursor dart deno express go helm java jest julia linear make mocha next
    node notion outlook pandas perl poetry prettier raspberry react redux ruby rust sass
    scala sentry signal sketch slack spark stripe sublime swift unity vercel vite yarn
    zoom discord bootstrap babel bun celery chrome eclipse electron elm excel flask
    flutter gradle maven mercurial windows
""")
"""Tools that are words of their own: only with a capital letter are they names."""

TOOL_ENDINGS = (".js", ".io", ".py", ".rs", "-js", "sql", "db", "ql")

NO_NAMES = words_in("""
    monday tuesday wednesday thursday friday saturday sunday mondays tuesdays
    wednesdays thursdays fridays saturdays sundays january february march april may
    june july august september october november december jan feb mar apr jun jul aug
    sep sept oct nov dec mon tue wed thu fri sat sun christmas easter halloween
    ramadan diwali hanukkah thanksgiving passover arabic bengali cantonese catalan
    croatian czech danish dutch english esperanto estonian farsi finnish flemish
    french gaelic german greek hebrew hindi hungarian icelandic indonesian irish
    italian japanese korean latin latvian lithuanian mandarin norwegian persian polish
    portuguese romanian russian serbian slovak slovenian somali spanish swahili
    swedish tamil thai tibetan turkish ukrainian urdu vietnamese welsh yiddish zulu
    american african asian british european canadian chinese indian mexican brazilian
    swiss austrian belgian australian egyptian israeli i i'm i'd i'll i've ok okay yes
    no todo fyi asap pm am utc gmt cet est pst cest api url uri http https html css
    json xml yaml sql ui ux ci cd pr prs id ids pdf ceo cto cfo hr it tv usb vpn ssh
    dns ip cpu gpu ram ssd lts eta rps kpi okr sla mvp atp dna rna diy wifi wi-fi faq
    gps vat iban pin mr mrs ms dr prof sir god internet web phd msc bsc mba celsius
    fahrenheit mri eastern western northern southern pacific atlantic epipen
""")
"""Words with a capital letter that name no person, place or thing to keep a page of."""

INSTITUTIONS = words_in("""
    school university college academy institute bank savings labs lab inc ltd llc gmbh
    corp company club society association foundation hospital clinic church agency group
    partners sons brothers insurance airlines airways press
""")
"""What the name of an organisation may end with."""
