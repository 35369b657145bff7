"""Which passes of the optimizer change anything in which golden text or pair.

`python -m tests.optimize.firing` prints it for all of them, which takes a minute or two.
"""

import gast

from tapeless import optimize, pipeline
from tapeless.optimize.analyses import version_of
from tests import test_golden, test_pairs

# Passes over whole modules or halves of splits, and where they are called
OF_MODULES = (
    (pipeline, "construct_plainly"),
    (pipeline, "drop_handed_parts"),
    (pipeline, "drop_idle_comments"),
    (pipeline, "drop_idle_halves"),
    (pipeline, "drop_unread_parameters"),
    (pipeline, "drop_unused_state"),
    (pipeline, "merge_handed_saves"),
    (pipeline, "share_functions"),
    (optimize, "splice_returns"),
    (optimize, "return_in_branches"),
    (optimize, "go_through_saves"),
    (optimize, "keep_shapes"),
)
NAMES = [each.__name__ for each in optimize.PASSES] + [key for _, key in OF_MODULES]


def dumped(x):
    if isinstance(x, gast.AST):
        return gast.dump(x)
    if isinstance(x, dict):
        return {key: dumped(item) for key, item in x.items()}
    return [dumped(item) for item in x] if isinstance(x, (list, tuple)) else None


def noting(each, fired):
    """Wrap a pass over one function so that it is noted when it edits it."""

    def noted(function, context):
        before = version_of(function, context)
        changed = each(function, context)
        if changed and version_of(function, context) != before:
            fired.add(each.__name__)
        return changed

    noted.__name__ = each.__name__
    return noted


def noting_in_module(each, fired):
    """Wrap a pass so that it is noted when it edits what it is given, or returns something else."""

    def noted(*args):
        before = dumped(args)
        made = each(*args)
        given = before[: len(made)] if isinstance(made, tuple) else before[0]
        if dumped(args) != before or (not isinstance(made, bool) and dumped(made) != given):
            fired.add(each.__name__)
        return made

    return noted


def watch(patch):
    """Have all passes noted in the set that is returned; `patch` is pytest's `monkeypatch`."""
    fired = set()
    passes = [noting(each, fired) for each in optimize.PASSES]
    patch.setattr(optimize, "PASSES", tuple(passes))
    for where, key in OF_MODULES:
        patch.setattr(where, key, noting_in_module(getattr(where, key), fired))
    return fired


def write(text):
    """Write the golden text `family-function-mode`, or the pair of that name."""
    if text in test_pairs.NAMES:
        test_pairs.generated_text(text, test_pairs.load(text))
    else:
        test_golden.written(*text.split("-"))


def main():
    import pytest

    golden = [
        f"{name}-{key}-{mode}" for name, key in test_golden.CASES for mode in test_golden.MODES
    ]
    where = {name: [] for name in NAMES}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TAPELESS_CACHE", "0")
        fired = watch(patch)
        for text in [*golden, *test_pairs.NAMES]:
            fired.clear()
            write(text)
            for name in fired:
                where[name].append(text)
    for name, texts in where.items():
        print(f"{len(texts):4} {name}: {', '.join(texts[:3])}")


if __name__ == "__main__":
    main()
