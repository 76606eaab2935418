"""Decoding: from a model and sources to strings with true probabilities. Knows numpy arrays only, no torch.

Everything is imported on first use, so that the command line can list the decoders without loading numpy.
"""

from typing import TYPE_CHECKING

from isotone.lazy import lazy_names

if TYPE_CHECKING:
    from isotone.decoding.align import align_examples, sample_alignments
    from isotone.decoding.beam import beam_search
    from isotone.decoding.constraint import AllowedSymbols, Constraint, Trie
    from isotone.decoding.copying import spell
    from isotone.decoding.decoders import DECODERS, Beam, Decoder, Exact, Greedy, decoder_named
    from isotone.decoding.draw import draw_targets
    from isotone.decoding.exact import exact_search
    from isotone.decoding.greedy import greedy_search
    from isotone.decoding.hypothesis import Decoded, Hypothesis
    from isotone.decoding.judge import References
    from isotone.decoding.lexicon import Lexicon
    from isotone.decoding.mixture import Mixture, shares
    from isotone.decoding.predict import predict_examples
    from isotone.decoding.protocol import Aligned, Model
    from isotone.decoding.sample import sample_strings
    from isotone.decoding.score import log_probs, score_examples
    from isotone.decoding.space import SearchSpace
    from isotone.decoding.surprise import surprisals
    from isotone.decoding.temperature import Fit, fit_temperature
    from isotone.decoding.tempered import Tempered

__all__ = [
    "DECODERS",
    "Aligned",
    "AllowedSymbols",
    "Beam",
    "Constraint",
    "Decoded",
    "Decoder",
    "Exact",
    "Fit",
    "Greedy",
    "Hypothesis",
    "Lexicon",
    "Mixture",
    "Model",
    "References",
    "SearchSpace",
    "Tempered",
    "Trie",
    "align_examples",
    "beam_search",
    "decoder_named",
    "draw_targets",
    "exact_search",
    "fit_temperature",
    "greedy_search",
    "log_probs",
    "predict_examples",
    "sample_alignments",
    "sample_strings",
    "score_examples",
    "shares",
    "spell",
    "surprisals",
]

__getattr__ = lazy_names(
    __name__,
    {
        ".align": ("align_examples", "sample_alignments"),
        ".beam": ("beam_search",),
        ".constraint": ("AllowedSymbols", "Constraint", "Trie"),
        ".copying": ("spell",),
        ".decoders": ("DECODERS", "Beam", "Decoder", "Exact", "Greedy", "decoder_named"),
        ".draw": ("draw_targets",),
        ".exact": ("exact_search",),
        ".greedy": ("greedy_search",),
        ".hypothesis": ("Decoded", "Hypothesis"),
        ".judge": ("References",),
        ".lexicon": ("Lexicon",),
        ".mixture": ("Mixture", "shares"),
        ".predict": ("predict_examples",),
        ".protocol": ("Aligned", "Model"),
        ".sample": ("sample_strings",),
        ".score": ("log_probs", "score_examples"),
        ".space": ("SearchSpace",),
        ".surprise": ("surprisals",),
        ".temperature": ("Fit", "fit_temperature"),
        ".tempered": ("Tempered",),
    },
)
