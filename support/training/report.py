"""What a diagnosis says: findings with their numbers; and what two losses and the floor say after a run."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Finding:
    """One fault.

    Attributes:
        fault: its name, such as ``"leak"``.
        value: the number that shows it.
        sentence: what was found, and what to look at.
    """

    fault: str
    value: float
    sentence: str


@dataclass
class Report:
    """What `diagnose` found, the likeliest cause first.

    Attributes:
        findings: in the order of the tests. A fault often has consequences that are found, too, so the first
            one is to be mended first.
        measured: every number that was looked at, by name.
    """

    findings: list[Finding] = field(default_factory=list)
    measured: dict[str, float] = field(default_factory=dict)

    @property
    def first(self) -> str:
        """The name of the fault to look at first; ``"none"`` if nothing was found.

        >>> Report().first
        'none'
        """
        return self.findings[0].fault if self.findings else "none"

    def __str__(self) -> str:
        return "\n".join(f"{f.fault}: {f.sentence}" for f in self.findings) or "nothing found"

    def add(self, fault: str, value: float, sentence: str) -> None:
        """Note a finding."""
        self.findings.append(Finding(fault, value, sentence))


def read_losses(
    training: float, held_out: float, floor: float, *, error: float = 0.02, near: float = 0.1
) -> Report:
    """What the losses at the end of a run say, if the entropy of the data is known.

    No predictor can expect a loss below the entropy on new text. So a held-out loss below it proves a leak,
    and a training loss below it proves that the texts themselves are known by heart.

    Args:
        training: the loss on texts that were trained on, nats per token.
        held_out: the loss on new texts.
        floor: the loss of the true distribution on the held-out texts (`support.worlds.loss_floor`).
        error: three standard errors of the difference between a loss and the floor.
        near: how far above the floor a model may stay and still be called good.

    >>> [read_losses(*ends, floor=1.18).first for ends in ((0.14, 5.3), (0.04, 0.05), (2.5, 2.5))]
    ['overfitting', 'leak', 'underfitting']
    """
    report = Report(measured={"training − floor": training - floor, "held-out − floor": held_out - floor})
    if not held_out > floor - error:
        report.add(
            "leak", held_out - floor, "held-out loss below the entropy: the model sees what it predicts."
        )
    elif training < floor - error:
        report.add(
            "overfitting", held_out - training, "training loss below the entropy: texts learned by heart."
        )
    elif held_out - training > max(error, near):
        report.add("overfitting", held_out - training, "new texts are predicted worse than those trained on.")
    elif held_out > floor + max(error, near):
        sentence = "both losses are far above the entropy: train longer, faster, or a larger model."
        report.add("underfitting", held_out - floor, sentence)
    return report
