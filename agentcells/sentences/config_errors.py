"""What is wrong in a cells.toml. The place stands before, so a line begins small."""

from __future__ import annotations

CONFIG_ERRORS: dict[str, tuple[str, str]] = {
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
        "{file} is larger than {limit:byte|bytes}: that is no cells.toml. Is it the right "
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
    "config_passed_over": (
        "{file} has mistakes that stand in the way of every tick; `agentcells check` names them.",
        "{file} に誤りがあり、tick が動きません。`agentcells check` が場所を示します。",
    ),
    "config_more": ("… and {count:more mistake|more mistakes}.", "… ほかに {count} 件の誤りがあります。"),
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
    "config_blob": (
        "must be the id that `git hash-object FILE` prints: 40 digits and letters from a to f",
        "`git hash-object ファイル` が出力する ID (0-9 と a-f の 40 文字) で書いてください",
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
        "a label has at most {limit:character|characters} and no comma",
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
}
