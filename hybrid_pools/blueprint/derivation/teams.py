"""Teams: names are worked out once, so that namespaces, folders and identities cannot disagree."""

from collections.abc import Mapping

from hybrid_pools.blueprint.configuration.teams import TeamConfiguration
from hybrid_pools.blueprint.model import Team
from hybrid_pools.blueprint.vocabulary import TRAINING_SERVICE_ACCOUNT, team_folder, team_namespace


def derive_teams(teams: Mapping[str, TeamConfiguration]) -> tuple[Team, ...]:
    """The teams, sorted by name."""
    return tuple(
        Team(
            name=name,
            namespace=team.namespace or team_namespace(name),
            service_account=TRAINING_SERVICE_ACCOUNT,
            spot=team.spot,
            researchers=team.researchers,
            training_engineers=team.training_engineers,
            folder=team_folder(name),
        )
        for name, team in sorted(teams.items())
    )
