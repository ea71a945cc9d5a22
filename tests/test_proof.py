"""The runner believes in an end only with both: the nonce said, and exit code 0 of that very process (R39)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agentcells import attend

# A supervisor that lies, or dies, at its last word.
LIAR = """
import json, os, socket, sys
control = socket.socket(fileno=int(sys.argv[2]))
spec = json.loads(control.makefile().readline())
nonce = spec["nonce"]
{act}
"""
PROOF = "control.sendall(json.dumps({{'proof': {kind}, 'nonce': {nonce}}}).encode() + b'\\n'); sys.exit({code})"
ENDS = {
    "both": (PROOF.format(kind="'echild'", nonce="nonce", code=0), True),
    "another nonce": (PROOF.format(kind="'echild'", nonce="'0' * 16", code=0), False),
    "no nonce": (PROOF.format(kind="'echild'", nonce="''", code=0), False),
    "another word": (PROOF.format(kind="'done'", nonce="nonce", code=0), False),
    "another exit code": (PROOF.format(kind="'echild'", nonce="nonce", code=3), False),
    "killed after it": (PROOF.format(kind="'echild'", nonce="nonce", code=0).replace(
        "sys.exit(0)", "os.kill(os.getpid(), 9)"), False),
    "silence": ("sys.exit(0)", False),
    "noise": ("control.sendall(b'{}' + bytes([10])); sys.exit(0)", False),
}


@pytest.mark.parametrize("how", ENDS)
def test_r39_there_is_a_proof_only_with_nonce_and_exit_code(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    act, proved = ENDS[how]
    monkeypatch.setattr(attend, "SUPERVISE", LIAR.format(act=act))
    told = attend.attend(
        tmp_path, -1, {"nonce": os.urandom(8).hex()}, lambda question: {}, lambda tested: None, 20.0
    )
    assert told.proved is proved
