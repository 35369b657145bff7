"""Names: which are bound and read, and which are free."""

from tapeless.tree.names import Names


def test_fresh_names_are_the_lowest_that_are_free():
    names = Names(["v", "v_1", "v_3"])
    assert [names.fresh("v") for _ in range(3)] == ["v_2", "v_4", "v_5"]
    names.taken -= {"v_2"}
    assert names.fresh("v") == "v_2"
    names.taken = {"v"}
    assert [names.fresh("v"), names.fresh("u"), names.fresh("v")] == ["v_1", "u", "v_2"]
