"""What every registered kind must do, whatever it is. A new kind is tested here the moment it is registered."""

import contextlib
import io
import random
import xml.etree.ElementTree
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from dovetail import pipeline, reading
from dovetail.core import registry, settings
from dovetail.core.errors import BadInput, BadUsage
from dovetail.core.puzzle import SHAPES, Puzzle, solution_from_json, solution_to_json
from support.command import dovetail
from support.mutations import mutations
from support.registered import KINDS, SAMPLES, answered, sample

each_kind = pytest.mark.parametrize("name", KINDS)
each_sample = pytest.mark.parametrize(("name", "sample_name"), SAMPLES)


@each_kind
def test_says_what_it_is(name: str) -> None:
    kind = registry.kind(name)
    assert kind.name == name
    assert kind.title and kind.rules and kind.family
    assert kind.solution_shape in SHAPES
    assert kind.samples(), "a kind ships at least one sample"
    assert kind.demo is None or kind.demo in kind.samples()


def test_every_family_has_a_demo() -> None:
    shown = {registry.kind(name).family for name in KINDS if registry.kind(name).demo}
    assert shown == set(registry.families())


def test_sample_names_are_unique() -> None:
    assert max(Counter(sample_name for _, sample_name in SAMPLES).values()) == 1


@each_kind
def test_settings_of_reader_and_solvers_do_not_clash(name: str) -> None:
    kind = registry.kind(name)
    read = set(settings.names(kind.reading_type))
    for solver in registry.solvers(kind.family):
        assert not read & set(settings.names(solver.settings_type)), "--set could not tell which is meant"


@each_sample
def test_samples_are_found_by_name_and_survive_a_round_trip(name: str, sample_name: str) -> None:
    puzzle = pipeline.read(sample_name)
    assert puzzle.kind == name
    again = registry.kind(name).decode(puzzle.encode())
    assert again == puzzle
    assert again.digest == puzzle.digest
    assert puzzle.size


@each_sample
def test_samples_are_read_from_files_of_every_format(name: str, sample_name: str, tmp_path: Path) -> None:
    """A format may refuse a puzzle that it has no words for, but what it writes is the puzzle."""
    puzzle = sample(name, sample_name)
    written = written_as(puzzle)
    assert "json" in written
    assert len(written) > 1 or not registry.kind(name).formats(), "besides json, some format has words for it"
    for form, data in written.items():
        path = tmp_path / f"puzzle.{form}"
        path.write_bytes(data)
        assert pipeline.read(path) == puzzle, f"recognised by content as {form}"
        assert pipeline.read(path, kind=name) == puzzle


@each_kind
def test_every_format_has_words_for_some_puzzle(name: str, tmp_path: Path) -> None:
    """A sample, or what the generator makes."""
    kind = registry.kind(name)
    made, _ = answered(kind)
    for form, data in written_as(made).items():
        path = tmp_path / f"puzzle.{form}"
        path.write_bytes(data)
        assert pipeline.read(path) == made, f"recognised by content as {form}"
    used = {form for puzzle in (made, *(build() for build in kind.samples().values())) for form in written_as(puzzle)}
    assert used == {"json", *(f.name for f in kind.formats())}


def written_as(puzzle: Puzzle) -> dict[str, bytes]:
    """The puzzle in every format that can express it."""
    written = {}
    for form in ["json", *(f.name for f in registry.kind(puzzle.kind).formats())]:
        with contextlib.suppress(BadUsage):
            written[form] = pipeline.convert(puzzle, form)
    return written


@each_kind
def test_many_puzzles_in_one_file(name: str, tmp_path: Path) -> None:
    puzzles = [sample(kind, sample_name) for kind, sample_name in SAMPLES if kind == name] * 2
    path = tmp_path / "many.jsonl"
    path.write_bytes(b"".join(pipeline.convert(puzzle, "json") for puzzle in puzzles))
    assert reading.read_all(path)[0] == puzzles


@each_kind
def test_generator_is_repeatable(name: str) -> None:
    kind = registry.kind(name)
    defaults = kind.making_type()
    assert kind.make(defaults, seed=5) == kind.make(defaults, seed=5)
    assert kind.make(defaults, seed=5) != kind.make(defaults, seed=6)


@each_kind
def test_checker_accepts_the_planted_answer_and_no_mutation_of_it(name: str) -> None:
    kind = registry.kind(name)
    puzzle, planted = answered(kind)
    assert kind.check(puzzle, planted, planted).passes
    picture, seen = None, 0
    for what, mutated in mutations(planted):
        seen += 1
        if mutated == planted or not kind.check(puzzle, mutated, planted).passes:
            continue
        # turning a tile that looks alike from all sides changes nothing: then, and only then, may it pass
        picture = picture or kind.draw(puzzle, planted).svg()
        assert kind.draw(puzzle, mutated).svg() == picture, f"the checker let pass: {what}"
    assert seen


@each_kind
def test_solutions_survive_a_round_trip_and_stay_with_their_puzzle(name: str) -> None:
    kind = registry.kind(name)
    puzzle, planted = answered(kind)
    written = solution_to_json(planted, puzzle)
    assert solution_from_json(written, puzzle) == planted
    with pytest.raises(BadInput, match="another puzzle"):
        solution_from_json({**written, "puzzle": "0" * 64}, puzzle)


@each_kind
def test_checker_survives_solutions_of_every_shape(name: str) -> None:
    """A solution of the wrong shape or size is not valid, or refused with a sentence; never a crash."""
    kind = registry.kind(name)
    puzzle, _ = answered(kind)
    odd = [
        {"shape": "placement", "pieces": [], "turns": []},
        {"shape": "placement", "pieces": [[10**30]], "turns": [[-5]]},
        {"shape": "assignment", "values": []},
        {"shape": "assignment", "values": [10**30, None, -1]},
        {"shape": "moves", "moves": ["", "x" * 1000]},
        {"shape": "locations", "at": []},
        {"shape": "locations", "at": [[1e300, -5], [0.5, 0]]},
    ]
    for data in odd:
        solution = solution_from_json(data, puzzle)
        try:
            verdict = kind.check(puzzle, solution)
        except BadInput as error:
            assert str(error)
        else:
            assert not verdict.passes
        with contextlib.suppress(BadInput):
            kind.draw(puzzle, solution).svg()


@each_kind
def test_draws_png_and_svg(name: str) -> None:
    kind = registry.kind(name)
    puzzle, planted = answered(kind)
    for solution in (None, planted, next(mutated for _, mutated in mutations(planted))):
        drawing = kind.draw(puzzle, solution)
        with Image.open(io.BytesIO(drawing.png())) as image:
            image.load()
            assert image.width > 50
            assert len(image.convert("RGB").getcolors(2**24) or []) > 2, "a picture shows something"
        assert xml.etree.ElementTree.fromstring(drawing.svg()).tag.endswith("svg")


@each_kind
def test_truncated_and_random_bytes_end_with_one_sentence(name: str, tmp_path: Path) -> None:
    """Cut or garbled files are read as a smaller puzzle, if they still are one, or refused; nothing is written."""
    kind = registry.kind(name)
    puzzle, _ = answered(kind)
    rng = random.Random(name)
    path, out = tmp_path / "broken", tmp_path / "out.json"
    for whole in written_as(puzzle).values():
        broken = [whole[: rng.randrange(len(whole))] for _ in range(40)]
        for _ in range(40):
            garbled = bytearray(whole)
            for _ in range(rng.randrange(1, 6)):
                garbled[rng.randrange(len(garbled))] = rng.randrange(256)
            broken.append(bytes(garbled))
        for data in broken:
            path.write_bytes(data)
            result = dovetail("convert", path, "--kind", name, "--to", "json", "--out", out)
            if result.status == 0:
                out.unlink()
            else:
                assert result.status == 2, data
                assert result.is_one_sentence(), (data, result.err)
                assert not out.exists()


@each_kind
def test_random_bytes_are_never_a_puzzle(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)
    path = tmp_path / "junk"
    for length in [*range(0, 8), *(rng.randrange(8, 5000) for _ in range(60))]:
        path.write_bytes(rng.randbytes(length))
        for arguments in ((path,), (path, "--kind", name)):
            result = dovetail("solve", *arguments)
            assert result.status == 2
            assert result.is_one_sentence(), result.err
