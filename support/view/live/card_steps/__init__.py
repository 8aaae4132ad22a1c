"""The KV cache as an interpreter's box of cards: two cards for each sentence, and one question at a time."""

from typing import Any

from support.view.live.stepper import Story, stepper

# Who speaks: the sentence, what it can be found by, and what it says.
MEETING = {
    "Anna": ("We open at nine.", "opening time", "at nine"),
    "Bruno": ("The room costs two hundred.", "price of the room", "two hundred"),
    "Clara": ("We take it on Monday.", "day", "on Monday"),
}
HIS = {"Anna": "her", "Bruno": "his", "Clara": "her"}
QUESTIONS = {"What does the room cost?": "Bruno", "When do we open?": "Anna"}


def cards() -> Story:
    """The story of the box: two sentences, a question, a third sentence, another question.

    >>> cards().told("answers[0, 0]", 2)
    ' Bruno’s first card fits the question best, so she reads his second: two hundred.'
    """
    story = Story(digits=0)
    people, times = tuple(MEETING), ("first", "second")
    box: dict[str, Any] = {"rows": people, "kept": True}
    heard = story.matrix("sentences", "what is said", (3, 1), people, role="stream")
    keys = story.matrix("keys", "first cards: keys", (3, 1), role="key", **box)
    values = story.matrix("values", "second cards: values", (3, 1), role="value", **box)
    question = story.matrix("queries", "the question: query", (2, 1), times, role="query")
    answer = story.matrix("answers", "what she says", (2, 1), times, role="output")

    def hear(who: str, says: str) -> None:
        story.step(f"{who} speaks", says, "a sentence → a key and a value")
        sentence, found_by, said = MEETING[who]
        r = people.index(who)
        story.put(heard, r, 0, sentence)
        story.put(keys, r, 0, found_by, f"{who}’s first card, the topic:", [heard.key(r, 0)])
        story.put(values, r, 0, said, f"{who}’s second card, what is said about it:", [heard.key(r, 0)])

    def ask(t: int, says: str) -> None:
        asked, who = list(QUESTIONS.items())[t]
        r = people.index(who)
        signs = "the query and all keys → the value of the key that fits best"
        story.step(f"The {times[t]} question", says, signs)
        story.put(question, t, 0, asked)
        how = f"{who}’s first card fits the question best, so she reads {HIS[who]} second:"
        sources = [question.key(t, 0), keys.key(r, 0), values.key(r, 0)]
        story.put(answer, t, 0, values.show(r, 0), how, sources)

    hear("Anna", "The interpreter writes two cards about the sentence, and both go into the box.")
    hear("Bruno", "Two more cards go into the box. Anna’s stay as they are.")
    ask(0, "She holds the question against all first cards. Bruno’s fits best, so she uses his second card.")
    hear("Clara", "The question was thrown away. All cards are kept, and two new ones are added.")
    story.drop(question, 0)
    ask(1, "A new question is held against all first cards, the oldest too. This time Anna’s fits best.")
    return story


FIGURE = stepper("card_steps", "The box of cards fills", cards())
