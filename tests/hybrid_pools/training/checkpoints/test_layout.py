import pytest
from hypothesis import given
from hypothesis import strategies as st

from hybrid_pools.training.checkpoints.errors import AddressError
from hybrid_pools.training.checkpoints.layout import Layout, Name, check_step

NAMES = st.builds(Name, st.integers(1, 10**8 - 1), st.integers(0, 10**12 - 1))


@pytest.mark.parametrize(
    "uri",
    [
        "gs://acme-checkpoints/runs/vision/resnet",
        "gs://acme-checkpoints/runs/vision/resnet/",
        "gs://a.b-c/runs/t/a/b",
        "file:///mnt/shared disk/runs/vision/resnet/",
    ],
)
def test_takes_an_address_of_a_run(uri):
    assert Layout.parse(uri).uri == uri.removesuffix("/")


@pytest.mark.parametrize(
    "uri",
    [
        "",
        "acme/runs/vision/resnet",
        "s3://acme/runs/vision/resnet",
        "gs:///runs/vision/resnet",
        "gs://acme",
        "gs://acme/runs/vision",
        "gs://acme/runs/vision/",
        "gs://acme/models/vision/resnet",
        "gs://acme/runs//resnet",
        "gs://acme/runs/vision/../speech",
        "gs://ACME/runs/vision/resnet",
        "file:///runs/vision/resnet",
        "file://mnt/runs/vision/resnet",
        "file:///mnt/runs/vision",
        "file:///mnt/runs/vision/../speech",
    ],
)
def test_refuses_another_address_and_says_how_one_reads(uri):
    with pytest.raises(AddressError, match="gs://BUCKET/runs/TEAM/RUN"):
        Layout.parse(uri)


@pytest.mark.parametrize("folder", ["/mnt", "/mnt/runs/old", "/mnt/runs"])
def test_a_local_folder_is_the_bucket_up_to_the_last_runs(folder):
    layout = Layout.parse(f"file://{folder}/runs/vision/resnet")
    assert (layout.bucket, layout.folder) == (folder, "runs/vision/resnet/")


@given(NAMES)
def test_reads_back_every_name(name):
    assert Name.parse(str(name)) == name


@given(st.lists(NAMES))
def test_names_sort_as_texts_do(names):
    assert [str(name) for name in sorted(names)] == sorted(str(name) for name in names)


@given(NAMES, NAMES)
def test_a_later_attempt_comes_later_whatever_its_step(one, other):
    if one.epoch < other.epoch:
        assert one < other


@pytest.mark.parametrize("step", [-1, 10**12])
def test_refuses_a_step_that_no_name_holds(step):
    with pytest.raises(AddressError, match="out of range"):
        check_step(step)
