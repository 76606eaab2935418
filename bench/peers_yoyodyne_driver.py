"""Yoyodyne's side of `peers_yoyodyne`: runs in Yoyodyne's own venv and imports nothing of ours.

Reads commands on standard input, one per line, and answers each with one line of JSON: `train N` takes the first N of
the training batches, `decode` writes a fixed number of symbols for every word. The training step is Yoyodyne's model
in a bare loop (forward, backward, clip, its own Adam): Lightning's trainer would only add to its time.
"""

# mypy: ignore-errors

import contextlib
import json
import logging
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")
logging.disable(logging.WARNING)

with contextlib.redirect_stdout(sys.stderr):
    import torch
    import yoyodyne.data
    import yoyodyne.models
    import yoyodyne.models.modules as modules


def build(settings, folder):
    """Yoyodyne's data module and its hard attention LSTM: monotonic, first-order with the given context."""
    features = 3 if settings["tags"] else 0
    module = yoyodyne.data.DataModule(
        model_dir=folder,
        train=settings["train"],
        val=settings["words"],
        features_col=features,
        batch_size=settings["batch"],
    )
    sizes = {"embedding_size": settings["embedding"], "dropout": settings["dropout"]}
    model = yoyodyne.models.HardAttentionLSTMModel(
        attention_context=settings["context"],
        enforce_monotonic=True,
        embedding_size=settings["embedding"],
        decoder_hidden_size=settings["hidden"],
        decoder_layers=1,
        decoder_dropout=settings["dropout"],
        source_encoder=modules.LSTMEncoder(hidden_size=settings["hidden"], layers=2, **sizes),
        features_encoder=modules.LinearEncoder(**sizes) if features else False,
        target_vocab_size=module.target_vocab_size,
        vocab_size=module.vocab_size,
    )
    return module, model


def collated(loader, batch_size, *, shuffle):
    """Its loader's batches, made beforehand in this process: loading is not what is measured, on either side."""
    torch.manual_seed(1)
    plain = torch.utils.data.DataLoader(
        loader.dataset, batch_size=batch_size, shuffle=shuffle, collate_fn=loader.collate_fn
    )
    return list(plain)


def spread(batches, count):
    """Batches at even quantiles of |x|·|y|, by the same rule as ours: a few at random prove nothing."""
    full = [batch for batch in batches if len(batch) == len(batches[0])]
    full.sort(key=lambda batch: batch.source.tensor.shape[1] * batch.target.tensor.shape[1])
    count = min(count, len(full))
    return [full[int((place + 0.5) * len(full) / count)] for place in range(count)]


def encode(model, batch):
    """What its `forward` does before decoding; `forward` itself needs a Lightning trainer outside training."""
    encoded = model.source_encoder(batch.source, model.embeddings, is_source=True)
    if model.has_features_encoder:
        features = model.features_encoder(batch.features, model.embeddings, is_source=False)
        features = features.mean(dim=1, keepdim=True).expand(-1, encoded.size(1), -1)
        encoded = torch.cat((encoded, features), dim=2)
    return encoded


def main():
    """Build, say so, then do as told."""
    settings = json.loads(sys.argv[1])
    torch.set_num_threads(settings["threads"])
    torch.manual_seed(0)
    with tempfile.TemporaryDirectory() as folder:
        with contextlib.redirect_stdout(sys.stderr):
            module, model = build(settings, folder)
        optimizer = model.configure_optimizers()[0][0]
        training = spread(collated(module.train_dataloader(), settings["batch"], shuffle=True), settings["theirs"])
        words = collated(module.val_dataloader(), settings["batch"], shuffle=False)
        answer(parameters=sum(p.numel() for p in model.parameters()))
        for line in sys.stdin:
            command, *arguments = line.split()
            count, symbols = 0, 0
            started = time.perf_counter()
            if command == "train":
                model.train()
                for batch in training[: int(arguments[0])]:
                    loss = model(batch)
                    loss.backward()
                    torch.nn.utils.clip_grad_norm_(model.parameters(), 5.0)
                    optimizer.step()
                    optimizer.zero_grad()
                    loss.item()
                    count += len(batch)
            else:
                model.eval()
                with torch.inference_mode():
                    for batch in words:
                        steps = settings["steps"]
                        written = model.greedy_decode(encode(model, batch), batch.source.mask, target_length=steps)
                        count += len(written)
                        symbols += written.numel()
            answer(seconds=time.perf_counter() - started, count=count, symbols=symbols)


def answer(**values):
    """One line of JSON."""
    print(json.dumps(values), flush=True)


if __name__ == "__main__":
    main()
