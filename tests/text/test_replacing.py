"""A file is replaced whole, by whoever is last, and nothing stays beside it."""

import os
import signal
import stat
import subprocess
import sys
import threading

import pytest

from piscm.text.replacing import replacing

posix = pytest.mark.skipif(os.name == "nt", reason="modes and signals are another matter there")


def write(path, content):
    with replacing(path) as part:
        part.write_bytes(content)


def test_many_threads_write_one_file(tmp_path):
    path, failures = tmp_path / "a.bin", []
    contents = [bytes([number]) * 100_000 for number in range(8)]

    def work(content):
        try:
            for _ in range(10):
                write(path, content)
                assert path.read_bytes() in contents
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(content,)) for content in contents]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
    assert path.read_bytes() in contents
    assert list(tmp_path.iterdir()) == [path]


@posix
def test_the_mode_is_kept(tmp_path):
    path = tmp_path / "a.bin"
    write(path, b"old")
    assert stat.S_IMODE(path.stat().st_mode) & 0o600 == 0o600
    path.chmod(0o640)
    write(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", 0o640)


@posix
def test_a_link_is_followed(tmp_path):
    (tmp_path / "real").mkdir()
    link, real = tmp_path / "link.bin", tmp_path / "real" / "a.bin"
    link.symlink_to(real)
    for content in (b"first", b"second"):  # the first one makes the file
        write(link, content)
        assert link.is_symlink()
        assert real.read_bytes() == content
    assert list(real.parent.iterdir()) == [real]


@posix
def test_what_is_no_file_is_left_alone(tmp_path):
    fifo = tmp_path / "pipe"
    os.mkfifo(fifo)
    for path in (fifo, tmp_path):
        with pytest.raises(OSError, match="no file that can be written"):
            write(path, b"")


def kill(process):
    process.send_signal(signal.SIGKILL)
    process.communicate()


HALF = """
import sys, time
from piscm.text.replacing import replacing
with replacing(sys.argv[1]) as part:
    part.write_bytes(b"half")
    print("there", flush=True)
    time.sleep(60)
"""


@posix
def test_parts_of_killed_writers_are_removed_and_those_of_live_ones_stay(tmp_path):
    path = tmp_path / "a.bin"
    write(path, b"old")
    command = [sys.executable, "-c", HALF, str(path)]
    killed, alive = (subprocess.Popen(command, stdout=subprocess.PIPE) for _ in range(2))
    for process in (killed, alive):
        process.stdout.readline()
    kill(killed)
    assert len(list(tmp_path.iterdir())) == 3
    assert path.read_bytes() == b"old"
    write(path, b"new")
    assert len(list(tmp_path.iterdir())) == 2  # the file, and the part of the live one
    kill(alive)
    write(path, b"newer")
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"newer"
