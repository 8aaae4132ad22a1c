"""Looking inside: traces, the logit lens, ablation; concept planes, maps and probes."""

from support.inside.trace import Trace, ablate, logit_lens, trace

__all__ = ["Trace", "ablate", "logit_lens", "trace"]
