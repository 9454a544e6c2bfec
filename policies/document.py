"""`docs/policies.md`: every rule of the pack, made from the rules themselves."""

import json
from collections.abc import Iterator

from hybrid_pools.documents.markdown import code, document, table
from policies.rule import Rule
from policies.rules import all_rules

_RUN = """\
`pulumi preview --policy-pack policies` and `pulumi up --policy-pack policies` judge what is about to be done,
`pulumi policy analyze --policy-pack policies --file state.json` what a stack has become (`pulumi stack export` writes the file).

- **Mandatory** rules stop the operation: the mistake opens a door, costs money, or can only be mended by replacing nodes.
- **Advisory** rules print a message: the value can be changed in place at any time, or there are good reasons to differ.
- What is **not known yet** in a preview, such as the e-mail of a new account, is said as advice and judged as soon as it is known.
- A value of the wrong type is **not understood**, which counts as a violation.
- `FLEET` rules, KUBERNETES-008, KUBERNETES-010 and KUBERNETES-012 look at all resources together, and last: a preview finds the
  violation, an `up` only after resources were made."""

_CONFIGURATION = """\
A JSON file, given with `--policy-pack-config`, sets the level of a rule (`mandatory`, `advisory`, `disabled`) and its settings.
`all` sets the level of every rule. A rule id or a setting that does not exist is refused; where an unknown id has settings but no level,
the engine itself says `invalid enforcement level`."""


def render() -> str:
    """The document."""
    rules = all_rules()
    return document(
        "Policies",
        "`policies/`",
        _RUN,
        "## Rules",
        table(("Id", "Rule", "Level"), ((f"[{rule.id}](#{rule.id.lower()})", rule.title, rule.severity) for rule in rules)),
        "## Configuration",
        _CONFIGURATION,
        f"```json\n{json.dumps(_example(rules), indent=2)}\n```",
        table(
            ("Rule", "Setting", "Meaning", "Default"),
            (
                (rule.id, code(setting.key), setting.meaning, code(json.dumps(setting.default)))
                for rule in rules
                for setting in rule.settings
            ),
        ),
        *(part for rule in rules for part in _section(rule)),
    )


def _example(rules: tuple[Rule, ...]) -> dict[str, object]:
    configured = next(rule for rule in rules if rule.settings)
    levelled = next(rule for rule in rules if not rule.settings)
    settings = {setting.key: setting.default for setting in configured.settings}
    return {configured.id: {"enforcementLevel": configured.severity.value, **settings}, levelled.id: "advisory"}


def _section(rule: Rule) -> Iterator[str]:
    yield f"### {rule.id}"
    yield f"**{rule.title}.** ({rule.severity})"
    yield f"Why: {rule.why}"
    yield f"Fix: {rule.fix}"
    if rule.links:
        yield "\n".join(f"- <{link}>" for link in rule.links)
