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
    "comment_done": ("**{cell}** is done.", "**{cell}** が終わりました。"),
    "comment_opened": (
        "**{cell}** is done and has opened a pull request.",
        "**{cell}** が終わり、プルリクエストを作りました。",
    ),
    "comment_asks": ("**{cell}** has a question for you.", "**{cell}** から質問があります。"),
    "comment_answered": (
        "**{cell}** answers your comment.", "**{cell}** があなたのコメントに答えます。"),
    "comment_failed": (
        "**{cell}** did not finish: {words}.", "**{cell}** は終わりませんでした: {words}。"),
    "comment_overruled": (
        "It did not go on to {wanted}:", "{wanted} には進みませんでした。理由:"),
    "comment_target_done": ("your inspection", "あなたの確認"),
    "comment_target_merge": ("the merge", "マージ"),
    "comment_next_cell": (
        "Next comes **{next}**, by itself; nothing for you to do.",
        "次は **{next}** が自動で進めます。あなたの作業はありません。",
    ),
    "comment_next_again": (
        "You wrote while it worked, so it runs once more and reads that first.",
        "作業中にあなたのコメントがあったので、それを読んでもう一度実行します。",
    ),
    "comment_next_retry": (
        "It is tried again by itself; nothing for you to do.",
        "自動でもう一度試します。あなたの作業はありません。",
    ),
    "comment_next_reply": (
        "Reply here in your own words; the line goes on at its next round.",
        "ここに自由な言葉で返信してください。次の巡回で続きが始まります。",
    ),
    "comment_next_pull": (
        "Your turn: look at the pull request, then merge it, close it, or write what should change.",
        "あなたの番です。プルリクエストを見て、マージするか、閉じるか、"
        "直してほしいことを書いてください。",
    ),
    "comment_next_look": (
        "Your turn: look at the result, then close the issue or write what should change.",
        "あなたの番です。結果を見て、課題を閉じるか、直してほしいことを書いてください。",
    ),
    "comment_next_merge": ("The pull request is merged now.", "プルリクエストをマージします。"),
    "comment_next_nothing": (
        "Nothing more happens here until you set a label again.",
        "あなたがもう一度ラベルを付けるまで、ここでは何も起きません。",
    ),
    "comment_blocks": (
        "Nothing of it was published. What stood in the way:",
        "変更は公開していません。妨げになったもの:",
    ),
    "comment_conflicts": (
        "These files collide with what has changed on the base branch since:",
        "次のファイルが、その後の基準ブランチの変更とぶつかっています:",
    ),
    "comment_foreign": (
        "Somebody else has put work on this branch too: {who}. It is kept as it is.",
        "このブランチには他の人の変更もあります: {who}。そのまま残しています。",
    ),
    "comment_refusals": (
        "The changed files were not taken in. What stood in the way:",
        "変更されたファイルは取り込んでいません。妨げになったもの:",
    ),
    "comment_kept": (
        "The work so far is kept; the next run here goes on from it.",
        "ここまでの作業は残してあり、次の実行が引き継ぎます。",
    ),
    "comment_details": ("Details of this run", "この実行の詳細"),
    "comment_run": ("Run: `{run}` of {cell}", "実行: `{run}` ({cell})"),
    "comment_rounds": (
        "Round {used} of {limit} since you last wrote or set a label",
        "あなたの最後のコメントまたはラベルから {limit} 回中 {used} 回目",
    ),
    "comment_cost": ("Cost: ${usd} for {tokens} tokens", "費用: {usd} ドル ({tokens} トークン)"),
    "comment_tested": (
        "The test command passed on exactly these files.",
        "テストはこのファイルの状態のままで成功しました。",
    ),
    "comment_tested_before": (
        "The test command last ran before the final changes, so it says nothing about them.",
        "最後の変更の前にテストを実行したので、最後の変更は確かめていません。",
    ),
    "comment_test_failed": ("The test command failed.", "テストは失敗しました。"),
    "comment_not_tested": ("The test command was not run.", "テストは実行していません。"),
    "comment_no_test_command": (
        "No test command is set up for this project.",
        "このプロジェクトにはテストのコマンドが設定されていません。",
    ),
    "comment_merged_base": (
        "The base branch had moved and was merged in without a conflict; the result was not "
        "tested again.",
        "基準ブランチが進んでいたので衝突なく取り込みました。取り込んだ後のテストはしていません。",
    ),
    "comment_how_tested": ("Tests: {how}", "テスト: {how}"),
    "comment_flags": ("Worth a second look:", "念のため見てほしいところ:"),
    "comment_records": ("Records:", "記録:"),
    "comment_more": ("and {count} more", "ほか {count} 件"),
    "comment_commands": (
        "A comment that begins with `/hold` stops this item, `/resume` lets it go on.",
        "`/hold` で始まるコメントで止まり、`/resume` で再開します。",
    ),
    "comment_untitled": ("Work for issue {number}", "課題 {number} の作業"),
}
