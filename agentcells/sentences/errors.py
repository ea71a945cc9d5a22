"""What went wrong and how the user mends it: the messages of Problem."""

from __future__ import annotations

ERRORS: dict[str, tuple[str, str]] = {
    "bug": (
        "This is a bug in agentcells. Please report it with this log: {log}",
        "agentcells の不具合です。このログを添えて報告してください: {log}",
    ),
    "store_unwritable": (
        "The state folder {path} cannot be written: {detail}. Give it room and rights, or choose another by AGENTCELLS_STATE.",
        "状態フォルダー {path} に書き込めません: {detail}。空き容量と権限を確かめるか、AGENTCELLS_STATE で別の場所を指定してください。",
    ),
    "store_run_unreadable": (
        "The folder of run {run} cannot be read: {detail}. Nothing of that run is written; once the disk is well again the next tick goes on.",
        "実行 {run} のフォルダーが読めません: {detail}。この実行の結果は何も書かれません。ディスクが直れば次の tick が続けます。",
    ),
    "observe_foreign_token": (
        "The token belongs to {viewer}, but cells.toml names {owner} as the owner and {bot} as the bot. Nothing was read. Give the owner's or the bot's token, or mend [factory] owner and bot.",
        "トークンは {viewer} のものですが、cells.toml の owner は {owner}、bot は {bot} です。何も読んでいません。owner か bot のトークンにするか、[factory] の owner と bot を直してください。",
    ),
    "claim_no_cell": (
        "There is no cell called {cell} in cells.toml any more. Set another label on the item.",
        "cells.toml に {cell} というセルはもうありません。別のラベルを付けてください。",
    ),
    "claim_empty_repository": (
        "The repository {repo} has no branch {branch} yet. Make a first commit there; then the next tick goes on.",
        "リポジトリ {repo} にはまだブランチ {branch} がありません。最初のコミットをすれば次の tick が続けます。",
    ),
    "apply_failed": (
        "Not done: {what}. {why}",
        "できませんでした: {what}。{why}",
    ),
    "apply_pull_vanished": (
        "The pull request for {head} was opened but cannot be found yet. The next tick looks again.",
        "{head} のプルリクエストは作られたはずですが、まだ見つかりません。次の tick がもう一度確かめます。",
    ),
    "apply_nothing_to_comment": (
        "There is no open pull request for {head} to comment on. The next tick looks again.",
        "{head} の開いたプルリクエストがなく、コメントできません。次の tick がもう一度確かめます。",
    ),
    "apply_no_member": (
        "{pair} has neither the issue nor the pull request that the label belongs on. The next tick looks again.",
        "{pair} にはラベルを付けるべき issue もプルリクエストもありません。次の tick がもう一度確かめます。",
    ),
    "apply_label_not_set": (
        "The label {label} does not stand on #{number} although it was set. Nothing was removed; the next tick looks again.",
        "#{number} にラベル {label} を付けましたが見当たりません。何も外していません。次の tick がもう一度確かめます。",
    ),
    "apply_changed_while_claiming": (
        "#{number} was changed while it was being claimed, so the run was not started. The next tick looks again.",
        "#{number} は着手の途中で変更されたため、実行を始めませんでした。次の tick がもう一度確かめます。",
    ),
    "logs_no_such_run": (
        "There is no run called {run} here. Its comment on the issue names it; logs of the last 200 runs are kept.",
        "{run} という実行はここにありません。issue のコメントに名前があります。ログは直近200回分を残します。",
    ),
    # ---- the embedded local forge
    "local_missing": (
        "There is no local forge in {root}. Make one with `agentcells init`, or correct forge.path in cells.toml.",
        "{root} にローカルフォージがありません。`agentcells init` で作るか、cells.toml の forge.path を直してください。"),
    "local_exists": (
        "There is a local forge in {root} already. Nothing was changed.",
        "{root} にはすでにローカルフォージがあります。何も変更していません。"),
    "local_damaged": (
        "The file {path} of the local forge is damaged. Nothing was done with it; put back a good copy.",
        "ローカルフォージのファイル {path} が壊れています。何も変更していません。正しい内容に戻してください。"),
    "local_newer": (
        "{path} was written in format {found}; this version knows format {known}. Update agentcells.",
        "{path} の形式は {found} ですが、このバージョンが読めるのは {known} です。agentcells を更新してください。"),
    "local_busy": (
        "Another process has held the local forge in {root} for a long time. Try again; if it stays so, look for a stopped agentcells.",
        "別のプロセスがローカルフォージ {root} を長く使っています。あとでもう一度試し、続くなら止まったままの agentcells を探してください。"),
    "local_io": (
        "The local forge could not use {path}: {detail}.",
        "ローカルフォージが {path} を扱えませんでした: {detail}"),
    "local_bad_name": (
        "\"{name}\" is no repository name of a local forge. Write owner/name with letters, digits, '.', '_' and '-'.",
        "「{name}」はローカルフォージのリポジトリ名になりません。英数字と . _ - で owner/name の形に書いてください。"),
    "local_bad_login": (
        "\"{login}\" is no account name. Use letters, digits, '.', '_' and '-'.",
        "「{login}」はアカウント名になりません。英数字と . _ - を使ってください。"),
    "local_login_taken": (
        "The account name {login} is taken. Choose another.",
        "アカウント名 {login} は使われています。別の名前にしてください。"),
    "local_no_account": (
        "The local forge has no account {login}. Add it with `agentcells issue accounts --add {login}`.",
        "ローカルフォージにアカウント {login} がありません。`agentcells issue accounts --add {login}` で追加できます。"),
    "local_no_repo": (
        "The local forge has no repository {repo}. It has: {known}.",
        "ローカルフォージにリポジトリ {repo} がありません。あるもの: {known}"),
    "local_no_item": (
        "{repo} has no issue or pull request #{number}.",
        "{repo} に issue やプルリクエスト #{number} はありません。"),
    "local_not_pull": (
        "{repo}#{number} is an issue, not a pull request.",
        "{repo}#{number} はプルリクエストではなく issue です。"),
    "local_no_label": (
        "{repo} has no label \"{label}\". `agentcells init` makes the labels of cells.toml.",
        "{repo} にラベル「{label}」がありません。cells.toml のラベルは `agentcells init` が作ります。"),
    "local_label_exists": (
        "{repo} has a label \"{label}\" already.",
        "{repo} にはすでにラベル「{label}」があります。"),
    "local_no_comment": (
        "{repo}#{number} has no comment {comment} (any more).",
        "{repo}#{number} にコメント {comment} は(もう)ありません。"),
    "local_no_thread": (
        "{repo}#{number} has no review thread {thread}.",
        "{repo}#{number} にレビューのスレッド {thread} はありません。"),
    "local_no_git": (
        "The git repository of {repo} is not there: {path}. Put it back, or make the forge anew.",
        "{repo} の git リポジトリがありません: {path}。元に戻すか、フォージを作り直してください。"),
    "local_empty": (
        "{repo} has no commit yet. Push a first one: git push {path} HEAD:main",
        "{repo} にはまだコミットがありません。最初のコミットを送ってください: git push {path} HEAD:main"),
    "local_git": (
        "git {verb} failed in {repo} of the local forge: {detail}",
        "ローカルフォージの {repo} で git {verb} が失敗しました: {detail}"),
    "local_no_branch": (
        "{repo} has no branch {ref}.",
        "{repo} にブランチ {ref} はありません。"),
    "local_default_branch": (
        "{ref} is the main line of {repo} and is not deleted.",
        "{ref} は {repo} の既定のブランチなので削除しません。"),
    "local_pull_exists": (
        "{repo} has an open pull request for {head} already: #{number}.",
        "{repo} には {head} の開いたプルリクエスト #{number} がすでにあります。"),
    "local_nothing_ahead": (
        "{head} has no commit in {repo} that {base} does not have: there is nothing to ask for.",
        "{repo} の {head} には {base} に無いコミットがないため、プルリクエストを作れません。"),
    "local_not_open": (
        "{repo}#{number} is {state}, not open. Nothing was done.",
        "{repo}#{number} は開いていません({state})。何もしていません。"),
    "local_head_moved": (
        "#{number} was not merged: its head is {found} now, not {expected}. Look at the new commits first.",
        "#{number} はマージしていません。先頭が {expected} から {found} に変わりました。新しいコミットを先に確かめてください。"),
    "local_conflict": (
        "#{number} was not merged: it conflicts with {base}, or {base} is not there.",
        "#{number} はマージしていません。{base} と競合しているか、{base} がありません。"),
    "local_base_moved": (
        "#{number} was not merged: {base} got new commits at the same moment. Try again.",
        "#{number} はマージしていません。同時に {base} へ新しいコミットが入りました。もう一度試してください。"),
    "local_own_review": (
        "{repo}#{number} is your own pull request: you can comment on it, not approve it or ask for changes.",
        "{repo}#{number} は自分のプルリクエストです。コメントはできますが、承認や変更依頼はできません。"),
    "local_bad_text": (
        "The text holds half a character (a lone surrogate) and cannot be stored.",
        "文章に文字の片割れ(単独のサロゲート)が含まれているため、保存できません。"),
    "local_bad_title": (
        "A title is one line and not empty.",
        "タイトルは空でない一行で書いてください。"),
    "pins_unreadable": (
        "{path} cannot be read: {detail}. Write it anew by `agentcells init --relock`, after looking at what changed.",
        "{path} を読めません: {detail}。変わった点を確かめてから `agentcells init --relock` で作り直してください。",
    ),
    "pins_differ": (
        "Nothing was read or written: behind these names there is somebody or something else than when you set up: {names}. Look at them on the forge; if all is as you want it, run `agentcells init --relock`.",
        "何も読み書きしていません。次の名前の中身が設定時と違います: {names}。フォージで確かめ、問題がなければ `agentcells init --relock` を実行してください。",
    ),
    "pins_missing": (
        "There is no {file} beside cells.toml, so names cannot be checked against their ids. Run `agentcells init` once.",
        "cells.toml の隣に {file} がないため、名前と ID を照合できません。一度 `agentcells init` を実行してください。",
    ),
    "prompt_no_cell": (
        "There is no cell {cell} in cells.toml any more. Put it back, or take its label off.",
        "セル {cell} は cells.toml にもうありません。元に戻すか、そのラベルを外してください。",
    ),
    "prompt_not_approved": (
        "{item} may not run now: what allowed it has changed since it was picked. It is looked at "
        "again at the next tick.",
        "{item} は今は実行できません。選んだ後に許可の条件が変わりました。"
        "次の巡回でもう一度確かめます。",
    ),
    "prompt_too_long": (
        "Your instructions on {item} and its text do not fit into {limit} characters, and they are "
        "never cut silently. Shorten or delete some of your comments, or open a new issue.",
        "{item} の本文とあなたの指示が {limit} 文字に収まりません。黙って削ることはしません。"
        "コメントを短くするか削除するか、新しい課題を作ってください。",
    ),
}
