"""Residual networks: bottlenecks, the number of their parameters, and files of weights."""

import dezero_nn.functions as F  # noqa: N812
import numpy as np
import pytest
from dezero_nn.models import ResNet, ResNet50, ResNet101, ResNet152
from dezero_nn.models.images import Bottleneck, BuildingBlock

from dezero_core import no_grad
from dezero_nn import optimizers
from dezero_nn import test_mode as in_test_mode
from dezero_replay import compiled

BLOCKS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}


def numbers(n_layers):
    """Return how many numbers the parameters have, by the table of the paper."""
    total, channels = 3 * 64 * 49 + 2 * 64, 64
    for count, mid in zip(BLOCKS[n_layers], (64, 128, 256, 512), strict=True):
        out = 4 * mid
        for number in range(count):
            sizes = [channels * mid, 9 * mid * mid, mid * out]
            norms = [mid, mid, out]
            if number == 0:
                sizes.append(channels * out)
                norms.append(out)
            total += sum(sizes) + 2 * sum(norms)
            channels = out
    return total + (channels + 1) * 1000


def test_resnet50_has_the_parameters_of_the_paper(zeros, tmp_path):
    model = ResNet50(rng=zeros)
    with in_test_mode(), no_grad():
        assert model(np.ones((1, 3, 32, 32), np.float32)).shape == (1, 1000)
    assert sum(each.size for each in model.params()) == numbers(50) == 25_557_032
    for each in model.params():  # small files: one channel is there of those that are not known
        each.data = each.data[:, :1].copy() if each.ndim == 4 else each.data[:1].copy()
    model.fc6.b.data = np.full(1000, 7.0, np.float32)
    model.save_weights(tmp_path / "resnet50")
    loaded = ResNet50(tmp_path / "resnet50")  # .npz is added, as by save_weights
    np.testing.assert_array_equal(loaded.fc6.b.data, model.fc6.b.data)
    assert [name for name, _ in loaded.variables()] == [name for name, _ in model.variables()]


@pytest.mark.parametrize(("make", "n_layers"), [(ResNet50, 50), (ResNet101, 101), (ResNet152, 152)])
def test_each_has_as_many_layers_as_its_name_says(make, n_layers):
    model = make()
    convolutions = [name for name, _ in model.variables() if "conv" in name]
    ways_around = [name for name in convolutions if "conv4" in name]
    assert len(convolutions) - len(ways_around) + 1 == n_layers
    assert len(ways_around) == 4
    blocks = model.res2, model.res3, model.res4, model.res5
    assert [len(vars(block)) for block in blocks] == list(BLOCKS[n_layers])
    assert repr(model).removeprefix(make.__name__) == repr(ResNet(n_layers))[len("ResNet") :]


def drawn(layer, x):
    """Call a layer, so that it has weights, and draw those of all norms."""
    layer(x)
    rng = np.random.default_rng(0)
    for _, each in layer.variables():
        if each.ndim == 1:
            each.data = rng.uniform(0.5, 2.0, each.shape).astype(each.dtype)
    return layer


@pytest.mark.parametrize(("projects", "stride"), [(False, 1), (True, 1), (True, 2)])
def test_a_bottleneck_adds_its_input_to_three_convolutions_with_norms(projects, stride):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(2, 4, 6, 6)).astype(np.float32)
    layer = drawn(Bottleneck(3, 8 if projects else 4, stride, projects, rng=rng), x)

    def normalized(conv, bn, x, stride, pad):
        y = F.conv2d(x, conv.W.data, None, stride, pad).data
        scale, *others = (
            each.data[:, None, None] for each in (bn.gamma, bn.beta, bn.avg_mean, bn.avg_var)
        )
        beta, mean, var = others
        return scale * (y - mean) / np.sqrt(var + 2e-5) + beta

    h = np.maximum(normalized(layer.conv1, layer.bn1, x, stride, 0), 0)
    h = np.maximum(normalized(layer.conv2, layer.bn2, h, 1, 1), 0)
    h = normalized(layer.conv3, layer.bn3, h, 1, 0)
    beside = normalized(layer.conv4, layer.bn4, x, stride, 0) if projects else x
    with in_test_mode():
        y = layer(x).data
    np.testing.assert_allclose(y, np.maximum(h + beside, 0), rtol=1e-4, atol=1e-5)
    assert y.shape == (2, 8 if projects else 4, 6 // stride, 6 // stride)


def trained(compile_step):
    model = BuildingBlock(2, 2, 4, 2, rng=np.random.default_rng(0))
    optimizer = optimizers.SGD(0.1).setup(model)

    def step(x):
        y = model(x)
        loss = F.sum(y * y)
        model.cleargrads()
        loss.backward()
        optimizer.update()
        model.cleargrads()
        return loss

    if compile_step:
        step = compiled(step, strict=True)
    data = np.random.default_rng(2)
    losses = [step(data.normal(size=(2, 3, 5, 5)).astype(np.float32)).data for _ in range(5)]
    if compile_step:
        assert step.stats["replayed"] > 0
    return [*losses, *(each.data for _, each in model.variables())]


def test_a_compiled_step_of_a_building_block_has_the_same_bits():
    for mine, others in zip(trained(False), trained(True), strict=True):
        np.testing.assert_array_equal(mine, others, strict=True)


def test_another_number_of_layers_is_refused():
    with pytest.raises(ValueError, match="50, 101 or 152 layers, got n_layers=34"):
        ResNet(34)


def test_pretrained_weights_are_not_downloaded():
    with pytest.raises(FileNotFoundError, match=r"ResNet101\(weights='resnet101.npz'\)"):
        ResNet101(pretrained=True)
