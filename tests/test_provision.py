"""Stories before a run: its places, its agent's program, and what setup leaves for later runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from agentcells import agent_program, provision
from agentcells.git_read import Entry
from agentcells.model import Problem, Sha
from agentcells.store import Limits


def entries(**files: str) -> dict[str, Entry]:
    """Paths (`__` for a dot, as keywords have none) to what stands for their content."""
    return {
        name.replace("__", "."): Entry(mode="100644", sha=Sha(content))
        for name, content in files.items()
    }


def limits(**changes) -> Limits:
    return Limits(
        agent_command=("claude",), **{"setup": ("npm", "ci"), "keep": ("node_modules",), **changes}
    )


# ---------------------------------------------------------------- the cache of setup


def test_r37_the_lock_files_decide_and_nothing_else(tmp_path):
    base = entries(package__json="1", package_lock__json="2", a__js="3")
    same = provision.lock_hash(limits(), base)
    assert provision.lock_hash(limits(), {**base, **entries(a__js="4", b__js="5")}) == same
    assert provision.lock_hash(limits(), {**base, **entries(package__json="9")}) != same
    assert provision.lock_hash(limits(), {**base, "sub/requirements-dev.txt": base["a.js"]}) != same
    assert provision.lock_hash(limits(setup=("npm", "i")), base) != same
    assert provision.lock_hash(limits(keep=("x",)), base) != same


def test_r37_the_first_run_sets_up_and_stores_the_next_one_takes_it(tmp_path):
    base = entries(package__json="1")
    ours = limits(cache=str(tmp_path / "cache"))
    plan = provision.plan_setup(ours, base, base)
    assert plan.store is not None
    assert (plan.run, plan.cached) == ("tmp/setup", None)
    setup = tmp_path / "setup"
    (setup / "node_modules/.bin").mkdir(parents=True)
    (setup / "node_modules/lib.js").write_text("1")
    (setup / "node_modules/.bin/lib").symlink_to("../lib.js")
    (setup / "other").write_text("not kept")
    provision.keep_in_cache(setup, plan.store, ours.keep)
    again = provision.plan_setup(ours, base, base)
    assert (again.run, again.cached) == ("", plan.store)
    assert again.cached is not None
    for run in ("one", "two"):
        work = tmp_path / run
        work.mkdir()
        provision.take_kept(again.cached, work, ours.keep)
        assert (work / "node_modules/.bin/lib").read_text() == "1"
        assert not (work / "other").exists()
        (work / "node_modules/lib.js").write_text("spoilt by this run")
    assert (plan.store / "node_modules/lib.js").read_text() == "1"


def test_r37_lock_files_changed_on_the_branch_make_it_private_to_the_run(tmp_path):
    base, ours = entries(package__json="1"), limits(cache=str(tmp_path))
    first = provision.plan_setup(ours, base, base).store
    assert first is not None
    provision.keep_in_cache(tmp_path, first, ())
    plan = provision.plan_setup(ours, base, entries(package__json="2"))
    assert (plan.run, plan.store, plan.cached) == ("tmp/setup", None, None)


def test_r37_without_setup_nothing_runs_and_without_keep_it_works_in_place():
    assert provision.plan_setup(limits(setup=()), {}, {}) == provision.Plan()
    assert provision.plan_setup(limits(keep=()), {}, {}) == provision.Plan(run="work")
    assert provision.plan_setup(limits(), {}, {}) == provision.Plan(run="tmp/setup")


def test_r37_two_runs_that_store_the_same_at_once_do_no_harm(tmp_path):
    (tmp_path / "setup/node_modules").mkdir(parents=True)
    (tmp_path / "setup/node_modules/a").write_text("1")
    for _ in range(2):
        provision.keep_in_cache(tmp_path / "setup", tmp_path / "cache/k", ("node_modules",))
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["k"]


def test_r37_what_cannot_be_cached_leaves_nothing_half(tmp_path):
    (tmp_path / "setup/node_modules").mkdir(parents=True)
    cached = tmp_path / "cache/k"
    left = cached.with_name(f".k.{os.getpid()}")  # of a process of that number that was killed
    (left / "node_modules").mkdir(parents=True)
    (left / "node_modules/old").write_text("")
    cached.write_text("in the way")
    with pytest.raises(OSError, match="Not a directory"):
        provision.keep_in_cache(tmp_path / "setup", cached, ("node_modules",))
    assert [path.name for path in (tmp_path / "cache").iterdir()] == ["k"]
    cached.unlink()
    with pytest.raises(Problem, match="run_bad_keep"):
        provision.keep_in_cache(tmp_path / "setup", cached, ("../x",))
    assert list((tmp_path / "cache").iterdir()) == []
    provision.keep_in_cache(tmp_path / "setup", cached, ("node_modules",))
    assert list((cached / "node_modules").iterdir()) == []


def test_r37_a_copy_that_fails_is_told_by_the_first_thing_it_said(tmp_path):
    with pytest.raises(Problem) as caught:
        provision.give_to((os.getuid(), os.getgid()), tmp_path, ("missing",))
    assert caught.value.key == "run_files_refused"
    assert "missing" in str(caught.value.slots["detail"])
    with pytest.raises(Problem) as caught:
        provision._with_program("false")
    assert caught.value.slots["detail"] == "false: 1"


def test_what_no_setup_has_used_for_long_goes_and_what_may_be_in_use_stays(tmp_path):
    cache, now, day = tmp_path / "setup", 1_000 * 86400.0, 86400.0
    provision.tidy_cache(cache, now)  # there is none yet
    ages = {f"used{n:02}": day * (1.5 + n) for n in range(22)} | {"fresh": 60.0, "stale": 31 * day, ".k.7": 40 * day}
    for name, age in ages.items():
        (cache / name / "node_modules").mkdir(parents=True)
        os.utime(cache / name, (now - age, now - age))
    provision.tidy_cache(cache, now)
    left = sorted(path.name for path in cache.iterdir())
    assert left == ["fresh", *(f"used{n:02}" for n in range(provision.CACHE_KEPT - 1))]
    for path in cache.iterdir():  # a line that is busy keeps them all
        os.utime(path, (now, now))
    (cache / "one more").mkdir()
    os.utime(cache / "one more", (now, now))
    provision.tidy_cache(cache, now)
    assert len(list(cache.iterdir())) == provision.CACHE_KEPT + 1
    assert provision._used_at(cache / "gone meanwhile") == 0.0


def test_r37_a_link_in_the_workspace_leads_nothing_out_of_it(tmp_path):
    (tmp_path / "setup/deep/kept").mkdir(parents=True)
    work, outside = tmp_path / "work", tmp_path / "outside"
    work.mkdir()
    outside.mkdir()
    (work / "deep").symlink_to(outside)
    (tmp_path / "setup/link").symlink_to("/etc")
    provision.take_kept(tmp_path / "setup", work, ("deep/kept", "link", "missing"))
    assert list(outside.iterdir()) == []
    assert [path.name for path in work.iterdir()] == ["deep"]
    (work / "deep").unlink()
    (work / "deep").mkdir()
    (work / "deep/kept").symlink_to(outside)
    provision.take_kept(tmp_path / "setup", work, ("deep/kept",))
    assert (work / "deep/kept").is_dir()
    assert not (work / "deep/kept").is_symlink()


@pytest.mark.parametrize("name", ["/etc", "../x", "a/../../x", "", "."])
def test_r37_what_is_kept_lies_inside_the_project(tmp_path, name):
    with pytest.raises(Problem) as caught:
        provision.take_kept(tmp_path, tmp_path, (name,))
    assert caught.value.key == "run_bad_keep"


# ---------------------------------------------------------------- the agent's program


def program(path: Path, text: str = "#!/bin/sh\n") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)
    return path


def test_r35_a_program_of_the_system_needs_nothing_more():
    argv, needed = agent_program.find(("sh", "-x"), "strong", "/nowhere", ())
    assert argv[0].startswith("/usr/bin/")
    assert (argv[1:], needed) == (["-x"], ())


def test_r35_the_system_comes_before_a_persons_own_shims(tmp_path):
    program(tmp_path / "sh")
    argv, _ = agent_program.find(("sh",), "strong", str(tmp_path), ())
    assert not argv[0].startswith(str(tmp_path))


def test_r35_a_single_file_a_package_and_a_toolchain_are_bound_as_far_as_needed(tmp_path):
    alone = program(tmp_path / "alone/claude-x")
    assert agent_program.find(("claude-x",), "strong", str(alone.parent), ()) == (
        [str(alone)],
        (str(alone),),
    )
    package = program(tmp_path / "package/bin/claude-y")
    (tmp_path / "package/package.json").write_text("{}")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/claude-y").symlink_to(package)
    argv, needed = agent_program.find(("claude-y",), "strong", str(tmp_path / "bin"), ())
    assert (argv, needed) == ([str(package)], (str(tmp_path / "package"),))
    tool = program(tmp_path / "tools/bin/claude-z")
    (tmp_path / "tools/lib").mkdir()
    argv, needed = agent_program.find(
        ("claude-z",), "strong", "/nowhere", (str(tmp_path / "tools"),)
    )
    assert (argv, needed) == ([str(tool)], (str(tmp_path / "tools"),))


def test_r35_a_home_folder_is_never_taken_for_a_toolchain(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    mine = program(tmp_path / "home/bin/claude-x")
    (tmp_path / "home/lib").mkdir()
    assert agent_program.find(("claude-x",), "strong", str(mine.parent), ())[1] == (str(mine),)


def test_r35_files_that_the_command_line_names_can_be_read_inside(tmp_path):
    script = tmp_path / "script.json"
    script.write_text("{}")
    command = ("sh", "--script", str(script), str(tmp_path / "none"), "/usr/bin/env", "relative")
    argv, needed = agent_program.find(command, "strong", "/nowhere", ())
    assert argv[1:] == list(command[1:])
    assert needed == (str(script),)


def test_a_missing_agent_is_one_clear_line():
    with pytest.raises(Problem) as caught:
        agent_program.find(("claude-nowhere",), "strong", "/nowhere", ())
    assert (caught.value.key, caught.value.slots) == ("run_no_agent", {"command": "claude-nowhere"})


def test_without_a_sandbox_the_program_is_what_path_says(tmp_path):
    mine = program(tmp_path / "claude-x")
    assert agent_program.find(("claude-x", "a"), "none", str(tmp_path), ()) == (
        [str(mine), "a"],
        (),
    )


# ---------------------------------------------------------------- the places


def test_the_shim_finds_its_client_wherever_it_lies(tmp_path):
    folder = tmp_path / "it's a run"
    folder.mkdir()
    provision.make_places(folder, sys.executable, None)
    done = subprocess.run(
        ["agentcells", "cell", "observe"],
        env={"PATH": f"{folder}/bin:/usr/bin:/bin", "AGENTCELLS_DOOR": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (1, "")
    assert "only inside a run" in done.stdout
    assert f"agent:x:{os.getuid()}:" in (folder / "bin/etc/passwd").read_text()


def test_a_path_to_read_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(Problem) as caught:
        provision.make_box(
            tmp_path,
            limits(),
            writes=True,
            lock_fd=-1,
            account=None,
            python="/usr/bin/python3",
            read=["/no/such"],
        )
    assert caught.value.key == "run_unreadable_path"
