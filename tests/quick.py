"""Training in seconds: a tiny network and a short recipe, through the same request as everything else."""

from isotone.api.training import Asked, Callback, Recipe, plan_job, run_job

RECIPE = Recipe(name="test", schedule="one-cycle", rate=0.01, epochs=3, batch_size=16, precision="auto", decode="exact")
TINY = {"recipe": RECIPE, "size": "tiny", "dropout": 0.1, "device": "cpu"}
"""For `isotone.train`."""
NAMED = ("recipe", "size", "device", "devices", "seed", "seeds", "threads", "distil", "keep_teacher", "start")
"""Fields of `Asked`; all others are changes."""


def fit(train, dev, folder, *, callbacks=(), mode="new", task="inflection", model="1-mono", **options):
    """Train into `folder`; how it ended. Options are fields of `Asked`, or of recipe and network, and `further`."""
    given = {**TINY, **options}
    named = {name: given.pop(name) for name in NAMED if name in given}
    further = given.pop("further", None)
    asked = Asked(task=task, model=model, **named, changes=given)
    job = plan_job(asked, folder, train=train, dev=dev, mode=mode, further=further)
    return run_job(job, callbacks)


class Stop(Callback):
    """Ctrl-C at a given batch of a given epoch."""

    def __init__(self, epoch, batch):
        self.at = (epoch, batch)

    def on_batch(self, event):
        if (event.epoch, event.batch) == self.at:
            raise KeyboardInterrupt
