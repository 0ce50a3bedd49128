"""The words that tell an assistant's work from a reader's life: tables to extend."""

from __future__ import annotations

from reverie.encoding.triggers.wording import Wording, one_of

# What an assistant makes or works on. "Your answers" are no reader's.
WORK = one_of(
    "answers?, responses?, repl(?:y|ies), outputs?, texts?, articles?, stor(?:y|ies)",
    "essays?, codes?, codeblocks?, functions?, scripts?, messages?, words?, sentences?",
    "paragraphs?, formats?, formatting, lists?, tables?, bullets?, headings?, titles?",
    "prompts?, questions?, summar(?:y|ies), translations?, explanations?, examples?",
    "instructions?, rules?, tasks?, roles?, persona, characters?, suggestions?",
    "recommendations?, sources?, context, versions?, conversations?, chats?, sections?",
    "chapters?, posts?, blogs?, emails?, letters?, poems?, keywords?, dialogues?",
    "scenes?, drafts?",
)
# What a task is about. "The audience" is the task's; "your audience" is a reader's.
TOPICS = one_of(
    "audience, readers?, users?, plot, hero, heroine, villain, narrator, budget",
    "deadline, word count, clients?, customers?, goal of this, project",
)
# What an assistant has. "Your imagination" is no reader's either.
GIFTS = one_of(
    "imagination, creativity, best, judge?ment, expertise, skills?, abilit(?:y|ies)",
    "work, capabilit(?:y|ies), reasoning, thinking, calculations?, thoughts?",
    "perspective, tools?, knowledge, training, memor(?:y|ies), language, style",
    "analys[ie]s, files?, steps, lines?",
)

# What only one who writes or talks is told to do: "remember to …".
WRITING = one_of(
    "use, include, add, write, answer, respond, reply, format, output, return, provide",
    "generate, explain, describe, list, number, label, highlight, bold, translate",
    "speak, act, pretend, roleplay, refer, address, avoid, skip, omit, exclude",
    "replace, mention, incorporate, cite, emphasi[sz]e, capitali[sz]e, indent, comment",
    "compile, import, define, declare, limit, continue, convert, calculate, round",
    "count, wrap, escape, reference, insert, preserve, restrict, match, mimic, imitate",
    "introduce, summari[sz]e, rewrite, paraphrase, expand, shorten, proofread, treat",
    "assume, base, create, show, tell, give, print, put, quote, separate, repeat",
    "correct, update, call, say, remind, double-check, rephrase, reword, split",
    "implement, adhere, stick, draft, structure, append, attach, prefix, break, do",
)
# What a reader is told as well: it needs a sign that the assistant is meant.
DOING = one_of(
    "ask, read, follow, handle, start, end, begin, finish, stop, wait, leave, apply",
    "consider, cover, ensure, focus, maintain, set, sort, place, optimi[sz]e, change",
    "let, mark, complete, proceed, behave, talk, analy[sz]e, design, suggest",
    "recommend, outline, craft, fix, think, review, check, test, keep, make, stay",
    "take, play, try, look, find",
)
# What a person asks to be kept for him.
ERRANDS = one_of(
    "buy, call, phone, pay, book, renew, send, email, mail, order, cancel, schedule",
    "submit, water, feed, collect, file, invite, confirm, register, text, message",
    "pick",
)
# With the three above: words that a sentence begins with when it is an order.
OTHER_ORDERS = one_of(
    "be, go, get, help, imagine, choose, turn, move, reflect, build, run, learn, study",
    "note, save, don't, dont, do not, never, always, only, no, let's, lets, compare",
    "remove, delete, forget, remember, memori[sz]e, bear",
)
# "Be brief" is an order to an assistant, "be kind" is not.
MANNER = one_of(
    "brief, concise, short, clear, creative, specific, detailed, funny, professional",
    "succinct, consistent, precise, polite, formal, informal, accurate, thorough",
    "honest, sarcastic",
)
# "When you write it" speaks to the assistant, "when you travel" to a reader.
WRITES = one_of(
    "writ(?:e|ing), answer(?:ing)?, respond(?:ing)?, reply(?:ing)?, generat(?:e|ing)",
    "creat(?:e|ing), translat(?:e|ing), rewrit(?:e|ing), summari[sz](?:e|ing)",
    "draft(?:ing)?, format(?:ting)?, output(?:ting)?, provid(?:e|ing)",
    "describ(?:e|ing), explain(?:ing)?, cod(?:e|ing), program(?:ming)?, mak(?:e|ing)",
    "list(?:ing)?, understand, doing",
)

IMPERATIVE = Wording(rf"(?:{WRITING}|{DOING}|{ERRANDS}|{OTHER_ORDERS})\b")
DEED = Wording(
    rf"(?:{WRITING}|be\s+(?:(?:as|very|more|extremely)\s+)?{MANNER}"
    rf"|{one_of('stay in character, stay on topic, stay within, think step, not')}"
    rf"|take\s+in(?:to)?|(?:keep|make)\s+(?:{one_of('it, them, this, that, sure')}"
    rf"|everything|each|(?:the|your|all|an?)\s+{WORK}))\b"
)
DOES = Wording(rf"{DOING}\b")
ERRAND = Wording(rf"{ERRANDS}\b")
