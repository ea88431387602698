"""Words, code, paths and ids that no one ever wrote, in the lengths and with the escapes of real transcripts."""

import json
import math
import random
import string
from datetime import UTC, datetime
from functools import cache
from typing import Any

START = 1_767_225_600_000  # 2026-01-01 in milliseconds
ONSETS = (
    "b",
    "br",
    "d",
    "dr",
    "f",
    "g",
    "gl",
    "k",
    "kr",
    "l",
    "m",
    "n",
    "p",
    "pl",
    "r",
    "s",
    "st",
    "t",
    "tr",
    "v",
    "z",
)
VOWELS = ("a", "e", "i", "o", "u", "ai", "ei", "ou", "é", "ö")
VOWEL_SHARES = (20, 20, 18, 18, 12, 4, 3, 3, 1, 1)
ENDS = ("", "", "n", "r", "s", "l", "k", "nd", "rt")
BETWEEN = (
    " ",
    ", ",
    ". ",
    '. "',
    '" ',
    " (",
    ") ",
    " `",
    "` ",
    "\n",
    "\n\n- ",
    "\n\n",
    " — ",
    " → ",
    "'s ",
    ": ",
    " ✓ ",
    "…",
)
BETWEEN_SHARES = (800, 60, 50, 6, 6, 4, 4, 8, 8, 10, 6, 6, 2, 1, 6, 5, 0.5, 0.5)
CODE = (
    "    {0} = {1}({2}, {3}={4})\n",
    "def {0}_{1}({2}: {3}, {4}: str | None = None) -> {0}:\n",
    '    raise {0}Error(f"{1} {{{2}!r}} is no \\"{3}\\" of {4}\\n")\n',
    "    if {0}.{1} is not None and {2}[{3}] != '{4}':\n",
    "        return [{0} for {0} in {1}.{2}() if {0}.{3}]  # {4}\n",
    '\t{0} := {1}.{2}("{3}", &{4})\n',
    'const {0} = await {1}.{2}(`/{3}/${{{4}}}`, {{ "retry": true }});\n',
    "    # {0} {1} {2}: {3} — {4}\n",
    "\n",
)
POOL = 600_000


class Pools:
    """What all texts are cut out of."""

    def __init__(self) -> None:
        rng = random.Random(1)
        made = {self._word(rng) for _ in range(3_000)}
        self.words = sorted(made)
        rng.shuffle(self.words)
        # As in any language, a few words make up most of a text.
        shares = [1 / (place + 3) for place in range(len(self.words))]
        common = rng.choices(self.words, shares, k=POOL // 6)
        between = rng.choices(BETWEEN, BETWEEN_SHARES, k=len(common))
        lines = [rng.choice(CODE).format(*rng.choices(self.words, shares, k=5)) for _ in range(POOL // 45)]
        self.prose = "".join(part for pair in zip(common, between, strict=True) for part in pair)
        self.code = "".join(lines)
        self.numbered = "".join(f"{number % 2_000:>6}→{line}" for number, line in enumerate(lines))
        self.base64 = "".join(rng.choices(string.ascii_letters + string.digits + "+/", k=POOL))
        parts = [(f" {word[:4]}", word[4:], gap.strip()) for word, gap in zip(common, between, strict=True)]
        self.tokens = [token for part in parts for token in part if token]

    def _word(self, rng: random.Random) -> str:
        parts = [
            rng.choice(ONSETS) + rng.choices(VOWELS, VOWEL_SHARES)[0] + rng.choice(ENDS)
            for _ in range(rng.choices((1, 2, 3), (4, 5, 2))[0])
        ]
        return "".join(parts)


pools = cache(Pools)


class Wording:
    """Texts of any length, cut at random places out of pools that are made once; times that go on; ids."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.now = START
        self._pools = pools()
        self.words, self.tokens = self._pools.words, self._pools.tokens

    def length(self, median: int, most: int, spread: float = 1.0) -> int:
        """A length with a long tail."""
        return max(1, min(most, int(self.rng.lognormvariate(math.log(median), spread))))

    def prose(self, length: int) -> str:
        return self._cut(self._pools.prose, length)

    def code(self, length: int) -> str:
        return self._cut(self._pools.code, length)

    def numbered(self, length: int) -> str:
        """Code as tools show it, every line with its number."""
        return self._cut(self._pools.numbered, length)

    def base64(self, length: int) -> str:
        return self._cut(self._pools.base64, length)

    def _cut(self, pool: str, length: int) -> str:
        start = int(self.rng.random() * (len(pool) - min(length, len(pool) // 2)))
        text = pool[start : start + length]
        while len(text) < length:
            text += pool[: length - len(text)]
        return text

    def word(self) -> str:
        return self.words[int(self.rng.random() ** 2 * len(self.words))]

    def path(self) -> str:
        return f"/home/dev/{self.word()}/src/{self.word()}/{self.word()}_{self.word()}.py"

    def command(self) -> str:
        return f"rg -n \"{self.word()}\\\\b\" {self.path()} | head -{1 + self.draw(90)} && pytest -k '{self.word()}'"

    def draw(self, below: int) -> int:
        return int(self.rng.random() * below)

    def happens(self, share: float) -> bool:
        return self.rng.random() < share

    def uuid(self) -> str:
        digits = f"{self.rng.getrandbits(128):032x}"
        return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"

    def id(self, start: str, length: int = 24) -> str:
        return start + f"{self.rng.getrandbits(4 * length):0{length}x}"

    def milliseconds(self, most: int = 4_000) -> int:
        """The next moment."""
        self.now += 1 + self.draw(most)
        return self.now

    def time(self, most: int = 4_000) -> str:
        """The next moment as text; one in two hundred was written late."""
        moment = self.milliseconds(most) - (5_000 if self.happens(0.005) else 0)
        return datetime.fromtimestamp(moment / 1000, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def compact(value: Any) -> str:
    """JSON as these tools write it inside texts."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
