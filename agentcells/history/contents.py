"""The contents that were laid out last, in one file as they are: inflating takes git longer than writing.

Most runs of a project lay out nearly the same files. The file is a cache beside the objects: ours alone,
never seen by a sandbox, never part of a workspace. Each content is hashed again before it is used, so
what a power cut or a bad disk left of it costs time and nothing else.
"""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path
from threading import Thread
from types import TracebackType

from agentcells.emptying import passing_folder
from agentcells.git import Git, blob_id
from agentcells.model import Sha

NAME = "laid-out"
LARGEST = 1 << 30  # bytes; what does not fit in is inflated each time
THREADS = 4
SHARE = 8  # at most this part of the disk that is free; and renewed when this part of the files is new

_ROW = struct.Struct("<20sQQ")  # id, where it begins, how long it is
_END = struct.Struct("<8sQ")  # at the very end: a mark, and how many rows stand before it
_MARK = b"agentct1"


def each(git: Git, shas: Collection[Sha], use: Callable[[Sha, bytes], None]) -> None:
    """Call `use` with each raw content, in no particular order; it may be called by several threads."""
    with _Kept(git.store / NAME) as kept:
        missing = [sha for sha in shas if sha not in kept]
        if len(missing) * SHARE <= len(shas):
            missing += _by_threads([sha for sha in shas if sha in kept], kept, use)
            for sha, data in git.blobs(missing) if missing else ():
                use(sha, data)
            return
        with _keeping(git.store) as keep:
            for sha, data in _mixed(git, shas, kept):
                keep.add(sha, data)
                use(sha, data)


def _mixed(git: Git, shas: Collection[Sha], kept: _Kept) -> Iterator[tuple[Sha, bytes]]:
    missing = []
    for sha in shas:
        data = kept.get(sha)
        if data is None:
            missing.append(sha)
        else:
            yield sha, data
    yield from git.blobs(missing)


def _by_threads(shas: Sequence[Sha], kept: _Kept, use: Callable[[Sha, bytes], None]) -> list[Sha]:
    """All that is whole; what is not is returned. To read, hash and write needs no lock of Python."""
    missing: list[Sha] = []
    errors: list[Exception] = []

    def work(share: Sequence[Sha]) -> None:
        try:
            for sha in share:
                data = kept.get(sha)
                if data is None:
                    missing.append(sha)
                else:
                    use(sha, data)
        except Exception as error:
            errors.append(error)

    size = -(-len(shas) // min(THREADS, os.cpu_count() or 1)) or 1
    # One after the other, so that each writes into folders of its own.
    threads = [Thread(target=work, args=[shas[at : at + size]]) for at in range(0, len(shas), size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    return missing


class _Kept:
    """What an earlier laying out kept. Whatever is wrong with the file: then nothing was."""

    def __init__(self, path: Path) -> None:
        self._places: dict[bytes, tuple[int, int]] = {}
        self._file = -1
        with suppress(OSError, struct.error):
            self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
            self._read_index()

    def _read_index(self) -> None:
        size = os.fstat(self._file).st_size
        mark, rows = _END.unpack(os.pread(self._file, _END.size, max(0, size - _END.size)))
        begin = size - _END.size - rows * _ROW.size
        if mark == _MARK and begin >= 0:
            index = os.pread(self._file, rows * _ROW.size, begin)
            self._places = {sha: (at, length) for sha, at, length in _ROW.iter_unpack(index)}

    def __enter__(self) -> _Kept:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._file >= 0:
            os.close(self._file)

    def __contains__(self, sha: Sha) -> bool:
        return bytes.fromhex(sha) in self._places

    def get(self, sha: Sha) -> bytes | None:
        at, length = self._places.get(bytes.fromhex(sha), (0, -1))
        if length < 0:
            return None
        with suppress(OSError, OverflowError, MemoryError):  # a damaged index, a bad disk
            data = os.pread(self._file, length, at)
            return data if blob_id(data) == sha else None
        return None


class _Keep:
    """The next file of this kind, while it is written."""

    def __init__(self, out: FileIO | None, most: int) -> None:
        self._out = out
        self._most = most
        self._size = 0
        self._rows: list[bytes] = []

    def add(self, sha: Sha, data: bytes) -> None:
        if self._out is None or self._size + len(data) > self._most:
            return
        if not self._whole(data):
            return
        self._rows.append(_ROW.pack(bytes.fromhex(sha), self._size, len(data)))
        self._size += len(data)

    def finish(self) -> bool:
        """False: there is nothing to be kept, or no room for it."""
        return bool(self._rows) and self._whole(b"".join(self._rows) + _END.pack(_MARK, len(self._rows)))

    def _whole(self, data: bytes) -> bool:
        with suppress(OSError):  # a full disk is told by the laying out itself; here it is only a cache
            if self._out is not None and self._out.write(data) == len(data):
                return True
        self._out = None
        return False


@contextmanager
def _keeping(store: Path) -> Iterator[_Keep]:
    """It takes the earlier one's place when all is laid out, and not before."""
    most = min(LARGEST, shutil.disk_usage(store).free // SHARE)
    with passing_folder("tmp-", store) as folder:
        beside = folder / NAME
        with beside.open("wb", buffering=0) as out:
            keep = _Keep(out, most)
            yield keep
            done = keep.finish()
        if done:
            beside.replace(store / NAME)
