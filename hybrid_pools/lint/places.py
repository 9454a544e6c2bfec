"""Where in a file something stands that a rule names by its path."""

import yaml


def place_of(root: yaml.Node, path: str) -> tuple[int, int]:
    """Line and column, from 1 in the document, of what a path names below a node; of the nearest thing above it that there is.

    Args:
        path: As rules spell it: keys, which may have dots themselves, and indices, as in `spec.replicatedJobs[0].template`.
    """
    mark = _found(root, path, root.start_mark)
    return mark.line + 1, mark.column + 1


def _found(node: yaml.Node, path: str, mark: yaml.Mark) -> yaml.Mark:
    if not path:
        return mark
    if isinstance(node, yaml.SequenceNode) and path.startswith("["):
        number, _, rest = path[1:].partition("]")
        if number.isdigit() and int(number) < len(node.value):
            element = node.value[int(number)]
            return _found(element, rest.removeprefix("."), element.start_mark)
    if isinstance(node, yaml.MappingNode):
        pairs = [(key, value) for key, value in _pairs(node) if isinstance(key, yaml.ScalarNode) and _begins(path, key.value)]
        if pairs:
            key, value = max(pairs, key=lambda pair: len(pair[0].value))
            return _found(value, path[len(key.value) :].removeprefix("."), key.start_mark)
    return mark


def _pairs(node: yaml.MappingNode) -> list[tuple[yaml.Node, yaml.Node]]:
    """The keys and values of a mapping, then those that it gets from others."""
    own = [pair for pair in node.value if pair[0].value != "<<"]
    for key, value in node.value:
        if key.value == "<<":
            for source in value.value if isinstance(value, yaml.SequenceNode) else [value]:
                own += _pairs(source) if isinstance(source, yaml.MappingNode) else []
    return own


def _begins(path: str, key: str) -> bool:
    return path == key or (path.startswith(key) and path[len(key)] in ".[" and bool(key))
