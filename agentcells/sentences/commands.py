"""What the commands print: progress, the demo's story, help."""

from __future__ import annotations

COMMANDS: dict[str, tuple[str, str]] = {
    "tick_busy": (
        "Another tick is at work here; this one has nothing to do.",
        "別の tick が動いています。この tick は何もしません。",
    ),
    "tick_stopped": (
        "It is stopped: nothing new begins until `agentcells stop --resume`.",
        "停止中です。`agentcells stop --resume` まで新しい実行は始まりません。",
    ),
    "tick_idle": (
        "Nothing to run now.",
        "いま実行するものはありません。",
    ),
    "stop_set": (
        "Nothing new is started until `agentcells stop --resume`. What runs is finished.",
        "`agentcells stop --resume` まで新しい実行は始まりません。動いているものは最後まで続きます。",
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
        "Ended: {outcome}, next: {next}, {tokens:token|tokens}, {usd} dollars. {detail}",
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
    "view_answer": ("answer a remark on a line: {line}", "行コメントに答える: {line}"),
    "view_labels": ("label {where}: {change}", "ラベル ({where}): {change}"),
    "view_no_label": ("no label", "ラベルなし"),
    "view_labels_off": ("all of ours taken off", "すべて外す"),
    "view_ledger": (
        "write the book on #{number} ({runs:run|runs})", "#{number} の実行記録を更新する (実行 {runs} 回分)"),
    "view_claim": ("start a run of {cell}", "{cell} を実行する"),
    "view_claim_reply": (
        "start a run of {cell}, because you wrote", "あなたの返信を受けて {cell} を実行する"),
    "view_close": ("put the run {run} away", "実行 {run} を片付ける"),
    "view_keep": (
        "keep the unpublished work of {run} and put the run away",
        "実行 {run} の未公開の作業を残して片付ける",
    ),
    "view_unstarted": (
        "{run} was claimed but never started: the claim is taken back, and it counts as no round",
        "{run} は確保されましたが、始まりませんでした。確保を取り消し、回数には数えません",
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
    # ---- the desk: agentcells issue
    "issue_kind_issue": ("issue", "issue"),
    "issue_kind_pull_request": ("pull request", "プルリクエスト"),
    "issue_state_open": ("open", "オープン"),
    "issue_state_closed": ("closed", "クローズ済み"),
    "issue_state_merged": ("merged", "マージ済み"),
    "issue_new_in_line": (
        "Filed {repo}#{number} with {label}: the next tick takes it up.",
        "{repo}#{number} を {label} 付きで登録しました。次の tick が取りかかります。"),
    "issue_new_plain": (
        "Filed {repo}#{number}. Nothing runs on it until {owner} labels it and is assigned to it.",
        "{repo}#{number} を登録しました。{owner} がラベルを付けて担当者になるまで、何も実行されません。"),
    "issue_no_label": (
        "{repo} has no label {label}, so nothing can carry it. `agentcells graph` shows the cells.",
        "{repo} にラベル {label} はないので、付いているものもありません。セルは `agentcells graph` で見られます。"),
    "issue_none": (
        "There is no open issue or pull request.",
        "開いている issue やプルリクエストはありません。"),
    "issue_edited_by": ("(edited by {who})", "({who} が編集)"),
    "issue_commented": ("Commented on #{number}.", "#{number} にコメントしました。"),
    "issue_labels_now": ("Labels of #{number} now: {labels}", "#{number} のラベル: {labels}"),
    "issue_assignees_now": ("Assignees of #{number} now: {logins}", "#{number} の担当者: {logins}"),
    "issue_comment_title": (
        "A comment has no title: give --comment and --body, or --title without --comment. Nothing was changed.",
        "コメントに題名はありません。--comment と --body、または --comment なしの --title を指定してください。何も変えていません。",
    ),
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
    "door_crowded": (
        "Too many calls at once; this one was not taken.",
        "呼び出しが多すぎて、この一件は受け付けませんでした。",
    ),
    "door_crowded_hint": (
        "Wait for the answers to the earlier calls, then call again.",
        "前の呼び出しの答えを待ってから、もう一度呼んでください。",
    ),
    "door_still_running": (
        "{verb}: still running after {seconds} s",
        "{verb}: {seconds} 秒経過、実行中",
    ),
    "door_left_out": (
        "[... {bytes:byte|bytes} left out; `agentcells cell {verb} --log` shows them ...]",
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
        "{path}: {cells:cell|cells}, no mistakes",
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
        "{program} (claude ではありません。claude と同じコマンドライン引数を受け付ける必要があります)",
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
    "view_keep_book": (
        "write the book of {cell}",
        "{cell} の記録を書く",
    ),
    "view_file_issue": (
        "file the issue \"{title}\"",
        "課題「{title}」を登録する",
    ),
    "view_close_filed": (
        "close #{number}, which it filed itself: the cause is over",
        "自分で登録した #{number} を閉じる (原因がなくなったため)",
    ),
    "view_factory_cell": (
        "{cell} (on the factory): {looked} {due} Runs so far: {runs}, ${usd}. Filed and open: {filed}",
        "{cell} (ライン全体): {looked} {due} これまでの実行: {runs} 回、{usd} ドル。登録済みで未解決: {filed}",
    ),
    "view_factory_about": (
        "works on no item, but on the line itself",
        "案件ではなくライン全体について働きます",
    ),
    "view_factory_never": (
        "It has not looked yet.",
        "まだ一度も見ていません。",
    ),
    "view_factory_looked": (
        "It looked {ago} ago.",
        "{ago}前に見ました。",
    ),
    "view_factory_due": (
        "It looks again in {time}.",
        "{time}後にまた見ます。",
    ),
    "view_factory_running": (
        "It is at work.",
        "実行中です。",
    ),
    "view_factory_now": (
        "It is due: the next tick looks.",
        "予定の時刻です。次の tick で見ます。",
    ),
    "view_factory_stopped": (
        "It is due, but the factory is stopped: `agentcells stop --resume` lets it go on.",
        "予定の時刻ですが、停止中です。`agentcells stop --resume` で再開します。",
    ),
    "view_factory_paused": (
        "It is due, and waits until the machine's pause is over.",
        "予定の時刻ですが、休止が終わるまで待ちます。",
    ),
    "view_factory_day_spent": (
        "It is due, but the day's money is spent (${usd}).",
        "予定の時刻ですが、今日の予算を使い切りました ({usd} ドル)。",
    ),
    "view_factory_unusual": (
        "It runs only when a figure of the last week has left its usual range and no open issue speaks of it.",
        "直近 1 週間の数値が普段の範囲を外れ、それについての未解決の課題がないときだけ実行します。",
    ),
    "view_factory_nothing": (
        "nothing",
        "なし",
    ),
    "view_factory_run": (
        "Run {run}: {what} (${usd}); `agentcells logs {run}` shows it.",
        "実行 {run}: {what} ({usd} ドル)。`agentcells logs {run}` で見られます。",
    ),
    "view_factory_filed": (
        "Filed: {item} for `{cause}`.",
        "登録済み: {item} (`{cause}`)。",
    ),
    "view_factory_over": (
        "Filed, and over since: {item} for `{cause}`.",
        "登録後に解消: {item} (`{cause}`)。",
    ),
    "view_why_no_factory_cell": (
        "There is no cell {name}. Ask for an item by its number: `agentcells why 12`.",
        "セル {name} はありません。案件は番号で指定してください: `agentcells why 12`。",
    ),
    "view_why_item_cell": (
        "{name} works on items, one at a time. Ask for one of them by its number: `agentcells why 12`.",
        "{name} は案件ごとに働くセルです。案件を番号で指定してください: `agentcells why 12`。",
    ),
    "view_why_factory_cells": (
        "Cells that work on the factory as a whole, and can be asked for by name: {known}",
        "ファクトリー全体について働き、名前で指定できるセル: {known}",
    ),
    "view_split": (
        "file the {count:issue|issues} that #{number} is split into",
        "#{number} を分けた {count} 件の課題を登録する",
    ),
}
