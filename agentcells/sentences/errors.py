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
    "store_refused": (
        "{path} could not be written: {detail}. Make room, or mend its rights, and start again: the next tick goes on where this one stopped.",
        "{path} に書き込めませんでした: {detail}。空きを作るか権限を直してから、もう一度始めてください。次の tick が続きから進めます。",
    ),
    "system_refused": (
        "The system refused something agentcells needs: {detail}. Mend that, and start again.",
        "agentcells に必要なことをシステムが拒みました: {detail}。直してから、もう一度始めてください。",
    ),
    "bug_no_log": (
        "This is a bug in agentcells, and no log of it could be written ({why}): {what}",
        "agentcells の不具合です。ログも書けませんでした ({why}): {what}",
    ),
    "store_run_unreadable": (
        "The folder of run {run} cannot be read: {detail}. Nothing of that run is written; once the disk is well again the next tick goes on.",
        "実行 {run} のフォルダーが読めません: {detail}。この実行の結果は何も書かれません。ディスクが直れば次の tick が続けます。",
    ),
    "observe_foreign_token": (
        "The token belongs to {viewer}, but cells.toml names {owner} as the owner and {bot} as the bot. Nothing was read. Give the owner's or the bot's token, or mend [factory] owner and bot.",
        "トークンは {viewer} のものですが、cells.toml の owner は {owner}、bot は {bot} です。何も読んでいません。owner か bot のトークンにするか、[factory] の owner と bot を直してください。",
    ),
    "observe_shared_bot": (
        "The token belongs to {viewer}, an account that anybody's workflow can act as: what it writes proves nothing. Nothing was read. Give the factory an account of its own, and its token.",
        "トークンは {viewer} のものです。誰のワークフローでも名乗れるアカウントなので、書いた人を証明できません。何も読んでいません。専用のアカウントとそのトークンを用意してください。",
    ),
    "observe_half_a_list": (
        "The list of {repo} did not come whole; what came is used, and the next tick lists it again.",
        "{repo} の一覧が全部は届きませんでした。届いた分だけを使い、次の tick がもう一度読みます。",
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
    "apply_secret": (
        "The text holds a secret, so it was not written.",
        "文章に秘密が含まれているため、書き込みませんでした。",
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
    "apply_labels_changed": (
        "Somebody has changed the labels of #{number} meanwhile, so they were left as they are. The next tick looks again.",
        "その間に #{number} のラベルが変更されたため、そのままにしました。次の tick がもう一度確かめます。",
    ),
    "apply_changed_while_claiming": (
        "#{number} was changed while it was being claimed, so the run was not started. The next tick looks again.",
        "#{number} は着手の途中で変更されたため、実行を始めませんでした。次の tick がもう一度確かめます。",
    ),
    "logs_item_not_run": (
        "{run} is no run but perhaps an item: `agentcells logs --item {run}` shows what ticks did with it.",
        "{run} は実行の名前ではありません。課題の番号なら `agentcells logs --item {run}` で、tick がしたことを表示します。",
    ),
    "logs_no_such_run": (
        "There is no run called {run} here. Its comment on the issue names it; logs of the last 200 runs are kept.",
        "{run} という実行はここにありません。issue のコメントに名前があります。ログは直近200回分を残します。",
    ),
    # ---- the embedded local forge
    "local_missing": (
        "There is no local forge in {root}. Put it back, or correct forge.path in cells.toml; `agentcells demo --by-hand FOLDER` makes a new one.",
        "{root} にローカルフォージがありません。元に戻すか、cells.toml の forge.path を直してください。新しく作るのは `agentcells demo --by-hand フォルダー` です。"),
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
        "The local forge could not use {path}: {detail}. See that its folder lies on a disk with room and can be written by whoever runs this (`ls -ld`, `df`), then try again.",
        "ローカルフォージが {path} を扱えませんでした: {detail}。フォルダーが書き込み可能で、ディスクに空きがあることを確かめて (`ls -ld`、`df`)、もう一度試してください。"),
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
    "pins_new_repository": (
        "{repo} stands in cells.toml but was never set up, so it is left alone. Run `agentcells init`: it makes the labels and notes the ids.",
        "{repo} は cells.toml にありますが、まだ設定されていないため触れません。`agentcells init` を実行すると、ラベルを作り ID を控えます。",
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
        "次の tick でもう一度確かめます。",
    ),
    "prompt_too_long": (
        "Your instructions on {item} and its text do not fit into {limit:character|characters}, and they are "
        "never cut silently. Shorten or delete some of your comments, or open a new issue.",
        "{item} の本文とあなたの指示が {limit} 文字に収まりません。黙って削ることはしません。"
        "コメントを短くするか削除するか、新しい課題を作ってください。",
    ),
    "git_auth": (
        "The forge did not accept the token for git ({verb}): {detail}. Nothing was changed. Renew the token, or give it the right to read and write the contents of this repository.",
        "フォージが git ({verb}) のトークンを受け付けませんでした: {detail}。何も変わっていません。トークンを更新するか、このリポジトリの内容を読み書きする権限を付けてください。",
    ),
    "git_archived": (
        "The repository is archived, so the forge takes nothing from git ({verb}): {detail}. What is not published is kept. Unarchive it in its settings, and the next tick goes on; or take it out of `repos` in cells.toml.",
        "リポジトリがアーカイブされているため、フォージが git ({verb}) を受け付けません: {detail}。公開していない作業は残してあります。設定でアーカイブを解除すれば次の tick が続けます。続けない場合は cells.toml の `repos` から外してください。",
    ),
    "git_rejected_stale": (
        "The branch moved meanwhile, so nothing was pushed: {detail}. The next tick looks at it afresh.",
        "その間にブランチが動いたため、何もプッシュしていません: {detail}。次の tick が改めて確認します。",
    ),
    "git_rejected_hook": (
        "The forge refused the push by a rule of its own: {detail}. Change the rule for branches named agentcells/…, or the work.",
        "フォージ側の規則によりプッシュが拒まれました: {detail}。agentcells/… のブランチに対する規則か、作業の内容を変えてください。",
    ),
    "git_not_found": (
        "git found no such repository or object ({verb}): {detail}. Check [forge] repos and git_url, and that the token may see the repository.",
        "そのリポジトリまたはオブジェクトが見つかりません ({verb}): {detail}。[forge] の repos と git_url、トークンで見えるリポジトリかどうかを確かめてください。",
    ),
    "git_network": (
        "git could not reach the forge ({verb}): {detail}. Nothing was changed; the next tick tries again.",
        "git がフォージに届きません ({verb}): {detail}。何も変わっていません。次の tick が再び試みます。",
    ),
    "git_timeout": (
        "git took too long and was ended ({verb}). The next tick tries again; if it stays so, look at the network or the disk. {detail}",
        "git に時間がかかりすぎたため終わらせました ({verb})。次の tick が再び試みます。続くようならネットワークかディスクを調べてください。{detail}",
    ),
    "git_disk": (
        "git cannot write to the state folder ({verb}): {detail}. Give it room and rights.",
        "git が状態フォルダーに書き込めません ({verb}): {detail}。空き容量と権限を確かめてください。",
    ),
    "git_corrupt": (
        "The tool's own copy of the repository is damaged ({verb}): {detail}. Delete the folder repos/ in the state folder while no run is alive; it is fetched again.",
        "手元に持つリポジトリの写しが壊れています ({verb}): {detail}。実行中のものが無いときに状態フォルダーの repos/ を消してください。取り直されます。",
    ),
    "git_corrupt_there": (
        "The repository is damaged on the forge's side ({verb}): {detail}. Nothing was changed. Mend it there (`git fsck` tells more), from a backup or by a fresh push.",
        "フォージ側のリポジトリが壊れています ({verb}): {detail}。何も変わっていません。フォージ側で (`git fsck` で詳しく分かります) バックアップか新しいプッシュで直してください。",
    ),
    "git_conflict": (
        "git could not do it because something else stands in the way ({verb}): {detail}. The next tick tries again.",
        "ほかのものが妨げとなり git が実行できません ({verb}): {detail}。次の tick が再び試みます。",
    ),
    "git_other": (
        "git failed ({verb}): {detail}",
        "git が失敗しました ({verb}): {detail}",
    ),
    "git_not_started": (
        "git could not be started ({verb}): {detail}",
        "git を起動できません ({verb}): {detail}",
    ),
    "git_missing": (
        "git is not installed or not on PATH. Install git 2.38 or newer.",
        "git が入っていないか PATH にありません。git 2.38 以降を入れてください。",
    ),
    "git_too_old": (
        "git {found} is too old to merge without a working copy. Install git 2.38 or newer.",
        "git {found} は古く、作業コピーなしのマージができません。git 2.38 以降を入れてください。",
    ),
    "git_path_dropped": (
        "git does not store a file named {path}. Give it another name.",
        "git は {path} という名前のファイルを保存しません。別の名前にしてください。",
    ),
    "git_bad_address": (
        "{url} is no address to send work to. Only https addresses without account or token in them, or the absolute path of a folder, are used.",
        "{url} は送り先として使えません。アカウントやトークンを含まない https のアドレスか、フォルダーの絶対パスだけが使えます。",
    ),
    "git_foreign_branch": (
        "{ref} is not a branch of agentcells, so nothing was pushed. Only agentcells/<number> is ever written.",
        "{ref} は agentcells のブランチではないため、何もプッシュしていません。書くのは agentcells/<番号> だけです。",
    ),
    "git_bad_name": (
        "The branch name {ref} is not one that can be fetched safely. Rename the branch.",
        "ブランチ名 {ref} は安全に取得できません。ブランチの名前を変えてください。",
    ),
    # ---- the desk: agentcells issue
    "forge_as_needs_local": (
        "--as works on the local forge only; on {kind} you are whoever the token says.",
        "--as はローカルフォージだけで使えます。{kind} ではトークンのアカウントになります。"),
    "issue_which_repo": (
        "Several repositories are configured: say which with --repo. There are: {known}.",
        "リポジトリが複数あります。--repo で選んでください: {known}"),
    "issue_local_only": (
        "This works on the local forge only. On GitHub and Gitea do it on the web page.",
        "これはローカルフォージだけで使えます。GitHub や Gitea では Web の画面で行ってください。"),
    "issue_empty_text": (
        "There is no text to write. Give one; - reads it from standard input.",
        "書き込む文章がありません。文章を指定してください。- なら標準入力から読みます。"),
    "issue_not_utf8": (
        "The text on standard input is not UTF-8. Nothing was written.",
        "標準入力の文章が UTF-8 ではありません。何も書き込んでいません。"),
    "issue_nothing_to_change": (
        "Say what to change: --title, --body, or --comment with --body.",
        "変えるものを指定してください: --title、--body、または --comment と --body。"),
    "issue_one_verdict": (
        "Choose one of --approve and --request-changes.",
        "--approve と --request-changes はどちらか一方にしてください。"),
    "issue_not_a_pull": (
        "{repo}#{number} is an issue; only a pull request can be merged.",
        "{repo}#{number} は issue です。マージできるのはプルリクエストだけです。"),
    # ---- runs and their sandboxes
    "run_no_agent": (
        "The agent program `{command}` was not found. Install it, or name it in [agent] "
        "command (a folder outside /usr belongs into [sandbox] read).",
        "エージェントのプログラム `{command}` が見つかりません。インストールするか、[agent] "
        "command に書いてください（/usr の外にあるフォルダーは [sandbox] read に書きます）。",
    ),
    "run_disk_full": (
        "The run was ended because only {left} MB were left on the disk, less than the {floor} MB of [sandbox] free_disk_mb. "
        "Look at what fills it: the run's own files are gone by now.",
        "ディスクの空きが {left} MB になり、[sandbox] free_disk_mb の {floor} MB を下回ったため、実行を終わらせました。"
        "何がディスクを埋めているか見てください。この実行のファイルはもう消えています。",
    ),
    "run_disk_low": (
        "Only {left} MB are left on the disk that runs work on, less than the {floor} MB of [sandbox] free_disk_mb. "
        "No run starts until there is room; nothing is written on the forge.",
        "実行に使うディスクの空きが {left} MB しかなく、[sandbox] free_disk_mb の {floor} MB を下回っています。"
        "空きができるまで実行は始まらず、フォージには何も書きません。",
    ),
    "run_no_proof": (
        "Run {run}: it could not be proved that all of its processes have ended, so its "
        "result is not used. See supervisor.log in the run's folder.",
        "実行 {run}: すべてのプロセスが終わったことを証明できなかったため、結果は使いません。"
        "実行フォルダーの supervisor.log を見てください。",
    ),
    "run_unreadable_path": (
        "[sandbox] read names {path}, which does not exist. Remove it or correct it.",
        "[sandbox] read の {path} は存在しません。取り除くか直してください。",
    ),
    "run_bad_keep": (
        "[commands] keep names {path}; it must be a path inside the project.",
        "[commands] keep の {path} はプロジェクト内のパスでなければなりません。",
    ),
    "run_bad_base_url": (
        "ANTHROPIC_BASE_URL is no address of an API: {url}",
        "ANTHROPIC_BASE_URL は API のアドレスではありません: {url}",
    ),
    "run_host_not_listed": (
        "The API host {host} is not in [agent] hosts. They are all that the agent may reach: "
        "add it there.",
        "API のホスト {host} が [agent] hosts にありません。エージェントはそこに書かれた先に"
        "しか届きません。追加してください。",
    ),
    "sandbox_not_linux": (
        "Strong containment needs Linux. Run agentcells in a Linux virtual machine or "
        "container; containment = \"none\" is allowed with the local forge only.",
        "強い隔離には Linux が必要です。Linux の仮想マシンかコンテナーで動かしてください。"
        "containment = \"none\" はローカルのフォージでのみ使えます。",
    ),
    "sandbox_no_bubblewrap": (
        "bubblewrap (the program `bwrap`) is missing, and without it no agent is started. "
        "Install it, e.g. `apt install bubblewrap` or `dnf install bubblewrap`.",
        "bubblewrap（プログラム `bwrap`）がないため、エージェントは起動しません。"
        "`apt install bubblewrap` や `dnf install bubblewrap` などで入れてください。",
    ),
    "sandbox_old_bubblewrap": (
        "This bubblewrap is too old: 0.8.0 or newer is needed.",
        "bubblewrap が古すぎます。0.8.0 以降が必要です。",
    ),
    "sandbox_no_namespaces": (
        "The kernel does not let this account make namespaces, so no agent is started. On "
        "Debian: `sysctl -w kernel.unprivileged_userns_clone=1`. In Docker: run with a "
        "seccomp profile that allows them, and with `--security-opt systempaths=unconfined`.",
        "カーネルがこのアカウントに名前空間の作成を許していないため、エージェントは起動しませ"
        "ん。Debian では `sysctl -w kernel.unprivileged_userns_clone=1`。Docker では名前空間"
        "を許す seccomp プロファイルと `--security-opt systempaths=unconfined` で動かしてくだ"
        "さい。",
    ),
    "sandbox_apparmor": (
        "AppArmor keeps bubblewrap from making namespaces (Ubuntu 23.10 and later), so no "
        "agent is started. Install an AppArmor profile for /usr/bin/bwrap that allows "
        "`userns`, or, wider: `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0`.",
        "AppArmor が bubblewrap の名前空間作成を止めているため（Ubuntu 23.10 以降）、エージェ"
        "ントは起動しません。/usr/bin/bwrap に `userns` を許す AppArmor プロファイルを入れる"
        "か、より広く `sysctl -w kernel.apparmor_restrict_unprivileged_userns=0` を設定してく"
        "ださい。",
    ),
    "sandbox_masked_proc": (
        "A part of /proc is covered here (a container?), so the sandbox cannot have one of "
        "its own, and no agent is started. In Docker: `--security-opt "
        "systempaths=unconfined`.",
        "/proc の一部が覆われているため（コンテナー内など）、サンドボックスが自分の /proc を"
        "持てず、エージェントは起動しません。Docker では "
        "`--security-opt systempaths=unconfined` を付けてください。",
    ),
    "sandbox_failed": (
        "The sandbox does not start, and without it no agent does. bubblewrap says: {detail}",
        "サンドボックスが起動しないため、エージェントも起動しません。bubblewrap の出力: "
        "{detail}",
    ),
    "sandbox_no_such_account": (
        "[sandbox] run_as names the account {name}, which does not exist.",
        "[sandbox] run_as のアカウント {name} は存在しません。",
    ),
    "sandbox_run_as_root": (
        "[sandbox] run_as names {name}, which is root. Name an account without rights, or "
        "leave it empty.",
        "[sandbox] run_as の {name} は root です。権限のないアカウントを書くか、空にしてくだ"
        "さい。",
    ),
    "sandbox_canary_read": (
        "The sandbox could read a file beside the workspace, so the agent was not started.",
        "サンドボックスから作業フォルダーの外のファイルが読めたため、エージェントを起動しませ"
        "んでした。",
    ),
    "sandbox_canary_reached": (
        "The sandbox could reach a socket of this host, so the agent was not started.",
        "サンドボックスからこのホストのソケットに届いたため、エージェントを起動しませんでした"
        "。",
    ),
    "sandbox_canary_alive": (
        "A process left behind in the sandbox could not be ended, so the agent was not "
        "started.",
        "サンドボックスに残ったプロセスを終了できなかったため、エージェントを起動しませんでし"
        "た。",
    ),
    "sandbox_canary_failed": (
        "The sandbox could not be tried out, so the agent was not started: {detail}",
        "サンドボックスを試せなかったため、エージェントを起動しませんでした: {detail}",
    ),
    "claim_ask_first": (
        "There are commits on the branch for #{number} that no run made; you are asked about them first.",
        "#{number} のブランチに、どの実行も作っていないコミットがあります。先に確認をお願いします。",
    ),
    "apply_pull_of_another": (
        "Somebody else has opened #{number} from the branch {head}. Nothing is written there: close it, or take the branch away.",
        "他の人がブランチ {head} から #{number} を作っています。そこには何も書きません。閉じるか、ブランチを消してください。",
    ),
    "run_files_refused": (
        "The files of the run could not be set up: {detail}. The next run tries again; where it says that no space is left, make room.",
        "実行のファイルを準備できませんでした: {detail}。次の実行でもう一度試します。空きがないと書かれているときは、空きを作ってください。",
    ),
}
