"""What the commands print: progress, the demo's story, help."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "tick_busy": (
        "Another tick is at work here; this one has nothing to do.",
        "別の tick が動いています。この tick は何もしません。",
    ),
    "tick_idle": (
        "Nothing to run now.",
        "いま実行するものはありません。",
    ),
    "stop_set": (
        "Nothing new is started until `agentcells stop --resume`. What runs is finished.",
        "`agentcells stop --resume` まで新しい実行は始まりません。動いているものは最後まで続きます。",
    ),
    "stop_now": (
        "Nothing new is started until `agentcells stop --resume`. Runs told to end: {runs}.",
        "`agentcells stop --resume` まで新しい実行は始まりません。終了を伝えた実行: {runs}。",
    ),
    "stop_taken_back": (
        "The stop is taken back; the next tick goes on.",
        "停止を解除しました。次の tick から再開します。",
    ),
    "logs_head": (
        "Run {run}: {cell} on {pair}",
        "実行 {run}: {pair} の {cell}",
    ),
    "logs_no_end": (
        "It has not ended, or it died without a word.",
        "まだ終わっていないか、何も残さず落ちました。",
    ),
    "logs_end": (
        "Ended: {outcome}, next: {next}, {tokens} tokens, {usd} dollars. {detail}",
        "終了: {outcome}、次: {next}、{tokens} トークン、{usd} ドル。{detail}",
    ),
    # ---- views: the plan
    "view_nothing_to_do": ("Nothing to do.", "することはありません。"),
    "view_left_alone": ("Left alone:", "そのままにするもの:"),
    "view_skip": ("{pair}  {title}: {why} ({who})", "{pair}  {title}: {why} ({who})"),
    "view_who_owner": ("you", "あなた"),
    "view_who_machine": ("agentcells", "agentcells"),
    "view_who_time": ("time", "時間"),
    "view_who_nobody": ("nobody", "なし"),
    "view_on_issue": ("on the issue", "課題"),
    "view_on_pull": ("on the pull request", "プルリクエスト"),
    "view_push": ("push {sha} to {ref}", "{sha} を {ref} に送る"),
    "view_open_pull": ("open the pull request: {title}", "プルリクエストを作る: {title}"),
    "view_assign": ("assign you to the pull request", "プルリクエストの担当にあなたを加える"),
    "view_post": ("comment {where}: {line}", "コメント ({where}): {line}"),
    "view_labels": ("label {where}: {change}", "ラベル ({where}): {change}"),
    "view_no_label": ("no label of ours", "ラベルなし"),
    "view_ledger": (
        "write the book on #{number} ({runs} runs)", "#{number} の記録を書く ({runs} 回)"),
    "view_claim": ("start a run of {cell}", "{cell} を実行する"),
    "view_claim_reply": (
        "start a run of {cell}, because you wrote", "あなたの返信を受けて {cell} を実行する"),
    "view_close": ("put the run {run} away", "実行 {run} を片付ける"),
    "view_keep": (
        "keep the unpublished work of {run} and put the run away",
        "実行 {run} の未公開の作業を残して片付ける",
    ),
    "view_delete_branch": ("delete the branch {ref}", "ブランチ {ref} を削除する"),
    "view_merge": ("merge pull request #{number} at {sha}",
                   "プルリクエスト #{number} を {sha} の状態でマージする"),
    "view_brake_stopped": (
        "note that nothing new is to be started", "新しい実行を始めないことを書き留める"),
    "view_brake_pause": (
        "start nothing new until {until}: {why}", "{until} まで新しい実行を始めない: {why}"),
    "view_brake": (
        "note the day's cost: ${usd}", "今日の費用を書き留める: {usd} ドル"),
    "view_record": ("record: {message}", "記録: {message}"),
    "view_comment": ("{who} comments: {line}", "{who} のコメント: {line}"),
    # ---- views: the flow
    "view_graph_needs_human": ("waits for your answer", "あなたの返事待ち"),
    "view_graph_in_review": ("waits for your inspection", "あなたの確認待ち"),
    "view_graph_on_issue": ("works on issues", "課題で働く"),
    "view_graph_on_pull_request": ("works on pull requests", "プルリクエストで働く"),
    "view_graph_on_factory": ("works on the factory itself", "工場全体で働く"),
    "view_graph_reply": ("you write", "あなたが書く"),
    "view_graph_checks": ("checks fail", "検査が失敗"),
    "view_graph_merge": ("merged", "マージ済み"),
    "view_graph_unreachable": (
        "Nothing leads to {name}: name it in the next of another cell, or turn it off.",
        "{name} に進む道がありません。ほかのセルの next に書くか、無効にしてください。",
    ),
    # ---- views: the board
    "view_day": (
        "Spent today: ${usd} of {limit}.", "今日の費用: {limit} ドル中 {usd} ドル。"),
    "view_stopped": (
        "Stopped by you: nothing new is started until `agentcells stop --resume`.",
        "あなたが止めています。`agentcells stop --resume` まで新しい実行は始まりません。",
    ),
    "view_paused": (
        "Paused until {until}: {why}", "{until} まで休止中: {why}"),
    "view_head": ("number|title|rounds|cost|who: why", "番号|題名|回数|費用|誰が: 理由"),
    "view_group": ("{label}  ({count})", "{label}  ({count} 件)"),
    "view_group_unknown": (
        "labels that fit no single state  ({count})", "状態を一つに決められないもの  ({count} 件)"),
    "view_unreadable": (
        "Could not be read now, so left alone:", "今は読めなかったので、そのままにしたもの:"),
    "view_running": (
        "{cell} has been running for {minutes} minutes", "{cell} が {minutes} 分前から実行中です"),
    "view_next_tick": ("goes on at the next tick", "次の tick で進みます"),
    "view_waits": ("waits for its turn", "順番待ちです"),
    "view_waits_needs_human": ("waits for your reply in a comment", "コメントでの返信待ちです"),
    "view_waits_in_review": (
        "waits for you to merge, close or comment", "マージ、クローズ、またはコメント待ちです"),
    # ---- views: why
    "view_yes": ("yes", "○"),
    "view_no": ("NO ", "×"),
    "view_why_open_yes": ("It is open.", "開いています。"),
    "view_why_open_no": (
        "It is {state}. You can reopen it and set a label again.",
        "{state} です。開き直してラベルを付ければ再開できます。",
    ),
    "view_why_state_yes": ("It carries one label: {labels}.", "ラベルは一つです: {labels}。"),
    "view_why_state_no": (
        "It must carry exactly one label of a cell or a wait; it has: {labels}. You can set one "
        "and take the others off.",
        "セルか待ちのラベルがちょうど一つ必要です。今は {labels}。"
        "一つを残して外すか、一つ付けてください。",
    ),
    "view_why_hold_yes": ("It is not on hold.", "保留されていません。"),
    "view_why_hold_no": (
        "It is on hold. You can take {label} off.", "保留中です。{label} を外せば再開できます。"),
    "view_why_approved_yes": (
        "Label and text are approved by {owner}, who is assigned to it.",
        "ラベルと本文は担当の {owner} が承認したものです。",
    ),
    "view_why_rounds_yes": (
        "{cell} has run {used} of {limit} times since your last word.",
        "{cell} はあなたの最後の言葉から {limit} 回中 {used} 回実行しました。",
    ),
    "view_why_rounds_no": (
        "{cell} has run {used} of {limit} times since your last word. A comment of yours gives it "
        "new rounds.",
        "{cell} はあなたの最後の言葉から {limit} 回中 {used} 回実行しました。"
        "あなたがコメントすれば、また実行できます。",
    ),
    "view_why_runs_yes": (
        "It has had {used} of the {limit} runs of its life.",
        "全部で {limit} 回中 {used} 回実行しました。",
    ),
    "view_why_runs_no": (
        "It has had {used} of the {limit} runs of its life. You can raise limits.runs_per_item.",
        "全部で {limit} 回中 {used} 回実行しました。limits.runs_per_item を上げれば続けられます。",
    ),
    "view_why_usd_yes": (
        "It has cost ${used} of {limit}.", "費用は {limit} ドル中 {used} ドルです。"),
    "view_why_usd_no": (
        "It has cost ${used} of {limit}. You can raise limits.usd_per_item.",
        "費用は {limit} ドル中 {used} ドルです。limits.usd_per_item を上げれば続けられます。",
    ),
    "view_why_day_yes": (
        "Today has cost ${used} of {limit}.", "今日の費用は {limit} ドル中 {used} ドルです。"),
    "view_why_day_no": (
        "Today has cost ${used} of {limit}. It goes on tomorrow, or when you raise "
        "limits.usd_per_day.",
        "今日の費用は {limit} ドル中 {used} ドルです。明日続けます。"
        "limits.usd_per_day を上げればすぐ続けられます。",
    ),
    "view_why_pause_yes": ("No pause is in force.", "休止中ではありません。"),
    "view_why_pause_no": (
        "There is a pause until {until}: {why}. It ends by itself.",
        "{until} まで休止中です: {why}。自動で終わります。",
    ),
    "view_why_stop_yes": ("You have not stopped the line.", "あなたは全体を止めていません。"),
    "view_why_stop_no": (
        "You have stopped the line. `agentcells stop --resume` lets it go on.",
        "あなたが全体を止めています。`agentcells stop --resume` で再開します。",
    ),
    "view_why_running": (
        "So: {cell} is running now ({run}).", "結論: {cell} が実行中です ({run})。"),
    "view_why_moves": ("So: the next tick goes on with it.", "結論: 次の tick で進みます。"),
    "view_why_skip": ("So: {why} {who}", "結論: {why} {who}"),
    "view_change_owner": ("You can change that.", "あなたが変えられます。"),
    "view_change_machine": ("agentcells goes on by itself.", "agentcells が自動で続けます。"),
    "view_change_time": ("Time changes that.", "時間がたてば変わります。"),
    "view_change_nobody": ("Nothing has to change.", "何も変える必要はありません。"),
    "view_why_unreadable": (
        "It could not be read now, so it is left alone: {item}. The next tick tries again.",
        "今は読めないので、そのままにします: {item}。次の tick がもう一度試します。",
    ),
    "view_why_unknown": (
        "#{number} carries no label of ours, is closed, or does not exist. To put it into the line, "
        "assign it to yourself and set the label of a cell.",
        "#{number} にはこちらのラベルがないか、閉じているか、存在しません。始めるには、自分を担当に"
        "してセルのラベルを付けてください。",
    ),
    # ---- the desk: agentcells issue
    "issue_kind_issue": ("issue", "issue"),
    "issue_kind_pull_request": ("pull request", "プルリクエスト"),
    "issue_new_in_line": (
        "Filed {repo}#{number} with {label}: the next tick takes it up.",
        "{repo}#{number} を {label} 付きで登録しました。次の tick が取りかかります。"),
    "issue_new_plain": (
        "Filed {repo}#{number}. Nothing runs on it until {owner} labels it and is assigned to it.",
        "{repo}#{number} を登録しました。{owner} がラベルを付けて担当者になるまで、何も実行されません。"),
    "issue_none": (
        "There is no open issue or pull request.",
        "開いている issue やプルリクエストはありません。"),
    "issue_edited_by": ("(edited by {who})", "({who} が編集)"),
    "issue_commented": ("Commented on #{number}.", "#{number} にコメントしました。"),
    "issue_labels_now": ("Labels of #{number} now: {labels}", "#{number} のラベル: {labels}"),
    "issue_assignees_now": ("Assignees of #{number} now: {logins}", "#{number} の担当者: {logins}"),
    "issue_edited": ("Changed #{number}.", "#{number} を変更しました。"),
    "issue_closed": ("#{number} is closed.", "#{number} を閉じました。"),
    "issue_reopened": ("#{number} is open again.", "#{number} をもう一度開きました。"),
    "issue_merged": (
        "#{number} is merged into {base} ({sha}).",
        "#{number} を {base} にマージしました({sha})。"),
    "issue_reviewed": ("Reviewed #{number}.", "#{number} をレビューしました。"),
    # ---- the door of a run
    "door_bad_arguments": (
        "`{verb}` does not take these arguments.",
        "`{verb}` にその引数は使えません。",
    ),
    "door_bad_arguments_hint": (
        "Use `agentcells cell {verb}`, or `agentcells cell {verb} --log [--from N]` to read "
        "the whole output.",
        "`agentcells cell {verb}`、または出力全体を読む "
        "`agentcells cell {verb} --log [--from N]` を使ってください。",
    ),
    "door_not_configured": (
        "This project has no {verb} command.",
        "このプロジェクトには {verb} コマンドがありません。",
    ),
    "door_not_configured_hint": (
        "Go on without it, and say in your answer how you checked your work.",
        "これなしで進め、どう確かめたかを回答に書いてください。",
    ),
    "door_busy": (
        "`{verb}` is still running; one command runs at a time.",
        "`{verb}` がまだ実行中です。コマンドは一度に一つだけ動きます。",
    ),
    "door_busy_hint": (
        "Call `agentcells cell {verb}` to wait for its result.",
        "`agentcells cell {verb}` を呼んで結果を待ってください。",
    ),
    "door_still_running": (
        "{verb}: still running after {seconds} s",
        "{verb}: {seconds} 秒経過、実行中",
    ),
    "door_left_out": (
        "[... {bytes} bytes left out; `agentcells cell {verb} --log` shows them ...]",
        "[... {bytes} バイトを省略。`agentcells cell {verb} --log` で読めます ...]",
    ),
    "door_passed": ("{verb}: passed in {seconds} s.", "{verb}: 成功（{seconds} 秒）。"),
    "door_passed_but_changed": (
        "{verb}: passed in {seconds} s, but files changed while it ran, so it does not count. "
        "Run it again.",
        "{verb}: 成功（{seconds} 秒）。ただし実行中にファイルが変わったため有効になりません。"
        "もう一度実行してください。",
    ),
    "door_failed": (
        "{verb}: failed after {seconds} s. The output says why.",
        "{verb}: 失敗（{seconds} 秒）。理由は出力にあります。",
    ),
    "door_timed_out": (
        "{verb}: stopped after {seconds} s, the time limit of this project's commands.",
        "{verb}: このプロジェクトの時間制限により {seconds} 秒で止めました。",
    ),
    "door_page": (
        "Output from byte {start} to {end} of {total}.",
        "出力 {total} バイトのうち {start} から {end} まで。",
    ),
    "door_no_log": (
        "There is no output of `{verb}` at this place.",
        "`{verb}` の出力はその位置にはありません。",
    ),
    "door_no_log_hint": (
        "Run `agentcells cell {verb}` first, or ask from a lower number.",
        "先に `agentcells cell {verb}` を実行するか、より小さい番号から読んでください。",
    ),
    "door_unreadable": ("The request could not be read.", "要求を読み取れませんでした。"),
    "door_unreadable_hint": (
        "Use `agentcells cell VERB`; a message must be shorter than 60,000 characters.",
        "`agentcells cell VERB` を使ってください。メッセージは 6 万文字未満にしてください。",
    ),
    "init_wrote": (
        "Wrote {path}",
        "{path} を書きました",
    ),
    "init_label": (
        "Made the label {label} in {repo}",
        "{repo} にラベル {label} を作りました",
    ),
    "init_nothing": (
        "Labels and ids are as they should be; nothing was changed.",
        "ラベルと ID は正しい状態です。何も変えていません。",
    ),
    "init_confirm": (
        "Write this? (y/n)",
        "この内容で書きますか? (y/n)",
    ),
    "init_stopped": (
        "Nothing was written.",
        "何も書いていません。",
    ),
    "init_next": (
        "Next: `agentcells check --config {config}`, then `agentcells tick --dry-run --config {config}`.",
        "次は `agentcells check --config {config}`、続けて `agentcells tick --dry-run --config {config}` を実行してください。",
    ),
    "init_ask_repo": (
        "Repository (owner/name)",
        "リポジトリ (owner/name)",
    ),
    "init_ask_owner": (
        "Your login: whose labels and words count",
        "あなたのログイン名 (ラベルと言葉が効く人)",
    ),
    "init_ask_bot": (
        "Login of the bot account whose token is used (empty: your own token)",
        "トークンを使うボットのログイン名 (空: 自分のトークン)",
    ),
    "init_ask_test": (
        "Command that tests the project",
        "プロジェクトのテストコマンド",
    ),
    "init_ask_language": (
        "Language of what agentcells writes (en or ja)",
        "agentcells が書く文の言語 (en か ja)",
    ),
    "label_cell": (
        "Waits for the cell {cell}",
        "セル {cell} の順番待ち",
    ),
    "label_working": (
        "A cell is at work on it",
        "セルが作業中",
    ),
    "label_needs_human": (
        "Waits for your answer",
        "あなたの返事待ち",
    ),
    "label_in_review": (
        "Ready for you to look at and merge",
        "確認とマージをお願いします",
    ),
    "label_hold": (
        "Nothing runs on it while this stands",
        "この間は何も動きません",
    ),
    "form_name": (
        "For the line",
        "ラインに任せる",
    ),
    "form_about": (
        "agentcells takes this on: it asks, implements, reviews and opens a pull request.",
        "agentcells が引き受けます: 質問、実装、レビュー、プルリクエストまで。",
    ),
    "form_what": (
        "What should be different?",
        "何をどう変えたいですか?",
    ),
    "form_hint": (
        "What you see today, what you want to see, and how one can tell that it is done.",
        "今どうなっているか、どうなってほしいか、何をもって完了とするか。",
    ),
    "check_config": (
        "{path}: {cells} cells, no mistakes",
        "{path}: セル {cells} 個、誤りなし",
    ),
    "check_git": (
        "git {version}",
        "git {version}",
    ),
    "check_git_old": (
        "git {version} is older than 2.38: when the base branch moves, its merge is left to you (needs-human). Install a newer git.",
        "git {version} は 2.38 より古いため、ベースが進むとマージは人に任されます (needs-human)。新しい git を入れてください。",
    ),
    "check_disk": (
        "{free} MB free for {path}",
        "{path} の空きは {free} MB",
    ),
    "check_disk_full": (
        "Only {free} MB free for {path}: make room, or a run may be lost.",
        "{path} の空きが {free} MB しかありません。空けないと実行が失われることがあります。",
    ),
    "check_agent": (
        "claude {version} knows every flag we use",
        "claude {version} は必要なフラグをすべて備えています",
    ),
    "check_agent_other": (
        "{program} (not claude; it must speak claude's command line)",
        "{program} (claude ではありません。claude のコマンドラインを話す必要があります)",
    ),
    "check_agent_missing": (
        "There is no program {program}. Install it (npm install -g @anthropic-ai/claude-code), or name it in [agent] command.",
        "{program} というプログラムがありません。インストールするか (npm install -g @anthropic-ai/claude-code)、[agent] command で指定してください。",
    ),
    "check_agent_old": (
        "claude {version} does not know {flags}. Update it: npm install -g @anthropic-ai/claude-code",
        "claude {version} は {flags} を知りません。更新してください: npm install -g @anthropic-ai/claude-code",
    ),
    "check_agent_broken": (
        "{program} does not answer: {detail}. Start it by hand once and see what it says.",
        "{program} が応答しません: {detail}。一度手で起動して確かめてください。",
    ),
    "check_sandbox": (
        "bubblewrap holds on this host",
        "このホストで bubblewrap が使えます",
    ),
    "check_sandbox_none": (
        "containment is \"none\": fit for trying out on the local forge, not for anything else",
        "containment は \"none\" です。ローカルフォージでの試用にだけ向いています",
    ),
    "check_viewer": (
        "the token is {login}'s",
        "トークンは {login} のものです",
    ),
    "check_own_token": (
        "the token is the owner's own: {login} can neither approve nor request changes on what agentcells opens. A bot account of its own is better.",
        "トークンが owner 自身のものです。{login} は agentcells が開いたプルリクエストを承認も変更要求もできません。専用のボットアカウントを勧めます。",
    ),
    "check_clock": (
        "this machine's clock differs from the forge's by {seconds} s: set it right, or time-outs are judged wrongly.",
        "このマシンの時計がフォージと {seconds} 秒ずれています。合わせないとタイムアウトの判断を誤ります。",
    ),
    "check_repository": (
        "{repo}: reachable, base branch {branch}",
        "{repo}: 読めます。ベースブランチは {branch}",
    ),
    "check_archived": (
        "{repo} is archived: nothing can be written there. Unarchive it, or take it out of [forge] repos.",
        "{repo} はアーカイブされていて書き込めません。解除するか [forge] repos から外してください。",
    ),
    "check_labels": (
        "{repo} lacks the labels {labels}. `agentcells init` makes them.",
        "{repo} にラベル {labels} がありません。`agentcells init` が作ります。",
    ),
    "check_pins_none": (
        "no {file}: not needed for a forge of your own folder",
        "{file} なし: 自分のフォルダーのフォージには不要です",
    ),
    "check_pins": (
        "{file} agrees with the forge",
        "{file} はフォージと一致しています",
    ),
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
        "見送り",
    ),
    "demo_line_tidied": (
        "tidied",
        "片付け",
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
}
