"""Each place is in one store."""

from __future__ import annotations

import pytest

from reverie.model.ids import Store
from reverie.model.place import (
    Core,
    Episodic,
    Place,
    Procedural,
    Semantic,
    Vault,
    store_of,
)

PLACES: list[tuple[Place, Store]] = [
    (Episodic(), Store.EPISODIC),
    (Semantic("Alex"), Store.SEMANTIC),
    (Procedural("deploy"), Store.PROCEDURAL),
    (Vault(), Store.VAULT),
    (Core(), Store.CORE),
]


@pytest.mark.parametrize(("place", "store"), PLACES)
def test_a_place_knows_its_store(place: Place, store: Store) -> None:
    assert store_of(place) is store
