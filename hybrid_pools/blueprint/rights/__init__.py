"""What grants add up to: from roles and places to what a holder can really do."""

from hybrid_pools.blueprint.rights.binding import Binding, Place, PlaceKind
from hybrid_pools.blueprint.rights.effective import Held, effective_rights
from hybrid_pools.blueprint.rights.roles import PERMISSIONS, Right, UnknownRole, known_roles, rights_of

__all__ = [
    "PERMISSIONS",
    "Binding",
    "Held",
    "Place",
    "PlaceKind",
    "Right",
    "UnknownRole",
    "effective_rights",
    "known_roles",
    "rights_of",
]
