"""C: files that cost an agent nothing to make and would cost us hours to read or to delete."""

from __future__ import annotations

import gc
import os
import shutil
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from agentcells import gate
from agentcells.emptying import remove_tree
from agentcells.gate import Rules, redact
from agentcells.history.sealed import RECORDS, Sealed
from agentcells.history.walk import Bounds
from agentcells.log_cleaning import clean_logs
from agentcells.model import Problem
from agentcells.run import FileView
from agentcells.secrets import Secrets
from tests.attacks.arena import DELIVERED, Arena, done, record, shell
from tests.git_world import Origin, store

DEEP = 2_000  # each one of Python's own ways to delete a tree ends long before


def dig(at: Path, depth: int = DEEP) -> None:
    """Folders within each other, the last ones closed to everybody, and a link out in the middle."""
    at.mkdir()
    inner, last = os.open(at, os.O_RDONLY), []
    for level in range(depth):
        os.mkdir("d", dir_fd=inner)
        if level == depth // 2:
            os.symlink("/etc", "away", dir_fd=inner)
            os.close(os.open("file", os.O_CREAT, 0o000, dir_fd=inner))
        further = os.open("d", os.O_RDONLY, dir_fd=inner)
        if level > depth - 3:
            last.append(os.dup(further))
        os.close(inner)
        inner = further
    for closed in (*last, inner):
        os.fchmod(closed, 0o000)
        os.close(closed)


def test_c16_folders_of_any_depth_are_tidied_away(tmp_path: Path) -> None:
    beside = tmp_path / "beside"
    beside.write_text("stays")
    dig(tmp_path / "deep")
    remove_tree(tmp_path / "deep")
    assert [path.name for path in tmp_path.iterdir()] == ["beside"]
    assert Path("/etc/passwd").exists()


def test_control_c16_the_library_gives_up(tmp_path: Path) -> None:
    dig(tmp_path / "deep")
    with pytest.raises((RecursionError, OSError)):
        shutil.rmtree(tmp_path / "deep")
    assert (tmp_path / "deep").exists()
    remove_tree(tmp_path / "deep")


DIG = """python3 - <<'END'
import os
for at in (os.environ["HOME"], "/tmp"):
    os.chdir(at)
    for level in range(1200):
        os.mkdir("d"); os.chdir("d")
    os.chdir("/"); os.chmod(at + "/d/d", 0)
END
true"""


@pytest.mark.sandbox
def test_c16_what_an_agent_dug_does_not_stop_the_line(tmp_path: Path) -> None:
    arena = Arena(tmp_path)
    arena.attack(shell(DIG, "echo x >> game.py"), record(), done())
    arena.holds(DELIVERED)
    assert list((arena.state / "runs").iterdir()) == []


# ---------------------------------------------------------------- much to read


LARGE = 200 << 20  # above what is taken in, and it takes no room on the disk


def hole(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(LARGE)


def grown(work: Path) -> None:
    for number in range(5):
        hole(work / f"tracked{number}.py")


def linked(work: Path) -> None:
    hole(work / "large")
    os.truncate(work / "large", 90 << 20)  # this would be taken in
    for number in range(50):
        os.link(work / "large", work / f"again{number}")


def new(work: Path) -> None:
    for number in range(50):
        hole(work / f"new{number}")


def unreadable_names(work: Path) -> None:
    for number in range(10):
        hole(work / f"x\udcff{number}")


COSTLY: dict[str, Callable[[Path], None]] = {
    "tracked files that grew": grown, "one file of many names": linked, "new files": new,
    "names that are no text": unreadable_names,
}


@pytest.fixture
def sealed(tmp_path: Path) -> Sealed:
    files = {f"tracked{number}.py": b"x = 1\n" for number in range(5)}
    origin = Origin(tmp_path / "forge")
    start = origin.commit({**files, ".gitignore": b"*.o\n"}, "begin")
    git = store(tmp_path)
    git.fetch(origin.remote, ["main"])
    found = Sealed(git, tmp_path / "work", start, start)
    found.materialise()
    return found


def bytes_read(act: Callable[[], object]) -> int:
    """By the kernel's own book, with those of git."""

    def so_far() -> int:
        lines = Path("/proc/self/io").read_text().splitlines()
        return int(lines[0].removeprefix("rchar:"))

    before = so_far()
    act()
    return so_far() - before


@pytest.mark.parametrize("how", COSTLY)
def test_c17_a_file_that_is_refused_anyway_is_not_read(sealed: Sealed, how: str) -> None:
    COSTLY[how](sealed.work)
    assert bytes_read(lambda: sealed.look()) < 4 << 20
    assert {refusal.why for refusal in sealed.look().refusals} <= {
        "records_too_large", "records_hard_link", "records_bad_name",
    }
    assert len(sealed.look().refusals) >= 5


def test_control_c17_whoever_does_not_ask_for_the_size_reads_them_all(
    sealed: Sealed, monkeypatch: pytest.MonkeyPatch
) -> None:
    grown(sealed.work)
    monkeypatch.setattr(sealed, "_size", lambda sha: LARGE)
    assert bytes_read(lambda: sealed.look()) > 5 * LARGE


def test_c17_a_large_file_that_stands_as_it_was_stays(sealed: Sealed, tmp_path: Path) -> None:
    """It is read once more, as large as it is: whether it changed cannot be known otherwise."""
    small = Sealed(sealed.git, sealed.work, sealed.start, sealed.base, bounds=Bounds(file_bytes=3))
    assert small.look().refusals == ()
    os.link(sealed.work / "tracked0.py", sealed.work / "tracked0.o")
    assert small.look().refusals == ()
    (sealed.work / "tracked1.py").write_text("x = 2\n")
    assert [refusal.why for refusal in small.look().refusals] == ["records_too_large"]


def test_c17_more_names_than_any_project_has_are_not_even_listed(sealed: Sealed) -> None:
    for number in range(40):
        (sealed.work / f"{number}.o").touch()
    few = Sealed(sealed.git, sealed.work, sealed.start, sealed.base, bounds=Bounds(names=30))
    assert [refusal.why for refusal in few.look().refusals] == ["records_too_many"]
    assert sealed.look().refusals == ()  # the control: within the bound they are ignored


def test_c17_refusals_without_end_come_to_an_end(sealed: Sealed) -> None:
    for number in range(40):
        os.mkfifo(sealed.work / f"{number}.pipe")
    few = Sealed(sealed.git, sealed.work, sealed.start, sealed.base, bounds=Bounds(refusals=10))
    assert len(few.look().refusals) == 11
    assert few.look().tree == sealed.git.tree(sealed.start)  # of a flood nothing is taken in
    assert len(sealed.look().refusals) == 40


def test_c17_a_run_has_so_many_records_and_no_more(
    sealed: Sealed, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert RECORDS >= 100
    monkeypatch.setattr("agentcells.history.sealed.RECORDS", 3)
    for number in range(3):
        (sealed.work / "tracked0.py").write_text(f"x = {number + 2}\n")
        sealed.record("Again")
    (sealed.work / "tracked0.py").write_text("x = 9\n")
    with pytest.raises(Problem, match="3") as refused:
        sealed.record("Again")
    assert refused.value.key == "records_too_many_records"
    assert sealed.git.tree(sealed.seal("The rest")) == sealed.look().tree  # the work itself is kept


# ---------------------------------------------------------------- much to clean

KEY = "ghp_" + "a1B2c3D4e5F6" * 3


def cleaning(folder: Path, text: str) -> tuple[float, str]:
    """Seconds of the processor, and what is left of a log."""
    (folder / "test.log").write_text(text)
    began = time.process_time()
    clean_logs(folder, Secrets.of({}), "en")
    return time.process_time() - began, (folder / "test.log").read_text()


def test_c17_a_log_of_empty_lines_is_cleaned_in_no_time(tmp_path: Path) -> None:
    took, left = cleaning(tmp_path, "begin\n" + "\n" * 500_000 + f"{KEY}\n" + "\n" * 500_000 + "end\n")
    assert took < 5
    assert KEY not in left
    assert left.startswith("begin\n")
    assert left.endswith("end\n")


def test_c17_of_an_ordinary_log_only_the_secret_goes(tmp_path: Path) -> None:
    lines = [f"step {number} went well" for number in range(5_000)]
    lines[3_000] = f"token={KEY} of the forge"
    _, left = cleaning(tmp_path, "\n".join(lines))
    cleaned = left.split("\n")
    assert [line for line, now in zip(lines, cleaned, strict=True) if line != now] == [lines[3_000]]
    assert "token=" in cleaned[3_000]


def test_c17_a_secret_in_disguise_takes_its_line_along_or_in_a_flood_its_page(tmp_path: Path) -> None:
    known = Secrets.of({"DEPLOY_TOKEN": "q8Zk2Lw0Xv9Rt5Yp7Bn3Mc6Hd1Jf4Gs"})
    hidden = "q8Zk2Lw0Xv9Rt5Yp7Bn3Mc6Hd1Jf4Gs"[::-1]
    for lines, kept in ((1_000, 1_000), (60_000, 0)):
        (tmp_path / "test.log").write_text(f"a{'b' * 4}\n" * lines + f"{hidden}\n")
        clean_logs(tmp_path, known, "en")
        left = (tmp_path / "test.log").read_text()
        assert hidden not in left
        assert left.count("abbbb") >= kept


def test_c17_a_secret_in_a_line_without_end_goes(tmp_path: Path) -> None:
    _, left = cleaning(tmp_path, "x" * 200_000 + f" {KEY} " + "y" * 200_000)
    assert KEY not in left


def test_control_c17_line_by_line_it_would_take_its_time(tmp_path: Path) -> None:
    """The price of one line; an agent's log has room for sixty million."""
    began = time.process_time()
    for _ in range(2_000):
        redact("", Secrets.of({}))
    assert (time.process_time() - began) / 2_000 * 60_000_000 > 60


# ---------------------------------------------------------------- much to compare


def lines_of(size: int) -> bytes:
    return b"".join(b"%d\n" % number for number in range(size // 7))


def peak(act: Callable[[], object]) -> float:
    """The most memory, in MB, that Python had for it."""
    gc.collect()
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1] / (1 << 20)
    finally:
        tracemalloc.stop()


def judged(most: int) -> Callable[[], object]:
    content = lines_of(3 << 20)
    file = FileView(path=b"a", old_mode=gate.ABSENT, new_mode="100644", old_content=None, new_content=content)
    return lambda: gate.check_record(Rules(max_bytes=most), Secrets.of({}), [file], "x")


def test_c17_lines_of_far_too_much_are_not_even_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_COUNTED", 1 << 20)
    assert peak(judged(1 << 20)) < 3


def test_control_c17_to_count_them_costs_many_times_their_size() -> None:
    assert peak(judged(1 << 30)) > 20


def test_c17_a_difference_that_nobody_could_read_is_only_named(
    sealed: Sealed, monkeypatch: pytest.MonkeyPatch
) -> None:
    (sealed.work / "tracked0.py").write_bytes(lines_of(9 << 20))
    (sealed.work / "tracked1.py").write_text("x = 2\n")
    (sealed.work / "large").write_bytes(lines_of(9 << 20))
    said = sealed.diff()
    assert len(said) < 500
    assert "+x = 2" in said
    assert "== tracked0.py (large)" in said
    assert "== large (large)" in said
    assert sealed.diff(["nowhere"]) == ""
    monkeypatch.setattr("agentcells.history.sealed.SHOWN", 1 << 30)
    assert len(sealed.diff()) > 1 << 20  # the control
