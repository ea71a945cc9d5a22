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
        "| {runs:earlier run|earlier runs} | | | | | {tokens} | {usd} | |",
        "| 以前の {runs} 回 | | | | | {tokens} | {usd} | |",
    ),
    "comment_outcome_running": ("running", "実行中"),
    "comment_outcome_done": ("done", "完了"),
    "comment_outcome_bad_answer": (
        "its answer was not in the agreed form", "回答が決められた形になっていませんでした"),
    "comment_outcome_no_answer": ("it ended without an answer", "回答がないまま終わりました"),
    "comment_outcome_credential": (
        "the model's login was refused", "モデルのログインが拒否されました"),
    "comment_outcome_model": (
        "the model named in cells.toml is not to be had",
        "cells.toml に書かれたモデルが使えません"),
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
    "comment_outcome_withdrawn": (
        "it was taken back before it began", "始まる前に取り消されました"),
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
        "It did not go on to {wanted}.", "{wanted} には進みませんでした。"),
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
        "ここに自由な言葉で返信してください。次の tick で続きが始まります。",
    ),
    "comment_next_pull": (
        "Your turn: look at the pull request, then merge it, close it, or write what should "
        "change.",
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
        "The branch also holds work that no run made, by {who}. It is kept as it is.",
        "このブランチには、実行によらない {who} の変更もあります。そのまま残しています。",
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
    "comment_cost": ("Cost: ${usd} for {tokens:token|tokens}", "費用: {usd} ドル ({tokens} トークン)"),
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
    "gate_secret_removed": ("[secret removed]", "[機密情報を削除]"),
    "gate_text_withheld": (
        "[this text was left out: it held a secret in disguise]",
        "[機密情報が形を変えて含まれていたため、この文章は省きました]",
    ),
    "gate_known_secret": (
        "A secret of this machine ({detail}) stands in it.",
        "このマシンの機密情報 ({detail}) が含まれています。",
    ),
    "gate_vendor_secret": (
        "It holds what looks like a key: {detail}.",
        "鍵と思われる文字列 ({detail}) が含まれています。",
    ),
    "gate_gitleaks": (
        "gitleaks, which is installed on this machine, takes something in it for a secret: {detail}. "
        "If it is none, the id of that blob in `[gate] allow_blobs` of cells.toml lets it through.",
        "このマシンの gitleaks が機密情報と判断しました: {detail}。"
        "そうでなければ、cells.toml の `[gate] allow_blobs` に blob の ID を書くと通ります。",
    ),
    "gate_gitleaks_failed": (
        "gitleaks, which is installed on this machine, could not look at it, so nobody knows.",
        "このマシンの gitleaks がこれを調べられなかったため、確認できません。",
    ),
    "gate_protected_path": (
        "No run may change it: `[gate] protected` of cells.toml has {detail}.",
        "変更できないパスです: cells.toml の `[gate] protected` に {detail} があります。",
    ),
    "gate_symlink": (
        "It is a new or changed symbolic link. Allow its exact path in `[gate] allow_links`, or use a file.",
        "新しい、または変更されたシンボリックリンクです。`[gate] allow_links` で許可するか、ファイルにしてください。",
    ),
    "gate_submodule": ("A submodule was changed.", "サブモジュールが変更されています。"),
    "gate_file_mode": ("It has the file mode {detail}.", "ファイルモードが {detail} です。"),
    "gate_git_path": (
        "Some file system takes this path for git's own folder.",
        "ファイルシステムによっては git 自身のフォルダーと見なされるパスです。",
    ),
    "gate_odd_path": (
        "Its name holds control or invisible characters, a backslash or an empty part.",
        "名前に制御文字、見えない文字、バックスラッシュ、または空の部分があります。",
    ),
    "gate_path_not_utf8": ("Its name is not UTF-8.", "名前が UTF-8 ではありません。"),
    "gate_unreadable": ("Its content could not be read.", "内容を読み取れませんでした。"),
    "gate_unseen_commit": (
        "The commit {detail} was not among those looked at.",
        "コミット {detail} は検査した中にありませんでした。",
    ),
    "gate_too_many_files": (
        "More files than `[gate] max_files` allows ({detail}).",
        "ファイル数が `[gate] max_files` を超えています ({detail})。",
    ),
    "gate_too_many_lines": (
        "More added lines than `[gate] max_added_lines` allows ({detail}).",
        "追加行数が `[gate] max_added_lines` を超えています ({detail})。",
    ),
    "gate_too_many_bytes": (
        "More bytes than `[gate] max_bytes` allows ({detail}).",
        "サイズが `[gate] max_bytes` を超えています ({detail})。",
    ),
    "gate_manifest": ("lists dependencies", "依存関係の定義"),
    "gate_lock_file": ("pins dependencies", "依存関係の固定"),
    "gate_build_or_test": ("decides what building or testing runs", "ビルドやテストの設定"),
    "gate_checks": ("decides what checks run", "自動検査の設定"),
    "gate_reviewers": ("decides who reviews", "レビュー担当者の設定"),
    "gate_agent_instructions": ("instructs agents", "エージェントへの指示"),
    "gate_container": ("builds or deploys machines", "コンテナーや配備の設定"),
    "gate_editor": ("is run or read by editors", "エディターの設定"),
    "gate_git_settings": ("changes how git treats files", "git のファイル扱いの設定"),
    "gate_forge_settings": ("is read by the forge", "フォージの設定"),
    "gate_executable": ("became executable", "実行可能になりました"),
    "gate_binary": ("is binary: nobody can read the change", "バイナリーのため内容を確認できません"),
    "gate_large_file": ("is large ({detail} bytes)", "大きなファイルです ({detail} バイト)"),
    "text_left_out": ("[… {count:character|characters} left out …]", "[… {count} 文字を省略 …]"),
    "gauge_wait": (
        "{value:item|items} stood at `{cell}` on average in the last week.",
        "直近 1 週間、平均 {value} 件が `{cell}` で止まっていました。",
    ),
    "gauge_stops": (
        "{cell} came to the owner {value:time|times} in the last week for the reason `{reason}`.",
        "直近 1 週間に {cell} が `{reason}` を理由に {value} 回、所有者を待ちました。",
    ),
    "gauge_failed": (
        "Runs of {cell} failed {value:time|times} in the last week with `{reason}`.",
        "直近 1 週間に {cell} の実行が `{reason}` で {value} 回失敗しました。",
    ),
    "gauge_rounds": (
        "{cell} ran {value:time|times} for an item on average in the last week.",
        "直近 1 週間、{cell} は 1 件あたり平均 {value} 回実行されました。",
    ),
    "gauge_usual": (
        "Usual is {usual}, at most {limit}.",
        "普段は {usual}、多くても {limit} です。",
    ),
    "comment_filed": (
        "**{cell}** filed this, because something in the line is not as usual. Nothing runs on it until you set a label on it. When the figure is back to usual, it is closed by itself.",
        "ラインの様子が普段と違うため、**{cell}** がこの課題を登録しました。あなたがラベルを付けるまで何も実行されません。数値が普段に戻れば自動で閉じます。",
    ),
    "comment_filed_free": (
        "**{cell}** filed this. Nothing runs on it until you set a label on it. When the cause is over, it is closed by itself.",
        "**{cell}** がこの課題を登録しました。あなたがラベルを付けるまで何も実行されません。原因がなくなれば自動で閉じます。",
    ),
    "comment_figure": (
        "Figure: {figure}",
        "数値: {figure}",
    ),
    "comment_over": (
        "The cause is over, so this issue is closed. Nothing for you to do; should it come back, a new issue is filed.",
        "原因がなくなったので、この課題を閉じます。あなたの作業はありません。再び起きたときは、新しい課題を登録します。",
    ),
    "comment_filed_how": (
        "How usual is reckoned: the middle one of up to 8 weeks before, with three times their common distance from it, half of it, or a least step on top, whichever is most.",
        "普段の求め方: 直前の最大 8 週間の中央値に、ばらつきの 3 倍、値の半分、または最小の幅のうち最も大きいものを足した範囲です。",
    ),
    "comment_proposed": (
        "**{count:issue is|issues are} proposed** in its place:",
        "**代わりに {count} 件の課題を提案します**:",
    ),
    "comment_proposed_too_long": (
        "The texts of the proposed issues are too long for one comment. Ask for fewer or shorter ones.",
        "提案された課題の本文が一つのコメントに収まりません。数を減らすか短くするよう返信してください。",
    ),
    "comment_proposed_how": (
        "Reply `ok` and they are filed as they stand; `ok 1` files only that one; `ok triage` also lets that cell begin on them. Anything else you write goes back to {cell}.",
        "`ok` と返信するとこのまま登録します。`ok 1` ならその番号だけ、`ok triage` なら登録してそのセルが始めます。それ以外の返信は {cell} に戻ります。",
    ),
    "comment_proposed_texts": (
        "What each of them says",
        "それぞれの内容",
    ),
    "comment_part": (
        "Part of #{number}, filed with the owner's consent. Nothing runs on it until a label is set on it.",
        "#{number} の一部です。所有者の同意を得て登録しました。ラベルが付くまで何も実行されません。",
    ),
    "comment_part_begun": (
        "Part of #{number}, filed with the owner's consent; **{cell}** begins on it.",
        "#{number} の一部です。所有者の同意を得て登録し、**{cell}** が始めます。",
    ),
}
