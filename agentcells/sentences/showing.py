"""What the demo, the benchmarks and the work record server's command print."""

from __future__ import annotations

SHOWING: dict[str, tuple[str, str]] = {
    "demo_contained": (
        "The agent runs in its sandbox (containment: strong).",
        "エージェントはサンドボックスの中で動きます (containment: strong)。",
    ),
    "demo_uncontained": (
        "The agent runs without a sandbox (containment: none), which is fit for this demo only: {why}",
        "エージェントはサンドボックスなしで動きます (containment: none)。このデモだけの動かし方です: {why}",
    ),
    "demo_title": (
        "Greet people by their name",
        "名前で挨拶する",
    ),
    "demo_body": (
        "The greeter only says \"Hello!\". It should be able to greet a person by name.",
        "greeter は「Hello!」としか言えません。人の名前を呼んで挨拶できるようにしてください。",
    ),
    "demo_question": (
        "One thing to settle before this can be built: what should be said when no name is given?\n\n- keep \"Hello!\" as it is today\n- refuse",
        "作る前に一つ確認させてください。名前がないときは何と言いますか?\n\n- 今までどおり「Hello!」\n- エラーにする",
    ),
    "demo_answer": (
        "Keep Hello as it is today.",
        "今までどおりの Hello でお願いします。",
    ),
    "demo_conditions": (
        "This can be built. It is done when:\n\n1. `greet(\"Ada\")` says \"Hello, Ada!\"\n2. without a name it still says \"Hello!\"\n3. both are tested",
        "作れます。次を満たせば完了です。\n\n1. `greet(\"Ada\")` が「Hello, Ada!」を返す\n2. 名前がなければ今までどおり「Hello!」\n3. どちらもテストされている",
    ),
    "demo_built": (
        "People are greeted by name now; tested by `test_greets_by_name`.",
        "名前を呼んで挨拶するようになりました。テストは `test_greets_by_name` です。",
    ),
    "demo_finding": (
        "Condition 2 does not hold: without a name it says \"Hello, !\". Keep \"Hello!\" there, and test it.",
        "条件 2 が満たされていません。名前がないと「Hello, !」になります。「Hello!」に戻し、テストしてください。",
    ),
    "demo_mended": (
        "Mended what the review found: without a name it says \"Hello!\" again, and a test holds that.",
        "レビューの指摘を直しました。名前がなければ「Hello!」に戻り、テストもあります。",
    ),
    "demo_content": (
        "All conditions hold and are tested. Nothing to send back.",
        "条件はすべて満たされ、テストもあります。差し戻すものはありません。",
    ),
    "demo_missing": (
        "There is no way to say goodbye yet. Please add one in the same manner.",
        "お別れの挨拶がまだありません。同じ要領で足してください。",
    ),
    "demo_built_farewell": (
        "One can say goodbye too, with and without a name; tested by `test_says_goodbye`.",
        "お別れも言えるようになりました。名前あり・なしとも `test_says_goodbye` でテストしています。",
    ),
    "demo_chapter_files": (
        "An issue is filed: {title}",
        "issue が登録される: {title}",
    ),
    "demo_chapter_asks": (
        "The timer runs `agentcells tick`: triage looks at it",
        "タイマーが `agentcells tick` を動かす: triage が見る",
    ),
    "demo_chapter_answers": (
        "The owner answers on #{number}",
        "owner が #{number} に答える",
    ),
    "demo_chapter_builds": (
        "tick: triage settles it, implement builds, review sends back once, implement mends",
        "tick: triage が決め、implement が作り、review が一度差し戻し、implement が直す",
    ),
    "demo_chapter_misses": (
        "The owner looks at pull request #{number} and misses something",
        "owner がプルリクエスト #{number} を見て、足りないものに気付く",
    ),
    "demo_chapter_again": (
        "tick: it goes round again",
        "tick: もう一周する",
    ),
    "demo_chapter_merges": (
        "The owner merges pull request #{number}",
        "owner がプルリクエスト #{number} をマージする",
    ),
    "demo_chapter_tidies": (
        "tick: labels and branch are tidied",
        "tick: ラベルとブランチが片付く",
    ),
    "demo_filed": (
        "#{number} gets ac:triage and is assigned to {owner}",
        "#{number} に ac:triage が付き、{owner} に割り当てられる",
    ),
    "demo_picked": (
        "#{number} for {cell}: {why}",
        "#{number} を {cell} が担当: {why}",
    ),
    "demo_opened": (
        "pull request #{number}: {title}",
        "プルリクエスト #{number}: {title}",
    ),
    "demo_merged": (
        "pull request #{pull} is merged, issue #{issue} is closed",
        "プルリクエスト #{pull} がマージされ、issue #{issue} が閉じる",
    ),
    "demo_branch_gone": (
        "branch {ref} is deleted",
        "ブランチ {ref} を削除",
    ),
    "demo_line_picked": (
        "picked",
        "担当",
    ),
    "demo_line_labels": (
        "labels",
        "ラベル",
    ),
    "demo_line_record": (
        "record",
        "記録",
    ),
    "demo_line_pull": (
        "opened",
        "作成",
    ),
    "demo_line_comment": (
        "comment",
        "コメント",
    ),
    "demo_line_skipped": (
        "skipped",
        "スキップ",
    ),
    "demo_line_tidied": (
        "tidied",
        "片付け",
    ),
    "demo_line_files": (
        "files",
        "ファイル",
    ),
    "demo_line_failed": (
        "failed",
        "失敗",
    ),
    "demo_line_merge": (
        "merged",
        "マージ",
    ),
    "demo_end": (
        "Done: an issue became a merged pull request.",
        "完了: issue がマージ済みのプルリクエストになりました。",
    ),
    "demo_end_badly": (
        "The story did not end as it should. Please report this with the output above.",
        "想定どおりに終わりませんでした。上の出力を添えて報告してください。",
    ),
    "demo_kept": (
        "Everything is in {folder}. Go on by hand there: `agentcells issue new \"…\"`, `agentcells tick`, `agentcells status`.",
        "すべて {folder} にあります。そこで `agentcells issue new \"…\"`、`agentcells tick`、`agentcells status` を試せます。",
    ),
    # ---- agentcells bench tokens
    "bench_head": (
        "way;calls;tool list;calls and answers;context at the end;input of all turns;times ours",
        "方法;呼び出し;ツール一覧;呼び出しと応答;最後のコンテキスト;全ターンの入力;agentcells 比",
    ),
    "bench_shell": (
        "git in a shell, a forge's plain answers (tool lists not counted)",
        "シェルの git とフォージの素の応答（ツール一覧は数えない）",
    ),
    "bench_shell_gitea": ("git in a shell, gitea-mcp", "シェルの git と gitea-mcp"),
    "bench_git_gitea": ("mcp-server-git, gitea-mcp", "mcp-server-git と gitea-mcp"),
    "bench_git_github": ("mcp-server-git, github-mcp-server", "mcp-server-git と github-mcp-server"),
    "bench_ours": ("work records (agentcells mcp)", "作業記録（agentcells mcp）"),
    "bench_no_tokens": (
        "These are bytes, not tokens: for tokens, pip install bpe-openai.",
        "トークンではなくバイト数です。トークンを数えるには pip install bpe-openai。",
    ),
    "bench_git": ("git failed in the benchmark: {detail}", "ベンチマークで git が失敗しました: {detail}"),
    # ---- agentcells mcp
    "mcp_missing": (
        "The work record server needs the extra \"mcp\": in the folder of agentcells, .venv/bin/pip install '.[mcp]'  (missing: {module})",
        "作業記録サーバーには追加パッケージ「mcp」が必要です: agentcells のフォルダーで .venv/bin/pip install '.[mcp]'（不足: {module}）",
    ),
    "mcp_bad_address": (
        "--http takes HOST:PORT, for example 127.0.0.1:8801. Found: {found}",
        "--http には 127.0.0.1:8801 のように HOST:PORT を指定します。指定値: {found}",
    ),
    "mcp_cannot_listen": (
        "Cannot listen at {address}: {detail}. Is another server running there? Choose another port.",
        "{address} で待ち受けできません: {detail}。別のサーバーが動いていませんか。別のポートを選んでください。",
    ),
    "mcp_open_to_all": (
        "{host} is open to the network, and what is sent over plain HTTP can be read there. Name the hosts that clients call it by with --allow-host if that is meant.",
        "{host} はネットワークに公開され、平文の HTTP は盗み見られます。意図したものなら、クライアントが使うホスト名を --allow-host で指定してください。",
    ),
    "mcp_token_file": (
        "The tokens of {path} cannot be used: {detail}.",
        "{path} のトークンを使えません: {detail}。",
    ),
    "mcp_token_short": ("a token has at least 16 visible characters", "トークンは 16 文字以上の表示可能な文字です"),
    "mcp_token_none": ("there is none in it", "中にトークンがありません"),
    "mcp_ready": (
        "Listening at {url} (token: {token_file})",
        "{url} で待ち受け中（トークン: {token_file}）",
    ),
    "mcp_bad_choice": ("{option} takes one of: {choices}. Found: {found}", "{option} は次のどれかです: {choices}。指定値: {found}"),
    "mcp_no_folder": ("There is no folder {path}.", "フォルダー {path} がありません。"),
    "mcp_install_done": (
        "Claude Code knows the work records now (server \"{name}\", scope {scope}). Start it in the project and say: record this work.",
        "Claude Code に作業記録を登録しました（サーバー「{name}」、範囲 {scope}）。プロジェクトで起動し、「作業を記録して」と言ってください。",
    ),
    "mcp_install_there": (
        "Claude Code has a server \"{name}\" already; it was left as it is. To make it anew: `claude mcp remove --scope {scope} {name}`, then this command again; or choose another --name.",
        "Claude Code にはすでにサーバー「{name}」があり、そのままにしました。作り直すには `claude mcp remove --scope {scope} {name}` の後でこのコマンドをもう一度実行するか、--name で別の名前を選んでください。",
    ),
    "mcp_install_slow": ("no answer within {seconds} s", "{seconds} 秒以内に応答がありません"),
    "mcp_install_failed": (
        "claude did not take it: {detail}. By hand: {command}",
        "claude が受け付けませんでした: {detail}。手動で実行するには: {command}",
    ),
    "mcp_install_no_claude": (
        "There is no command claude on the PATH. Once it is installed: {command}",
        "PATH に claude コマンドがありません。インストール後に実行してください: {command}",
    ),
    "mcp_install_denied": (
        "{path}: git, gh and tea are denied to its shell, and its own prompt no longer speaks of git.",
        "{path}: シェルでの git・gh・tea を禁止し、プロンプトから git の説明を外しました。",
    ),
    "mcp_install_settings_bad": (
        "{path} is not JSON that can be added to; nothing was changed. Mend it, or leave --deny out.",
        "{path} は追記できる JSON ではないため、何も変更していません。直すか、--deny を外してください。",
    ),
    "mcp_print_intro": (
        "Put this into {file}:",
        "次の内容を {file} に書いてください:",
    ),
    "mcp_print_deny": (
        "Optional, so that it does not fall back to its shell: deny the commands git, gh and tea in that client's own permission settings.",
        "任意: シェルに頼らないよう、クライアント側の権限設定で git・gh・tea コマンドを禁止してください。",
    ),
    "bench_run_workspace": (
        "workspace",
        "作業場所",
    ),
    "bench_run_sandbox": (
        "sandbox, canary and proof",
        "サンドボックス、カナリア、証明",
    ),
    "bench_run_import": (
        "import",
        "取り込み",
    ),
    "bench_run_good": (
        "{files:file|files}, {megabytes} MB: a run adds {added} s (goal {goal} s) and {memory} MB (goal {most} MB). {parts}",
        "{files} ファイル、{megabytes} MB: 1 回の実行で増えるのは {added} 秒 (目標 {goal} 秒) と {memory} MB (目標 {most} MB)。{parts}",
    ),
    "bench_run_missed": (
        "{files:file|files}, {megabytes} MB: a run adds {added} s (goal {goal} s) and {memory} MB (goal {most} MB), which is MORE THAN THE GOAL. {parts}",
        "{files} ファイル、{megabytes} MB: 1 回の実行で増えるのは {added} 秒 (目標 {goal} 秒) と {memory} MB (目標 {most} MB)。目標を超えています。{parts}",
    ),
    "bench_run_failed": (
        "The benchmark's own run did not go well: {detail}",
        "ベンチマークの実行がうまくいきませんでした: {detail}",
    ),
    "demo_by_hand": (
        "{folder} holds a forge with {repo} on it, and cells.toml. You are {owner}, its owner. First:\n  cd {folder}\n  agentcells issue new \"{title}\"\n  agentcells tick\nThe agent follows a script: it builds this one thing only, whatever the issue says.",
        "{folder} に {repo} の入ったフォージと cells.toml を用意しました。あなたは owner の {owner} です。まず:\n  cd {folder}\n  agentcells issue new \"{title}\"\n  agentcells tick\nエージェントは台本どおりに動くので、issue に何と書いても作るのはこの一つだけです。",
    ),
}
