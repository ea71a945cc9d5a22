"""What stands in comments, pull requests and prompts."""

from __future__ import annotations

COMMENTS: dict[str, tuple[str, str]] = {
    "comment_ledger_line": (
        "Runs so far: {runs}. Cost so far: ${usd}. agentcells keeps this book itself; please leave "
        "it as it is.",
        "これまでの実行: {runs} 回、費用: {usd} ドル。この記録は agentcells が自分で更新します。"
        "編集しないでください。",
    ),
    "comment_ledger_fold": ("All runs", "実行の一覧"),
    "comment_ledger_head": (
        "| run | cell | started (UTC) | minutes | outcome | tokens | dollars | next |",
        "| 実行 | セル | 開始 (UTC) | 分 | 結果 | トークン | ドル | 次 |",
    ),
    "comment_ledger_earlier": (
        "| {runs} earlier runs | | | | | {tokens} | {usd} | |",
        "| 以前の {runs} 回 | | | | | {tokens} | {usd} | |",
    ),
    "comment_outcome_running": ("running", "実行中"),
    "comment_outcome_done": ("done", "完了"),
    "comment_outcome_bad_answer": (
        "its answer was not in the agreed form", "回答が決められた形になっていませんでした"),
    "comment_outcome_no_answer": ("it ended without an answer", "回答がないまま終わりました"),
    "comment_outcome_credential": (
        "the model's login was refused", "モデルのログインが拒否されました"),
    "comment_outcome_usage_limit": (
        "the model's usage limit was reached", "モデルの利用上限に達しました"),
    "comment_outcome_overload": (
        "the model's service was overloaded", "モデルのサービスが混み合っていました"),
    "comment_outcome_network": (
        "the model's service could not be reached", "モデルのサービスに接続できませんでした"),
    "comment_outcome_refusal": (
        "the model declined the task under its usage policy",
        "モデルが利用規約を理由に作業を断りました"),
    "comment_outcome_too_long": (
        "there was more text than the model can read", "モデルが読める長さを超えました"),
    "comment_outcome_budget": (
        "the money set aside for one run was used up", "1 回の実行の予算を使い切りました"),
    "comment_outcome_turns": (
        "it used all the steps it may take in one run", "1 回の実行で使える手数を使い切りました"),
    "comment_outcome_timeout": ("its time ran out", "時間切れになりました"),
    "comment_outcome_stall": ("it stood still for too long", "長い間、動きがありませんでした"),
    "comment_outcome_killed": ("it was stopped from outside", "外から停止されました"),
    "comment_outcome_crash": ("it crashed", "異常終了しました"),
    "comment_outcome_setup_failed": (
        "the project's setup command failed", "プロジェクトの準備コマンドが失敗しました"),
    "comment_outcome_containment": (
        "it could not be shown that everything it started has ended",
        "起動したものがすべて終わったことを確かめられませんでした"),
    "comment_outcome_refused": (
        "its files hold something that is never taken in",
        "受け入れられないものがファイルに含まれていました"),
}
