"""What `init`, `check` and `timer` say of a first real repository."""

from __future__ import annotations

SETUP: dict[str, tuple[str, str]] = {
    "init_ask_token": (
        "File that holds the token (empty: ask `gh auth token` each time)",
        "トークンを置いたファイル (空なら毎回 `gh auth token` に尋ねます)",
    ),
    "init_label_spelled": (
        "{repo} has a label {found} that differs from {label} by its spelling alone, and a forge keeps only one of them. Rename it to {label} on the forge, then run `agentcells init` again.",
        "{repo} には {label} と綴りだけが違うラベル {found} があり、フォージには片方しか置けません。フォージで {label} に改名してから `agentcells init` をもう一度実行してください。",
    ),
    "check_token_open": (
        "others on this machine can read {path}: chmod 600 {path}",
        "このマシンの他の利用者も {path} を読めます: chmod 600 {path}",
    ),
    "check_login": (
        "no login of the model: none of {names} is set here or written in {file}. `claude setup-token` prints one.",
        "モデルのログイン情報がありません。{names} のどれもここに設定されておらず、{file} にもありません。`claude setup-token` で得られます。",
    ),
    "check_token_env": (
        "the token comes from ${variable}: a timer has that variable only if you write it into the environment file that `agentcells timer show` names. A file is simpler.",
        "トークンは ${variable} から取ります。タイマーで使うには `agentcells timer show` が示す環境ファイルに書く必要があります。ファイルに置く方が簡単です。",
    ),
    "check_token_shared": (
        "[agent] env names {variable}, the variable of the forge's token. No agent ever gets it; take it out of [agent] env.",
        "[agent] env にフォージのトークンの変数 {variable} があります。エージェントには決して渡しません。[agent] env から外してください。",
    ),
    "probe_scopes": (
        "a classic token with the scope {scopes}: enough, and no more than its account may do anyway",
        "classic トークンで、スコープは {scopes} です。足りていて、余分もありません",
    ),
    "probe_scopes_few": (
        "the classic token has the scopes {scopes}; it needs {wanted}. Tick it at https://github.com/settings/tokens.",
        "classic トークンのスコープは {scopes} ですが、{wanted} が必要です。https://github.com/settings/tokens で加えてください。",
    ),
    "probe_scope_workflow": (
        "the token may write workflows (scope workflow). agentcells never needs that: take the scope away, so that nothing of ours can ever become code that runs with your repository's secrets.",
        "このトークンはワークフローを書けます (スコープ workflow)。agentcells には不要です。外しておけば、こちらの成果がリポジトリの秘密を持って動くコードになることは決してありません。",
    ),
    "probe_scopes_many": (
        "the token can do more than agentcells needs: {scopes}. Take those scopes away.",
        "トークンの権限が agentcells に必要な範囲を超えています: {scopes}。外してください。",
    ),
    "probe_role": (
        "{login} has only the role {role} in {repo}; it needs Write. Give it that under Settings, Collaborators (or take another account).",
        "{login} は {repo} で {role} の権限しかなく、Write が必要です。Settings の Collaborators で与えてください (または別のアカウントにしてください)。",
    ),
    "probe_admin": (
        "{login} is an administrator of {repo}. Write is enough: an administrator could lift the rules that protect your branches.",
        "{login} は {repo} の管理者です。Write で足ります。管理者ならブランチを守る規則も外せてしまいます。",
    ),
    "probe_few": (
        "{repo}: the token lacks {permissions}. Add it where the token was made (fine-grained: Repository permissions).",
        "{repo}: トークンに {permissions} が足りません。トークンを作った場所 (fine-grained では Repository permissions) で加えてください。",
    ),
    "probe_many": (
        "{repo}: the token has more than it needs: {permissions}. Set them to \"No access\".",
        "{repo}: トークンに余分な権限があります: {permissions}。「No access」にしてください。",
    ),
    "probe_enough": (
        "{repo}: the token may read and push. GitHub does not tell whether it may write issues, pull requests or workflows: leave Workflows at \"No access\"; a missing one is named at the first write.",
        "{repo}: トークンで読み取りとプッシュができます。issue・プルリクエスト・ワークフローを書けるかは GitHub が教えないため、Workflows は「No access」のままにしてください。足りない権限は最初の書き込みで名指しされます。",
    ),
    "probe_no_issues": (
        "{repo} has its issues switched off. Switch them on under Settings, General, Features.",
        "{repo} では issue が無効です。Settings の General, Features で有効にしてください。",
    ),
    "probe_auto_delete": (
        "{repo}: GitHub deletes branches after a merge by itself; agentcells finds them gone",
        "{repo}: マージ後のブランチは GitHub が自動で消します。agentcells はそれを確かめるだけです",
    ),
    "probe_workflows_write": (
        "{repo}: workflows get a token that may write, and our pull requests run them on what a model wrote. Set Settings, Actions, General, Workflow permissions to \"Read repository contents\".",
        "{repo}: ワークフローに書き込みできるトークンが渡り、こちらのプルリクエストはモデルの書いたコードでそれを動かします。Settings の Actions, General, Workflow permissions を「Read repository contents」にしてください。",
    ),
    "probe_workflows_approve": (
        "{repo}: workflows may approve pull requests, so an approval is no longer a person's word. Switch that off under Settings, Actions, General.",
        "{repo}: ワークフローがプルリクエストを承認できるため、承認が人の言葉ではなくなります。Settings の Actions, General で無効にしてください。",
    ),
    "timer_name": (
        "{name} is no name for a unit: letters, digits, - _ . only.",
        "{name} はユニットの名前に使えません。英数字と - _ . だけを使ってください。",
    ),
    "timer_path": (
        "A unit cannot hold the path {path}: it has control characters. Move cells.toml elsewhere.",
        "パス {path} は制御文字を含むためユニットに書けません。cells.toml を別の場所に移してください。",
    ),
    "timer_other": (
        "{file} starts another factory and is left as it is. Choose another name: agentcells timer install --name {name}",
        "{file} は別のファクトリーのものなので触れません。別の名前を使ってください: agentcells timer install --name {name}",
    ),
    "timer_verify": (
        "systemd does not find the units good, so they were not installed: {detail}",
        "systemd がユニットを受け付けないため、インストールしていません: {detail}",
    ),
    "timer_systemctl": (
        "systemctl --user {words} failed: {detail}",
        "systemctl --user {words} が失敗しました: {detail}",
    ),
    "timer_started": (
        "A tick comes every ten minutes from now on. `agentcells timer show` tells when, `journalctl --user -u {name}` what it said.",
        "これから 10 分ごとに tick が動きます。次の時刻は `agentcells timer show`、出力は `journalctl --user -u {name}` で見られます。",
    ),
    "timer_linger": (
        "It stands still while you are not logged in. To change that: loginctl enable-linger",
        "ログアウト中は止まります。動かし続けるには: loginctl enable-linger",
    ),
    "timer_cron": (
        "No systemd answers here. This line, put in by `crontab -e`, does the same:",
        "ここには systemd がありません。次の行を `crontab -e` で加えると同じことができます:",
    ),
    "timer_environment": (
        "A timer does not know the variables of your shell. Write those it needs of {names} into {file}, a line NAME=value each, and chmod 600 it.",
        "タイマーはシェルの変数を知りません。{names} のうち必要なものを {file} に 1 行 NAME=value の形で書き、chmod 600 してください。",
    ),
    "timer_none": (
        "No timer of this factory is in {folder}.",
        "{folder} にこのファクトリーのタイマーはありません。",
    ),
    "timer_cron_left": (
        "A line of your crontab still starts ticks of {path}: take it out with `crontab -e`.",
        "crontab の行がまだ {path} の tick を始めます。`crontab -e` で消してください。",
    ),
    "timer_same": (
        "{path}: installed",
        "{path}: インストール済み",
    ),
    "timer_stale": (
        "{path}: not as cells.toml would have it now; `agentcells timer install` brings it up to date",
        "{path}: 今の cells.toml と違います。`agentcells timer install` で更新できます",
    ),
    "timer_removed": (
        "{path}: removed",
        "{path}: 削除しました",
    ),
    "check_timer": (
        "a timer of this machine starts ticks",
        "このマシンのタイマーが tick を始めます",
    ),
    "check_no_tick": (
        "there was none yet on this machine: `agentcells tick` does one",
        "このマシンではまだありません。`agentcells tick` で実行できます",
    ),
    "init_needs": (
        "Say which repository and whose: `agentcells init --repo owner/name --owner login`. No `origin` of this folder tells it.",
        "どのリポジトリで誰が使うかを指定してください: `agentcells init --repo owner/name --owner login`。このフォルダーの `origin` からは分かりません。",
    ),
    "init_taken_back": (
        "{why} Nothing was written: correct the option, and run `agentcells init` again.",
        "{why} 何も書き込んでいません。オプションを直して `agentcells init` をもう一度実行してください。",
    ),
    "init_says_otherwise": (
        "{file} is there already and says otherwise than {names}. `init` changes nothing in it: correct it there, or delete the file and run `agentcells init` again. Nothing was changed.",
        "{file} はすでにあり、{names} と違うことが書いてあります。`init` はこのファイルを変えません。そこを直すか、ファイルを削除してから `agentcells init` をもう一度実行してください。何も変えていません。",
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
    # ---- slips of the command line
    "usage_whole": (
        "{name} must be a whole number, and {value} is none.",
        "{name} には整数を指定してください。{value} は整数ではありません。",
    ),
    "usage_number": (
        "{name} must be a number, and {value} is none.",
        "{name} には数を指定してください。{value} は数ではありません。",
    ),
    "usage_least": (
        "{name} must be at least {limit}; {value} is too small.",
        "{name} は {limit} 以上にしてください。{value} は小さすぎます。",
    ),
    "gate_glob_bad": (
        "[gate] protected: {pattern} is no pattern: what stands in [ ] runs backwards. Write it as [a-z].",
        "[gate] protected の {pattern} は正しいパターンではありません。[ ] の範囲が逆です。[a-z] のように書いてください。",
    ),
    "gate_glob_never": (
        "[gate] protected: no path could ever fit {pattern}: a name that ends in a dot or a blank, or holds a colon, a backslash or an invisible character, is compared without them. Write it without them.",
        "[gate] protected の {pattern} に合うパスはありません。末尾の点や空白、コロン、逆斜線、見えない文字は取り除いて比べます。それらなしで書いてください。",
    ),
    "usage_no_option": (
        "There is no option {name} here; `{help}` shows those there are.",
        "ここに {name} というオプションはありません。一覧は `{help}` で見られます。",
    ),
    "usage_no_option_near": (
        "There is no option {name} here. Did you mean {near}? `{help}` shows those there are.",
        "ここに {name} というオプションはありません。{near} のことですか? 一覧は `{help}` で見られます。",
    ),
    "usage_no_value": (
        "The option {name} takes no value; see `{help}`.",
        "オプション {name} は値を取りません。`{help}` を見てください。",
    ),
    "usage_value": (
        "The option {name} needs a value after it; see `{help}`.",
        "オプション {name} の後に値が必要です。`{help}` を見てください。",
    ),
    "usage_missing": (
        "{name} is missing; see `{help}`.",
        "{name} を指定してください。`{help}` を見てください。",
    ),
    "usage_no_command": (
        "There is no command {name}; `{help}` shows those there are.",
        "{name} というコマンドはありません。一覧は `{help}` で見られます。",
    ),
    "usage_no_command_near": (
        "There is no command {name}. Did you mean {near}? `{help}` shows those there are.",
        "{name} というコマンドはありません。{near} のことですか? 一覧は `{help}` で見られます。",
    ),
    "usage_too_many": (
        "This is more than the command takes: {words}. A text of several words stands in quotes; see `{help}`.",
        "コマンドが受け取れるより多い引数です: {words}。複数の語からなる文は引用符で囲んでください。`{help}` を見てください。",
    ),
    "usage_apart": (
        "{one} and {other} do not go together; leave one of them out.",
        "{one} と {other} は一緒に使えません。どちらかを外してください。",
    ),
    "usage_needs": (
        "{one} means something with {other} only: add that, or leave {one} out.",
        "{one} は {other} と一緒のときだけ意味があります。{other} を付けるか、{one} を外してください。",
    ),
    "usage_other": (
        "{words} See `{help}`.",
        "{words} `{help}` を見てください。",
    ),
}
