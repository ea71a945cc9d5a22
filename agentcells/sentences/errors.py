"""What went wrong and how the user mends it: the messages of Problem."""

from __future__ import annotations

ERRORS: dict[str, tuple[str, str]] = {
    # cells.toml (`config`, `config_rules`): the place stands before, so a line begins small
    "config_missing": (
        "There is no configuration at {file}. `agentcells init` writes one; `--config "
        "FILE` names another place.",
        "設定ファイル {file} がありません。`agentcells init` で作成できます。別の場所は "
        "`--config FILE` で指定してください。",
    ),
    "config_unreadable": (
        "{file} cannot be read: {why}. Mend the file or its permissions.",
        "{file} を読めません: {why}。ファイルまたは権限を直してください。",
    ),
    "config_large": (
        "{file} is larger than {limit} bytes: that is no cells.toml. Is it the right "
        "file?",
        "{file} は {limit} バイトを超えています。cells.toml "
        "ではないようです。ファイルを確認してください。",
    ),
    "config_not_utf8": (
        "{file}:{line}: this is not UTF-8. Save the file as UTF-8.",
        "{file}:{line}: UTF-8 ではありません。UTF-8 で保存してください。",
    ),
    "config_syntax": (
        "{file}:{line}: not valid TOML at column {column}: {why}. Text values stand in "
        "quotes, lists in brackets.",
        "{file}:{line}: {column} 文字目が TOML として正しくありません: "
        "{why}。文字列は引用符、リストは角括弧で囲みます。",
    ),
    "config_mistakes": ("{lines}", "{lines}"),
    "config_more": ("… and {count} more mistakes.", "… ほかに {count} 件の誤りがあります。"),
    "config_kind_text": ("text in quotes", "引用符の文字列"),
    "config_kind_truth": ("true or false", "true / false"),
    "config_kind_whole": ("a whole number", "整数"),
    "config_kind_number": ("a number with a fraction", "小数"),
    "config_kind_list": ("a list", "リスト"),
    "config_kind_table": ("a table", "テーブル"),
    "config_kind_other": ("a date or time", "日付または時刻"),
    "config_wants_text": (
        "must be text in quotes, e.g. \"…\", but is {found}",
        "引用符で囲んだ文字列にしてください(現在: {found})",
    ),
    "config_wants_truth": (
        "must be true or false, but is {found}",
        "true または false にしてください(現在: {found})",
    ),
    "config_wants_whole": (
        "must be a whole number without quotes, but is {found}",
        "引用符なしの整数にしてください(現在: {found})",
    ),
    "config_wants_number": (
        "must be a number without quotes, but is {found}",
        "引用符なしの数にしてください(現在: {found})",
    ),
    "config_wants_list": (
        "must be a list in brackets, e.g. [\"…\"], but is {found}",
        "角括弧のリスト(例: [\"…\"])にしてください(現在: {found})",
    ),
    "config_wants_table": (
        "must be a table of its own, but is {found}",
        "テーブルにしてください(現在: {found})",
    ),
    "config_cell_table": (
        "write [[cell]] with two brackets: there are several cells",
        "[[cell]] と二重の角括弧で書いてください(セルは複数あります)",
    ),
    "config_unknown_key": (
        "unknown key {name}; known here: {known}",
        "不明なキー {name}。ここで使えるのは: {known}",
    ),
    "config_unknown_key_near": (
        "unknown key {name}; did you mean {near}?",
        "不明なキー {name}。{near} の誤りではありませんか?",
    ),
    "config_missing_key": ("{name} is missing; write it", "{name} がありません。書いてください"),
    "config_choice": ("must be one of {known}; perhaps {near}", "{known} のどれかにしてください(例: {near})"),
    "config_number_above": ("must be greater than {limit}", "{limit} より大きくしてください"),
    "config_number_least": ("must be at least {limit}", "{limit} 以上にしてください"),
    "config_number_most": ("must be at most {limit}", "{limit} 以下にしてください"),
    "config_number_finite": (
        "must be a finite number: a limit without end is no limit",
        "有限の数にしてください",
    ),
    "config_empty_list": ("must not be empty", "空にはできません"),
    "config_blank": (
        "must not be empty; leave the key out for its default",
        "空にはできません。既定値でよければキーを消してください",
    ),
    "config_control_characters": (
        "holds a line break or another control character; take it out",
        "改行などの制御文字が含まれています。取り除いてください",
    ),
    "config_duration": (
        "must be a time with its unit in quotes: \"90s\", \"10m\", \"2h\", \"1d\"",
        "単位つきの時間を引用符で書いてください: \"90s\"、\"10m\"、\"2h\"、\"1d\"",
    ),
    "config_duration_size": (
        "must be longer than nothing and at most 14 days",
        "0 より長く、14 日以内にしてください",
    ),
    "config_command_line": (
        "a command is a list of words, no shell runs it; write {words}",
        "コマンドは語のリストです(シェルは使いません)。{words} と書いてください",
    ),
    "config_login": (
        "is not a login of an account; letters, digits, dot, dash and underscore only",
        "アカウント名として正しくありません。英数字と . - _ だけが使えます",
    ),
    "config_repo_name": (
        "must be \"owner/name\", without https:// and without .git",
        "\"所有者/名前\" の形で書いてください(https:// や .git は不要です)",
    ),
    "config_cell_name": (
        "a cell's name has small letters, digits and dashes, begins with a letter, and "
        "has at most 31 characters",
        "セル名は英小文字で始め、英小文字・数字・ハイフンのみ、31 文字以内です",
    ),
    "config_field_name": (
        "a field has small letters, digits and underscores; \"next\" and \"comment\" are "
        "always there",
        "フィールド名は英小文字・数字・下線のみです。\"next\" と \"comment\" は常にあります",
    ),
    "config_env_name": (
        "must be the name of an environment variable, never its value",
        "環境変数の名前を書いてください(値は書かないでください)",
    ),
    "config_host": (
        "must be a host name like \"registry.example\" or \"host:443\", without https:// and "
        "without a path",
        "\"registry.example\" や \"host:443\" のようなホスト名だけを書いてください(https:// "
        "やパスは不要です)",
    ),
    "config_keep_path": (
        "must be a folder inside the project, like \"node_modules\"",
        "\"node_modules\" のように、プロジェクト内のフォルダーを書いてください",
    ),
    "config_read_path": (
        "must be an absolute path (or begin with \"~/\") of one folder or file, and not "
        "the whole disk or home",
        "絶対パス(または \"~/\" "
        "で始まるパス)で一つのフォルダーかファイルを書いてください。ディスク全体やホーム全体は指定できません",
    ),
    "config_token_literal": (
        "the token itself must not stand in a file that is read, copied and shared; say "
        "where it comes from: {{ command = [\"gh\", \"auth\", \"token\"] }}, {{ file = \"…\" }} or "
        "{{ env = \"NAME\" }}. If it was ever committed, revoke it",
        "トークンそのものを設定ファイルに書いてはいけません(読まれ、複製され、共有されます)。取得元を書いてください: "
        "{{ command = [\"gh\", \"auth\", \"token\"] }}、{{ file = \"…\" }}、{{ env = \"NAME\" "
        "}}。コミットしたことがあれば失効させてください",
    ),
    "config_token_one": (
        "must have exactly one of command, file and env",
        "command、file、env のうち一つだけを書いてください",
    ),
    "config_no_token": (
        "a Gitea needs a token; write token = {{ file = \"…\" }}, {{ env = \"NAME\" }} or {{ "
        "command = […] }}",
        "Gitea にはトークンが必要です。token = {{ file = \"…\" }}、{{ env = \"NAME\" }}、{{ "
        "command = […] }} のどれかを書いてください",
    ),
    "config_no_api_url": (
        "a Gitea needs its address; write api_url = \"https://gitea.example/api/v1\"",
        "Gitea のアドレスが必要です。api_url = \"https://gitea.example/api/v1\" "
        "のように書いてください",
    ),
    "config_url_login": (
        "must not hold a user name or password; use token",
        "ユーザー名やパスワードを含めないでください。token を使ってください",
    ),
    "config_url_form": (
        "must be an address that begins with https:// (http:// only for this machine "
        "itself)",
        "https:// で始まるアドレスにしてください(http:// はこのマシン自身だけ)",
    ),
    "config_notify_two_urls": (
        "leave either url or url_from out", "url と url_from はどちらか一つにしてください"),
    "config_notify_no_url": (
        "{name} is of a webhook; write url or url_from beside it",
        "{name} は webhook のための設定です。url か url_from も書いてください"),
    "config_no_ca_file": ("there is no file {file}", "ファイル {file} がありません"),
    "config_no_owner": (
        "nobody's labels would count; write owner = \"your-login\" below [factory]",
        "誰のラベルも有効になりません。[factory] に owner = \"あなたのアカウント名\" "
        "を書いてください",
    ),
    "config_shared_bot": (
        "{bot} is an account that others share, so its posts prove nothing; make an "
        "account of your own for the bot",
        "{bot} "
        "は共有アカウントなので、その投稿は証拠になりません。専用のボットアカウントを用意してください",
    ),
    "config_prefix_form": (
        "must have at most 20 characters and no comma, like \"ac:\"",
        "\"ac:\" のように 20 文字以内、カンマなしにしてください",
    ),
    "config_priority_prefix": (
        "begins with {prefix}, so it would be taken for a state; choose another name",
        "{prefix} で始まると状態ラベルと見なされます。別の名前にしてください",
    ),
    "config_timezone": (
        "there is no time zone \"{name}\"; perhaps \"{near}\"",
        "タイムゾーン \"{name}\" はありません。\"{near}\" ではありませんか?",
    ),
    "config_no_timezones": (
        "this machine has no time zone data, so \"{name}\" cannot be used; install tzdata "
        "or write \"UTC\"",
        "このマシンにはタイムゾーンのデータがなく、\"{name}\" を使えません。tzdata "
        "を入れるか \"UTC\" と書いてください",
    ),
    "config_no_repos": (
        "there is nothing to work on; write repos = [\"owner/name\"] below [forge]",
        "対象のリポジトリがありません。[forge] に repos = [\"所有者/名前\"] "
        "を書いてください",
    ),
    "config_repo_twice": ("{repo} stands here twice; take one out", "{repo} が重複しています。一つにしてください"),
    "config_containment_none": (
        "a {kind} forge needs \"strong\": without containment, what the model starts could "
        "reach your token. \"none\" is for the local forge only",
        "{kind} では \"strong\" "
        "が必要です。隔離なしでは、モデルが起動したものがトークンに届きます。\"none\" は "
        "local 専用です",
    ),
    "config_no_cells": (
        "there is no cell; write at least one [[cell]]",
        "セルがありません。[[cell]] を一つ以上書いてください",
    ),
    "config_all_cells_off": (
        "every cell is off; set enabled = true for one",
        "すべてのセルが無効です。どれかを enabled = true にしてください",
    ),
    "config_no_name": (
        "every cell needs a name; write name = \"…\"",
        "セルには名前が必要です。name = \"…\" を書いてください",
    ),
    "config_name_reserved": (
        "\"{name}\" has a meaning of its own; choose another name",
        "\"{name}\" は予約語です。別の名前にしてください",
    ),
    "config_name_twice": (
        "there is another cell \"{name}\" above; choose another name",
        "同じ名前のセル \"{name}\" が上にあります。別の名前にしてください",
    ),
    "config_label_of_factory": (
        "a cell on \"factory\" works on no item, so it has no label; take the key out",
        "on = \"factory\" "
        "のセルは対象を持たないため、ラベルもありません。このキーを消してください",
    ),
    "config_label_prefix": (
        "\"{label}\" must begin with {prefix}, like \"{prefix}{name}\": labels without it "
        "are yours and are never touched",
        "\"{label}\" は {prefix} で始めてください(例: "
        "\"{prefix}{name}\")。それ以外のラベルには触れません",
    ),
    "config_label_reserved": (
        "\"{label}\" is one of the states that agentcells sets itself; choose another label",
        "\"{label}\" は agentcells 自身が付ける状態です。別のラベルにしてください",
    ),
    "config_label_form": (
        "a label has at most {limit} characters and no comma",
        "ラベルは {limit} 文字以内、カンマなしにしてください",
    ),
    "config_label_twice": (
        "\"{label}\" is the label of cell {other} already; choose another one",
        "\"{label}\" はセル {other} のラベルです。別のラベルにしてください",
    ),
    "config_no_every": (
        "a cell on \"factory\" is due by time; write every = \"6h\"",
        "on = \"factory\" のセルには間隔が必要です。every = \"6h\" のように書いてください",
    ),
    "config_every_elsewhere": (
        "only a cell on \"factory\" is due by time, this one is on \"{on}\"; take the key out",
        "every は on = \"factory\" のセルだけで使えます(ここは "
        "\"{on}\")。このキーを消してください",
    ),
    "config_merge_elsewhere": (
        "only a cell on \"pull_request\" can merge, this one is on \"{on}\"",
        "merge は on = \"pull_request\" のセルだけで使えます(ここは \"{on}\")",
    ),
    "config_merge_only": (
        "a cell with merge = true may send an item to \"merge\" or \"needs-human\" alone",
        "merge = true のセルの next に書けるのは \"merge\" と \"needs-human\" だけです",
    ),
    "config_merge_unused": (
        "the cell has merge = true but cannot say so; write \"merge\" into next, or take "
        "merge = true out",
        "merge = true ですが next に \"merge\" がありません。next に加えるか、merge = true "
        "を消してください",
    ),
    "config_record_without_writes": (
        "the cell may write nothing, so it could never go on; set writes = true, or "
        "needs_record = false",
        "このセルは何も書けないため、先へ進めません。writes = true か needs_record = "
        "false にしてください",
    ),
    "config_test_without_command": (
        "there is no test to run; write test = [\"…\"] below [commands], or needs_test = "
        "false",
        "実行するテストがありません。[commands] に test = [\"…\"] を書くか、needs_test = "
        "false にしてください",
    ),
    "config_no_next": (
        "nothing leads on from here; write next = [\"…\"] with a cell or \"done\"",
        "次の行き先がありません。next = [\"…\"] にセル名か \"done\" を書いてください",
    ),
    "config_next_of_factory": (
        "a cell on \"factory\" has no item to send to \"{name}\"; leave next out",
        "on = \"factory\" のセルには \"{name}\" へ送る対象がありません。next を消してください",
    ),
    "config_next_merge": (
        "only a cell with merge = true may merge; take \"merge\" out, or set merge = true",
        "merge は merge = true のセルだけが使えます。\"merge\" を消すか、merge = true "
        "にしてください",
    ),
    "config_next_twice": (
        "\"{name}\" stands here twice; take one out",
        "\"{name}\" が重複しています。一つにしてください",
    ),
    "config_unknown_cell": (
        "there is no cell \"{name}\"; possible here: {known}",
        "セル \"{name}\" はありません。使えるのは: {known}",
    ),
    "config_unknown_cell_near": (
        "there is no cell \"{name}\"; did you mean \"{near}\"?",
        "セル \"{name}\" はありません。\"{near}\" の誤りではありませんか?",
    ),
    "config_cell_off": (
        "cell \"{name}\" is off; set enabled = true there, or name another",
        "セル \"{name}\" は無効です。enabled = true にするか、別のセルを指定してください",
    ),
    "config_cell_of_factory": (
        "cell \"{name}\" is on \"factory\" and takes no items",
        "セル \"{name}\" は on = \"factory\" なので、対象を受け取りません",
    ),
    "config_next_all_off": (
        "every cell that \"{name}\" leads to is off; switch one on, or add \"done\"",
        "\"{name}\" の行き先がすべて無効です。どれかを有効にするか、\"done\" を加えてください",
    ),
    "config_unreachable": (
        "nothing leads to \"{name}\": no cell that begins at an issue names it in next, "
        "directly or through others; add it to a next, or set enabled = false",
        "\"{name}\" にはどこからも到達できません。どこかの next に加えるか、enabled = "
        "false にしてください",
    ),
    "config_no_way_out": (
        "from \"{name}\" no way leads to \"done\", \"merge\" or \"needs-human\": items would go "
        "in circles until their rounds are used up; add one to next",
        "\"{name}\" からは \"done\"、\"merge\"、\"needs-human\" "
        "のどれにも到達できず、ラウンドを使い切るまで回り続けます。next に加えてください",
    ),
    "config_prompt_missing": (
        "there is no prompt file {full}; create it, or correct the path",
        "プロンプトのファイル {full} がありません。作成するか、パスを直してください",
    ),
    "config_prompt_missing_near": (
        "there is no prompt file {full}; did you mean \"{near}\" in the same folder?",
        "プロンプトのファイル {full} がありません。同じフォルダーの \"{near}\" "
        "ではありませんか?",
    ),
    "config_prompt_not_utf8": (
        "{file} is not UTF-8; save it as UTF-8",
        "{file} は UTF-8 ではありません。UTF-8 で保存してください",
    ),
    "config_prompt_unreadable": ("{file} cannot be read: {why}", "{file} を読めません: {why}"),
    "config_prompt_empty": (
        "{file} is empty; say in it what the cell is for",
        "{file} が空です。セルの役割を書いてください",
    ),
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
        "次の巡回でもう一度確かめます。",
    ),
    "prompt_too_long": (
        "Your instructions on {item} and its text do not fit into {limit} characters, and they are "
        "never cut silently. Shorten or delete some of your comments, or open a new issue.",
        "{item} の本文とあなたの指示が {limit} 文字に収まりません。黙って削ることはしません。"
        "コメントを短くするか削除するか、新しい課題を作ってください。",
    ),
    "git_auth": (
        "The forge did not accept the token for git ({verb}): {detail}. Nothing was changed. Renew the token, or give it the right to read and write the contents of this repository.",
        "フォージが git ({verb}) のトークンを受け付けませんでした: {detail}。何も変わっていません。トークンを更新するか、このリポジトリの内容を読み書きする権限を付けてください。",
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
    "init_needs": (
        "Say which repository and whose: `agentcells init --repo owner/name --owner login`. This folder has no `origin` to find it by.",
        "どのリポジトリで誰が使うかを指定してください: `agentcells init --repo owner/name --owner login`。このフォルダーには `origin` がありません。",
    ),
    "init_no_issue_cell": (
        "No cell in cells.toml works on issues, so there is nothing an issue form could lead to.",
        "cells.toml に issue を扱うセルがないため、issue フォームを作れません。",
    ),
    "demo_needs_git": (
        "The demo needs git, which is not on the PATH. Install it (Debian: apt-get install git) and start again.",
        "デモには git が必要ですが見つかりません。インストールしてください (Debian: apt-get install git)。",
    ),
    "demo_folder_not_empty": (
        "{path} is not empty. Give a new or an empty folder.",
        "{path} は空ではありません。新しいフォルダーか空のフォルダーを指定してください。",
    ),
    "demo_tick_failed": (
        "A tick of the demo ended with exit code {code}; what it said stands above. The demo's folder was {folder}.",
        "デモの tick が終了コード {code} で終わりました。メッセージは上にあります。デモのフォルダー: {folder}",
    ),
    # ---- the token of a forge
    "forge_token_none": (
        "No place for the forge's token is configured. Set `token` in the table [forge] of cells.toml, e.g. "
        'token = {{ command = ["gh", "auth", "token"] }}.',
        "フォージのトークンの置き場所が設定されていません。cells.toml の [forge] に token を書いてください。例: "
        'token = {{ command = ["gh", "auth", "token"] }}',
    ),
    "forge_token_empty": (
        "The token's place {place} is empty. Put a token there, or change `token` in cells.toml.",
        "トークンの置き場所 {place} は空です。そこにトークンを入れるか、cells.toml の token を変えてください。",
    ),
    "forge_token_shape": (
        "What {place} gives is no token: it has blanks, several lines or characters that no token has.",
        "{place} が返すものはトークンではありません。空白、複数の行、またはトークンに使えない文字を含んでいます。",
    ),
    "forge_token_slow": (
        "The token's command {command} did not end within {seconds} s. Run it by hand: does it ask a question?",
        "トークンのコマンド {command} が {seconds} 秒以内に終わりませんでした。手で実行し、入力を求めていないか確かめてください。",
    ),
    "forge_token_no_command": (
        "The token's command {command} cannot be started: {detail}. Give its full path in cells.toml; a timer "
        "has a shorter PATH than your shell.",
        "トークンのコマンド {command} を起動できません: {detail}。cells.toml に絶対パスを書いてください。"
        "タイマーの PATH はシェルのものより短いです。",
    ),
    "forge_token_command": (
        "The token's command {command} failed with exit code {code}: {detail}",
        "トークンのコマンド {command} が終了コード {code} で失敗しました: {detail}",
    ),
    "forge_token_file": (
        "The token's file {path} cannot be read: {detail}.",
        "トークンのファイル {path} を読めません: {detail}。",
    ),
    # ---- GitHub
    "github_bad_token": (
        "GitHub does not accept the token (401): it is wrong, expired or revoked. Make a new one and put it "
        "where `token` in cells.toml points; nothing was read or written.",
        "GitHub がトークンを受け付けません (401)。誤り、期限切れ、または取り消し済みです。新しく作り、cells.toml の "
        "token が指す場所に置いてください。何も読み書きしていません。",
    ),
    "github_suspended": (
        "GitHub says that the account of the token is suspended. Only GitHub's support can lift that.",
        "GitHub によると、このトークンのアカウントは停止されています。解除できるのは GitHub サポートだけです。",
    ),
    "github_rate_limit": (
        "GitHub's hourly limit for the account {login} is used up; it goes on at {until:%Y-%m-%d %H:%M} UTC. "
        "The next tick after that continues by itself.",
        "アカウント {login} の GitHub の 1 時間あたりの上限に達しました。{until:%Y-%m-%d %H:%M} UTC に再開できます。"
        "それ以降の tick が自動で続けます。",
    ),
    "github_secondary_limit": (
        "GitHub asks for a pause (secondary rate limit) until {until:%Y-%m-%d %H:%M} UTC. The next tick after "
        "that continues by itself.",
        "GitHub が {until:%Y-%m-%d %H:%M} UTC まで待つよう求めています (secondary rate limit)。"
        "それ以降の tick が自動で続けます。",
    ),
    "github_redirect": (
        "{api} answers with a redirection ({status}), and a token is not sent on to another address. Set the "
        "final address as `api_url` in cells.toml.",
        "{api} が転送 ({status}) を返しました。トークンを別のアドレスには送りません。cells.toml の api_url に"
        "最終的なアドレスを書いてください。",
    ),
    "github_no_api": (
        "There is no GitHub API at {api} (status {status}). Check `api_url` in cells.toml: it ends with /graphql.",
        "{api} に GitHub API がありません (状態 {status})。cells.toml の api_url を確かめてください。末尾は /graphql です。",
    ),
    "github_outage": (
        "GitHub has trouble (status {status}, {operation}, request {request_id}): {detail}. The next tick tries "
        "again.",
        "GitHub に障害があります (状態 {status}、{operation}、要求 {request_id}): {detail}。次の tick が再び試みます。",
    ),
    "github_no_json": (
        "{api} answered with a page instead of data (status {status}): a proxy or a sign-in page of the "
        "network, perhaps. The next tick tries again.",
        "{api} がデータでなくページを返しました (状態 {status})。プロキシかネットワークのサインイン画面かもしれません。"
        "次の tick が再び試みます。",
    ),
    "github_network": (
        "{host} cannot be reached: {detail}. The next tick looks first at what was done, then tries again.",
        "{host} に届きません: {detail}。次の tick は、何が済んだかをまず調べてから再び試みます。",
    ),
    "github_certificate": (
        "The certificate of {host} is not trusted: {detail}. For a GitHub with a certificate of its own, set "
        "`ca_file` in cells.toml.",
        "{host} の証明書を信頼できません: {detail}。独自の証明書を持つ GitHub では、cells.toml に ca_file を書いてください。",
    ),
    "github_ca_file": (
        "The certificate file {path} (`ca_file` in cells.toml) cannot be used: {detail}.",
        "証明書ファイル {path} (cells.toml の ca_file) を使えません: {detail}。",
    ),
    "github_insecure": (
        "`api_url` in cells.toml is {api}: a token is sent over https only (plain http to this very machine "
        "excepted).",
        "cells.toml の api_url が {api} です。トークンは https でのみ送ります (このマシン自身への http を除く)。",
    ),
    "github_saml": (
        "The organization of {repo} wants SAML single sign-on for this token. Authorize it once at {link} "
        "(or at https://github.com/settings/tokens, \"Configure SSO\").",
        "{repo} の組織はこのトークンに SAML シングルサインオンを求めています。{link} で一度承認してください "
        "(または https://github.com/settings/tokens の「Configure SSO」)。",
    ),
    "github_ip_list": (
        "The organization of {repo} lets in known addresses only, and this machine's is not among them (IP "
        "allow list). Its owners can add it.",
        "{repo} の組織は許可済みアドレスからのみ接続でき、このマシンは含まれていません (IP allow list)。"
        "組織の所有者が追加できます。",
    ),
    "github_archived": (
        "{repo} is archived, so GitHub refuses every change. Unarchive it in its settings, or take it out of "
        "`repos` in cells.toml.",
        "{repo} はアーカイブ済みのため、GitHub はすべての変更を拒みます。設定で解除するか、cells.toml の repos から外してください。",
    ),
    "github_forbidden": (
        "The token of {login} may not do this ({operation}, {repo}). It needs the permission: {permission}. "
        "GitHub says: {detail}",
        "{login} のトークンにはこの操作の権限がありません ({operation}、{repo})。必要な権限: {permission}。"
        "GitHub の応答: {detail}",
    ),
    "github_scopes": (
        "The classic token of {login} lacks a scope for {operation}; it needs one of: {permission}. Add it at "
        "https://github.com/settings/tokens.",
        "{login} の classic トークンには {operation} のスコープがありません。必要なもの (いずれか): {permission}。"
        "https://github.com/settings/tokens で加えてください。",
    ),
    "github_no_repository": (
        "GitHub shows no repository {repo} to the account {login}: it does not exist, or this token was not "
        "given access to it. Check `repos` in cells.toml and the repositories of the token.",
        "GitHub はアカウント {login} にリポジトリ {repo} を見せません。存在しないか、このトークンに許可されていません。"
        "cells.toml の repos と、トークンの対象リポジトリを確かめてください。",
    ),
    "github_not_found": (
        "GitHub does not find it ({operation}, {repo}): {detail}",
        "GitHub に見つかりません ({operation}、{repo}): {detail}",
    ),
    "github_transferred": (
        "#{number} of {repo} has moved to another repository.",
        "{repo} の #{number} は別のリポジトリへ移されました。",
    ),
    "github_renamed": (
        "The repository {repo} is now called {now}. Write the new name into `repos` of cells.toml, then run "
        "`agentcells init --relock`.",
        "リポジトリ {repo} の名前は現在 {now} です。cells.toml の repos に新しい名前を書き、"
        "`agentcells init --relock` を実行してください。",
    ),
    "github_no_label": (
        "{repo} has no label {label}. `agentcells init` creates the labels of your cells.",
        "{repo} にラベル {label} がありません。`agentcells init` がセルのラベルを作ります。",
    ),
    "github_label_not_set": (
        "The labels of #{number} in {repo} are not what was just set: somebody changes them at the same time. "
        "The next tick looks again.",
        "{repo} の #{number} のラベルが、いま設定したものと違います。同時に誰かが変更しています。次の tick が見直します。",
    ),
    "github_not_assignable": (
        "GitHub does not let {login} be assigned to #{number} of {repo}: the account needs write access there.",
        "GitHub は {login} を {repo} の #{number} の担当者にできません。そのアカウントには書き込み権限が必要です。",
    ),
    "github_pull_exists": (
        "There is an open pull request for this branch of {repo} already. The next tick finds it. GitHub says: "
        "{detail}",
        "{repo} のこのブランチには、開いているプルリクエストがすでにあります。次の tick が見つけます。GitHub の応答: {detail}",
    ),
    "github_stale": (
        "It is no longer as it was read ({operation}, {repo}): {detail}. The next tick looks again.",
        "読み取ったときの状態と変わっています ({operation}、{repo}): {detail}。次の tick が見直します。",
    ),
    "github_refused": (
        "GitHub refuses this ({operation}, {repo}): {detail}",
        "GitHub がこの操作を拒みました ({operation}、{repo}): {detail}",
    ),
    "github_too_large": (
        "The question was too large for GitHub even in smaller pages ({operation}, {repo}): {detail}. It is "
        "left alone until the next tick.",
        "小さなページに分けても GitHub には大きすぎました ({operation}、{repo}): {detail}。次の tick まで触れません。",
    ),
    "github_old_schema": (
        "This GitHub does not know what agentcells asks for ({operation}): {detail}. A GitHub Enterprise "
        "Server has to be newer.",
        "この GitHub は agentcells の質問を知りません ({operation}): {detail}。GitHub Enterprise Server を新しくしてください。",
    ),
    "github_partial": (
        "GitHub's answer was not whole ({operation}, {repo}): {detail}. Nothing is concluded from it; the next "
        "tick asks again.",
        "GitHub の答えが完全ではありません ({operation}、{repo}): {detail}。そこからは何も判断せず、次の tick が改めて尋ねます。",
    ),
    # ---- forges over HTTP, and Gitea
    "forge_insecure": (
        "`api_url` in cells.toml is {api}: a token is sent over https only (plain http to this very machine excepted).",
        "cells.toml の api_url が {api} です。トークンは https でのみ送ります (このマシン自身への http を除く)。",
    ),
    "forge_ca_file": (
        "The certificate file {path} (`ca_file` in cells.toml) cannot be used: {detail}.",
        "証明書ファイル {path} (cells.toml の ca_file) を使えません: {detail}。",
    ),
    "forge_certificate": (
        "The certificate of {host} is not trusted: {detail}. For a forge with a certificate of its own, set `ca_file` in cells.toml.",
        "{host} の証明書を信頼できません: {detail}。独自の証明書を持つフォージでは、cells.toml に ca_file を書いてください。",
    ),
    "forge_network": (
        "{host} cannot be reached: {detail}. The next tick looks first at what was done, then tries again.",
        "{host} に届きません: {detail}。次の tick は、何が済んだかをまず調べてから再び試みます。",
    ),
    "gitea_bad_token": (
        "Gitea does not accept the token (401): {detail}. Make a new one in the account's settings, under Applications, and put it where `token` in cells.toml points; nothing was read or written.",
        "Gitea がトークンを受け付けません (401): {detail}。アカウントの設定の「アプリケーション」で新しく作り、cells.toml の token が指す場所に置いてください。何も読み書きしていません。",
    ),
    "gitea_blocked_account": (
        "Gitea keeps the account of the token out: {detail}. Sign in once in the browser, or ask the administrator.",
        "Gitea がこのトークンのアカウントを締め出しています: {detail}。ブラウザで一度サインインするか、管理者に尋ねてください。",
    ),
    "gitea_rate_limit": (
        "{api} asks for a pause until {until:%Y-%m-%d %H:%M} UTC (429). The next tick after that continues by itself.",
        "{api} が {until:%Y-%m-%d %H:%M} UTC まで待つよう求めています (429)。その後の tick が自動的に再開します。",
    ),
    "gitea_redirect": (
        "{api} answers with a redirection ({status}), and a token is not sent on to another address. Set the final address as `api_url` in cells.toml.",
        "{api} が転送 ({status}) を返しました。トークンを別のアドレスには送りません。cells.toml の api_url に最終的なアドレスを書いてください。",
    ),
    "gitea_renamed": (
        "The repository {repo} is now called {now}. Write the new name into `repos` of cells.toml, then run `agentcells init --relock`.",
        "リポジトリ {repo} の名前は現在 {now} です。cells.toml の repos に新しい名前を書き、`agentcells init --relock` を実行してください。",
    ),
    "gitea_no_api": (
        "There is no Gitea at {api} that knows {operation} (status {status}). Check `api_url` in cells.toml: it ends with /api/v1. Or the Gitea is too old.",
        "{api} に {operation} を知る Gitea がありません (状態 {status})。cells.toml の api_url を確かめてください。末尾は /api/v1 です。Gitea が古すぎる場合もあります。",
    ),
    "gitea_no_json": (
        "{api} answered {operation} with a page instead of data (status {status}): a proxy or a sign-in page of the network, perhaps. The next tick tries again.",
        "{api} が {operation} にデータでなくページを返しました (状態 {status})。プロキシかネットワークのサインイン画面かもしれません。次の tick が再び試みます。",
    ),
    "gitea_outage": (
        "Gitea has trouble (status {status}, {operation}): {detail}. The next tick tries again.",
        "Gitea に障害があります (状態 {status}、{operation}): {detail}。次の tick が再び試みます。",
    ),
    "gitea_scope": (
        "The token of {login} lacks a scope for {operation}; it needs one of: {permission}. agentcells wants read:user, write:issue and write:repository. Make a new token with them: the scopes of an old one cannot be changed.",
        "{login} のトークンには {operation} のスコープがありません。必要なもの (いずれか): {permission}。agentcells には read:user、write:issue、write:repository が要ります。既存のトークンのスコープは変えられないので、新しく作ってください。",
    ),
    "gitea_forbidden": (
        "The account {login} may not do this ({operation}). It needs: {permission}. Gitea says: {detail}",
        "アカウント {login} にはこの操作の権限がありません ({operation})。必要なもの: {permission}。Gitea の応答: {detail}",
    ),
    "gitea_archived": (
        "{repo} is archived, so Gitea refuses every change. Unarchive it in its settings, or take it out of `repos` in cells.toml.",
        "{repo} はアーカイブ済みのため、Gitea はすべての変更を拒みます。設定で解除するか、cells.toml の repos から外してください。",
    ),
    "gitea_no_repository": (
        "Gitea shows no repository {repo} to the account {login}: it does not exist, or the account has no access. Check `repos` in cells.toml and the collaborators of the repository.",
        "Gitea はアカウント {login} にリポジトリ {repo} を見せません。存在しないか、アクセス権がありません。cells.toml の repos とリポジトリの共同作業者を確かめてください。",
    ),
    "gitea_no_account": (
        "Gitea has no account {account} (any more). If it was renamed, write the new name into cells.toml.",
        "Gitea にアカウント {account} はありません。名前が変わったのなら、cells.toml に新しい名前を書いてください。",
    ),
    "gitea_not_found": (
        "Gitea does not find it ({operation}): {detail}. If all issues of {repo} are missing, its issues or pull requests are switched off.",
        "Gitea に見つかりません ({operation}): {detail}。{repo} の issue がすべて見つからないなら、issue かプルリクエストの機能が無効です。",
    ),
    "gitea_no_label": (
        "{repo} has no label {label}. `agentcells init` creates the labels of your cells.",
        "{repo} にラベル {label} がありません。`agentcells init` がセルのラベルを作ります。",
    ),
    "gitea_label_not_set": (
        "The labels of #{number} in {repo} are not what was just set: somebody changes them at the same time. The next tick looks again.",
        "{repo} の #{number} のラベルが、いま設定したものと違います。同時に誰かが変更しています。次の tick が見直します。",
    ),
    "gitea_no_comment": (
        "The comment {comment} on #{number} of {repo} is not there, or is not one that can be edited.",
        "{repo} の #{number} にコメント {comment} がないか、編集できない種類です。",
    ),
    "gitea_no_thread": (
        "There is no review thread {thread} on #{number} of {repo}.",
        "{repo} の #{number} にレビューのスレッド {thread} はありません。",
    ),
    "gitea_no_replies": (
        "This Gitea cannot be told to answer in a review thread ({operation}): that needs Gitea 1.27 or a Forgejo. Answer in a plain comment.",
        "この Gitea ではレビューのスレッドに返信できません ({operation})。Gitea 1.27 以降か Forgejo が必要です。通常のコメントで答えてください。",
    ),
    "gitea_not_assignable": (
        "Gitea does not let {login} be assigned to #{number} of {repo}: the account needs access there.",
        "Gitea は {login} を {repo} の #{number} の担当者にできません。そのアカウントにはアクセス権が必要です。",
    ),
    "gitea_left_out": (
        "#{number} was filed in {repo}, but without its labels or assignees: {login} may not set them there. Set them by hand, and give the account write access.",
        "{repo} に #{number} を作成しましたが、ラベルか担当者が付いていません。{login} にはその権限がありません。手で付け、アカウントに書き込み権限を与えてください。",
    ),
    "gitea_exists": (
        "It is there already ({operation}): {detail}. The next tick finds it.",
        "すでに存在します ({operation}): {detail}。次の tick が見つけます。",
    ),
    "gitea_stale": (
        "It is no longer as it was read ({operation}): {detail}. The next tick looks again.",
        "読み取ったときの状態と変わっています ({operation}): {detail}。次の tick が見直します。",
    ),
    "gitea_not_open": (
        "#{number} of {repo} is {state} by now. The next tick looks again.",
        "{repo} の #{number} はすでに {state} です。次の tick が見直します。",
    ),
    "gitea_merge_wait": (
        "Gitea does not merge it now ({operation}): {detail}. It has a conflict, is a draft, or is still being checked; the next tick looks again.",
        "Gitea はいまマージできません ({operation}): {detail}。競合、下書き、または確認中です。次の tick が見直します。",
    ),
    "gitea_merge_refused": (
        "Gitea refuses the merge ({operation}): {detail}. The protection of the base branch or the merge styles of {repo} may forbid it.",
        "Gitea がマージを拒みました ({operation}): {detail}。ベースブランチの保護か {repo} のマージ方式の設定によるものかもしれません。",
    ),
    "gitea_invalid": (
        "Gitea finds this invalid ({operation}): {detail}",
        "Gitea はこれを不正とみなしました ({operation}): {detail}",
    ),
    "gitea_refused": (
        "Gitea refuses this ({operation}): {detail}",
        "Gitea がこの操作を拒みました ({operation}): {detail}",
    ),
    "gitea_partial": (
        "Gitea's answer was not whole ({repo}: {detail}). Nothing is concluded from it; the next tick asks again. If labels do not agree with their events, set the label anew.",
        "Gitea の答えが完全ではありません ({repo}: {detail})。そこからは何も判断せず、次の tick が改めて尋ねます。ラベルとその履歴が合わないなら、ラベルを付け直してください。",
    ),
    "gitea_shrunk": (
        "The list became shorter while it was read ({operation}), so an entry may have been passed over. The next tick asks again.",
        "読み取り中に一覧が短くなったため ({operation})、見落としの可能性があります。次の tick が改めて尋ねます。",
    ),
    "run_no_tools": (
        "The agent could not connect to the tools of its run (door = \"mcp\"), so it was "
        "stopped. The run's stream.jsonl says more; door = \"bash\" does without them.",
        "エージェントが実行用のツール（door = \"mcp\"）に接続できなかったため、止めました。詳"
        "しくは実行の stream.jsonl を見てください。door = \"bash\" ならツールは要りません。",
    ),
    "agent_too_old": (
        "claude {version} is too old: it does not know {flags}. Update it, e.g. `npm install -g @anthropic-ai/claude-code`.",
        "claude {version} は古すぎます。{flags} を知りません。`npm install -g @anthropic-ai/claude-code` などで更新してください。",
    ),
    "agent_broken": (
        "The agent program {program} does not start: {detail}. Start it by hand once and see what it says.",
        "エージェントのプログラム {program} が起動しません: {detail}。一度手で起動して確かめてください。",
    ),
    "agent_not_logged_in": (
        "The agent has no login: none of the variables in [agent] env that hold one is set ({names}). Set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN as `claude setup-token` prints it, where the tick is started.",
        "エージェントにログインがありません。[agent] env の変数 ({names}) のうちログインを持つものが設定されていません。tick を起動する所で ANTHROPIC_API_KEY か、`claude setup-token` が出力する CLAUDE_CODE_OAUTH_TOKEN を設定してください。",
    ),
    "agent_wrong_login": (
        "The model's API does not accept the login of the agent: {detail}. Correct the variable in [agent] env that holds it.",
        "モデルの API がエージェントのログインを受け付けません: {detail}。[agent] env の変数の値を直してください。",
    ),
    "agent_no_model": (
        "The API knows no model {model}. Correct `model` of the cell that names it in cells.toml.",
        "API に {model} というモデルはありません。cells.toml でそれを指定しているセルの `model` を直してください。",
    ),
    "agent_no_api": (
        "The model's API does not answer at {url}: {detail}",
        "モデルの API ({url}) が応答しません: {detail}",
    ),
    "lease_moved": (
        "Another machine was faster on #{number}: it holds the lease now. This one leaves it alone.",
        "#{number} は別のマシンが先にリースを取得しました。このマシンは手を出しません。",
    ),
    "config_unusual_elsewhere": (
        "only a cell on \"factory\" can wait for an unusual figure, this one is on \"{on}\"; take the key out",
        "unusual は on = \"factory\" のセルだけで使えます(ここは \"{on}\")。このキーを消してください",
    ),
    "config_factory_reads_only": (
        "a cell on \"factory\" only reads and files issues: it writes no files and proposes no sub_issues; take the key out",
        "on = \"factory\" のセルは読むことと課題の登録だけをします。ファイルの変更や sub_issues はできません。このキーを消してください",
    ),
    "apply_merge_unseen": (
        "Pull request #{number} is said to be merged, but its commit {sha} is not on {base}. Look at it on the forge.",
        "プルリクエスト #{number} はマージ済みと言われますが、コミット {sha} が {base} にありません。フォージで確かめてください。",
    ),
    "apply_merge_changed": (
        "Pull request #{number} changed just before it was to be merged. It is looked at again.",
        "マージの直前にプルリクエスト #{number} が変わりました。もう一度確かめます。",
    ),
    "lease_held": (
        "#{number} is in the hands of another machine ({machine}). This one leaves it alone.",
        "#{number} は別のマシン（{machine}）が担当しています。このマシンは手を出しません。",
    ),
    "lease_changed": (
        "#{number} changed while its lease was taken: another machine has just been at it. It is looked at again.",
        "#{number} はリースを取得している間に変わりました。別のマシンが作業した直後です。もう一度調べます。",
    ),
    "why_no_such": (
        "\"{item}\" is neither the number of an issue or pull request nor the name of a cell; `agentcells status` shows both",
        "\"{item}\" は課題やプルリクエストの番号でも、セルの名前でもありません。`agentcells status` で確認できます",
    ),
    "store_run_set_aside": (
        "The folder of run {run} cannot be read ({detail}). It was put away as {path} and the run counts as dead; what it had recorded is kept.",
        "実行 {run} のフォルダが読めません（{detail}）。{path} に移し、この実行は止まったものとして数えます。記録済みの作業は残してあります。",
    ),
    "store_repository_set_aside": (
        "The tool's own copy of {repo} is damaged ({detail}). It was put away as {path} and is fetched again; a run that was not published yet is done again.",
        "{repo} の手元の複製が壊れています（{detail}）。{path} に移し、取得し直します。まだ公開していない実行はやり直します。",
    ),
    "init_nobody_answers": (
        "Nobody answers here: there is no terminal. Say it all at once: `agentcells init --yes --repo owner/name --owner login`.",
        "ここには端末がなく、答える人がいません。一度に指定してください: `agentcells init --yes --repo owner/name --owner login`。",
    ),
    "language_unknown": (
        "There is no language \"{name}\" here; --language takes en or ja.",
        "「{name}」という言語はありません。--language は en か ja です。",
    ),
    "demo_folder_refused": (
        "{path} cannot be used: {detail}. Name a folder that you may make and write, such as ~/first-line.",
        "{path} は使えません: {detail}。作成と書き込みのできるフォルダーを指定してください(例: ~/first-line)。",
    ),
    "init_repo_name": (
        "\"{repo}\" is no repository: write owner/name, without https:// and without .git. Nothing was written.",
        "「{repo}」はリポジトリ名ではありません。https:// と .git を付けずに owner/name と書いてください。何も書き込んでいません。",
    ),
    "init_login": (
        "\"{login}\" is no login of an account: letters, digits, dot, dash and underscore only. Nothing was written.",
        "「{login}」はアカウント名ではありません。英数字と . - _ だけが使えます。何も書き込んでいません。",
    ),
}
