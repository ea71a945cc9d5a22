"""What the operator reads who looks inside: status, why, graph, logs, report, notices, stopping."""

from __future__ import annotations

OPERATING: dict[str, tuple[str, str]] = {
    # ---- the flow
    "view_graph_needs_human": ("waits for your answer", "あなたの返事待ち"),
    "view_graph_in_review": ("waits for your inspection", "あなたの確認待ち"),
    "view_graph_on_issue": ("works on issues", "課題で働く"),
    "view_graph_on_pull_request": ("works on pull requests", "プルリクエストで働く"),
    "view_graph_on_factory": ("works on the factory itself", "ファクトリー全体で働く"),
    "view_graph_reply": ("you write", "あなたが書く"),
    "view_graph_checks": ("checks fail", "チェックが失敗"),
    "view_graph_merge": ("merged", "マージ済み"),
    "view_graph_unreachable": (
        "Nothing leads to {name}: name it in the next of another cell, or turn it off.",
        "{name} に進む道がありません。ほかのセルの next に書くか、無効にしてください。"),
    "view_graph_endless": (
        "From {name} no way leads out: put done, merge or needs-human into the next of its circle.",
        "{name} から外へ出る道がありません。この輪のどれかの next に done、merge、needs-human のいずれかを書いてください。"),
    "view_graph_off": (
        "{name} is off (enabled = false).", "{name} は無効です (enabled = false)。"),
    # ---- times
    "view_days": ("{count:day|days}", "{count} 日"),
    "view_hours": ("{count:hour|hours}", "{count} 時間"),
    "view_minutes": ("{count} min", "{count} 分"),
    "view_seconds": ("{count} s", "{count} 秒"),
    # ---- the board
    "view_state_stopped": (
        "Stopped by you: nothing new is started until `agentcells stop --resume`.",
        "あなたが止めています。`agentcells stop --resume` まで新しい実行は始まりません。"),
    "view_state_broken": (
        "Something is broken; `agentcells check` names it and its remedy.",
        "壊れているところがあります。`agentcells check` が原因と直し方を示します。"),
    "view_state_paused": (
        "Paused until {until}: {why}. It goes on by itself.",
        "{until} まで休止中: {why}。自動で再開します。"),
    "view_state_spent": (
        "The day's budget is spent. It goes on tomorrow, or when you raise limits.usd_per_day.",
        "今日の予算を使い切りました。明日再開します。limits.usd_per_day を上げればすぐ再開します。"),
    "view_state_running": (
        "At work: {runs} running, {owner} waiting for you.",
        "作業中: 実行 {runs} 件、あなた待ち {owner} 件。"),
    "view_state_going": (
        "The next tick has something to do; {owner} waiting for you.",
        "次の tick ですることがあります。あなた待ち {owner} 件。"),
    "view_state_waiting": (
        "Nothing moves by itself now: {items} waiting, {owner} of them for you.",
        "今は自動で進むものがありません。待ち {items} 件、うちあなた待ち {owner} 件。"),
    "view_state_held": (
        "Everything is on hold: {items}. Take the hold label off, or write /resume.",
        "すべて保留中です: {items} 件。保留ラベルを外すか /resume と書いてください。"),
    "view_state_idle": (
        "Nothing to do: no item carries a label of ours. `agentcells issue new \"…\"` files one.",
        "することはありません。agentcells のラベルが付いたものがありません。`agentcells issue new \"…\"` で登録できます。"),
    "view_day": ("Spent today: ${usd} of {limit}.", "今日の費用: {limit} ドル中 {usd} ドル。"),
    "view_brake_lost": (
        "The brake file was lost: the books say ${usd} today, but the count began again at less. "
        "A pause or a stop that stood in it is lost too.",
        "ブレーキのファイルが失われました。記録では今日 {usd} ドルですが、数え直しています。休止や停止の指定も失われています。"),
    "view_brake_broken": (
        "The brake file could not be read and was set aside ({file}): the day's count began again at "
        "0, and a stop or a pause that stood in it is lost.",
        "ブレーキのファイルが読めず、よけてあります ({file})。今日の費用は 0 から数え直し、停止や休止の指定は失われました。"),
    "view_unreached": (
        "The forge was not reached: {why} What follows is as it was read at {at}.",
        "フォージに届きませんでした: {why} 以下は {at} に読んだ内容です。"),
    "view_unreached_nothing": (
        "The forge was not reached: {why} Nothing was read from it before, so only this machine is shown.",
        "フォージに届きませんでした: {why} 以前に読んだ内容もないので、このマシンの状態だけを示します。"),
    "view_not_asked": (
        "The forge was not asked; this is as it was read at {at}.",
        "フォージには問い合わせていません。{at} に読んだ内容です。"),
    "view_not_asked_nothing": (
        "The forge was not asked, and nothing was read from it before.",
        "フォージには問い合わせておらず、以前に読んだ内容もありません。"),
    "view_tick_at_work": ("A tick is at work now.", "いま tick が動いています。"),
    "view_tick_well": ("The last tick ended well {ago} ago.", "最後の tick は {ago}前に正常に終わりました。"),
    "view_tick_failed": (
        "The last tick failed {ago} ago (exit {code}, {count} in a row): {why}",
        "最後の tick は {ago}前に失敗しました (終了コード {code}、連続 {count} 回): {why}"),
    "view_tick_no_word": (
        "The last tick began {ago} ago and ended without a word: it was killed, or it is a bug. The "
        "next one takes up what it left.",
        "最後の tick は {ago}前に始まり、何も残さず終わりました。強制終了か不具合です。次の tick が続きを引き受けます。"),
    "view_tick_next": ("Next tick: {at}.", "次の tick: {at}。"),
    "view_tick_no_timer": (
        "No timer of ours is set on this machine: `agentcells timer install`, or `agentcells tick` by hand.",
        "このマシンにタイマーがありません。`agentcells timer install` か、手動で `agentcells tick` を実行してください。"),
    "view_head": ("number|title|rounds|cost|waits|who|why", "番号|題名|回数|費用|待ち|誰が|理由"),
    "view_group": ("{label}  ({count})", "{label}  ({count} 件)"),
    "view_group_unknown": (
        "labels that fit no single state  ({count})", "状態を一つに決められないもの  ({count} 件)"),
    "view_group_held": (
        "taken out of the line by your /hold  ({count})", "あなたの /hold で外したもの  ({count} 件)"),
    "view_unreadable": (
        "Could not be read now, so left alone:", "今は読めなかったので、そのままにしたもの:"),
    "view_running": ("{cell} is running ({run})", "{cell} が実行中です ({run})"),
    "view_next_tick": ("goes on at the next tick", "次の tick で進みます"),
    "view_next_tidy": (
        "is closed; the next tick takes its labels off", "閉じています。次の tick がラベルを外します"),
    "view_waits": ("waits for its turn", "順番待ちです"),
    "view_waits_held": (
        "you wrote /hold: its labels were taken off; /resume in a comment brings them back",
        "あなたが /hold と書いたのでラベルを外しました。/resume とコメントすると元に戻ります"),
    "view_waits_needs_human": ("waits for your reply in a comment", "コメントでの返信待ちです"),
    "view_waits_in_review": (
        "waits for you to merge, close or comment", "マージ、クローズ、またはコメント待ちです"),
    "view_run_alive": (
        "{run}: {cell} on {item}, at work for {time}", "{run}: {item} の {cell}、{time}前から作業中"),
    "view_run_ended": (
        "{run}: {cell} on {item} has ended; the next pass publishes it",
        "{run}: {item} の {cell} は終わりました。次の回で公開します"),
    "view_run_refused": (
        "{run}: {cell} on {item} has ended, but publishing it was refused {count:time|times}: {words}",
        "{run}: {item} の {cell} は終わりましたが、公開が {count} 回拒否されました: {words}"),
    "view_run_unstarted": (
        "{run}: {cell} on {item} was claimed but never started: the next tick takes the claim back, and it "
        "counts as no round",
        "{run}: {item} の {cell} は確保されましたが、始まりませんでした。次の tick が取り消し、回数には数えません"),
    "view_run_dead": (
        "{run}: {cell} on {item} is over without a proof that all its processes ended: it is never "
        "published. The next tick counts it as failed; its work is kept.",
        "{run}: {item} の {cell} は、すべてのプロセスが終わった証明なしに終わりました。公開されることはありません。"
        "次の tick が失敗と数え、作業は残します。"),
    # ---- the board when cells.toml is wrong
    "status_without_cells": (
        "cells.toml has mistakes, so no tick starts anything; what runs goes on. This machine knows by itself:",
        "cells.toml に誤りがあり、tick は何も始めません。動いているものは続きます。このマシンだけで分かること:"),
    "status_day": ("Spent on {day}: ${usd}.", "{day} の費用: {usd} ドル。"),
    "status_seen": (
        "As the last tick saw them at {at}:", "最後の tick が {at} に見たもの:"),
    # ---- why
    "view_yes": ("yes", "○"),
    "view_no": ("NO ", "×"),
    "view_why_open_yes": ("It is open.", "開いています。"),
    "view_why_open_no": (
        "#{number} is {state}. You can reopen it and set a label again.",
        "#{number} は{state}です。開き直してラベルを付ければ再開できます。"),
    "view_why_merged_no": (
        "#{number} is merged: this is done.", "#{number} はマージ済みです。完了しています。"),
    "view_why_state_yes": ("It carries one label: {labels}.", "ラベルは一つです: {labels}。"),
    "view_why_state_no": (
        "It must carry exactly one label of a cell or a wait; it has: {labels}. You can set one and "
        "take the others off.",
        "セルか待ちのラベルがちょうど一つ必要です。今は {labels}。一つを残して外すか、一つ付けてください。"),
    "view_why_hold_yes": ("It is not on hold.", "保留されていません。"),
    "view_why_hold_no": (
        "It is on hold. You can take {label} off, or write /resume.",
        "保留中です。{label} を外すか /resume と書けば再開できます。"),
    "view_why_command_no": (
        "You wrote /hold, and its labels were taken off. Write /resume in a comment on #{number}: the "
        "label that it had comes back.",
        "あなたが /hold と書いたので、ラベルを外しました。#{number} に /resume とコメントすると、元のラベルに戻ります。"),
    "view_why_needs_human_no": (
        "It asked you {time} ago: {words} Your comment on #{number} sends it to {cell}.",
        "{time}前にあなたに尋ねました: {words} #{number} にコメントすると {cell} へ進みます。"),
    "view_why_in_review_no": (
        "It has waited {time} for your inspection: {words} Merge or close #{number}; a comment there "
        "sends it to {cell}.",
        "{time}前から確認を待っています: {words} #{number} をマージするか閉じてください。コメントすると {cell} へ進みます。"),
    "view_why_approved_yes": (
        "Label and text are approved by {owner}, who is assigned to it.",
        "ラベルと本文は担当の {owner} が承認したものです。"),
    "view_why_book_yes": ("The book of its runs is whole.", "実行の記録はそろっています。"),
    "view_why_book_no": (
        "The book of its runs is gone or was edited by somebody else. You can set its label again: a "
        "new book is begun.",
        "実行の記録がなくなったか、他の人に編集されました。ラベルを付け直すと新しい記録で始まります。"),
    "view_why_blocked_yes": ("It waits for no other issue.", "ほかの課題を待っていません。"),
    "view_why_blocked_no": (
        "It waits for {numbers}. You can close them, or take the dependency off.",
        "{numbers} を待っています。閉じるか、依存を外してください。"),
    "view_why_rounds_yes": (
        "{cell} has run {used} of {limit:time|times} since your last word.",
        "{cell} はあなたの最後の言葉から {limit} 回中 {used} 回実行しました。"),
    "view_why_rounds_no": (
        "{cell} has run {used} of {limit:time|times} since your last word. A comment of yours gives it new "
        "rounds.",
        "{cell} はあなたの最後の言葉から {limit} 回中 {used} 回実行しました。あなたがコメントすれば、また実行できます。"),
    "view_why_failures_yes": (
        "It failed {count:time|times} in a row ({what}); at {limit} it is stopped.",
        "連続 {count} 回失敗しました ({what})。{limit} 回で止まります。"),
    "view_why_failures_no": (
        "It failed {count:time|times} in a row ({what}). A comment of yours, or `agentcells retry`, tries again.",
        "連続 {count} 回失敗しました ({what})。コメントするか `agentcells retry` でもう一度試します。"),
    "view_why_runs_yes": (
        "It has had {used} of the {limit:run|runs} of its life.", "全部で {limit} 回中 {used} 回実行しました。"),
    "view_why_runs_no": (
        "It has had {used} of the {limit:run|runs} of its life. You can raise limits.runs_per_item.",
        "全部で {limit} 回中 {used} 回実行しました。limits.runs_per_item を上げれば続けられます。"),
    "view_why_usd_yes": (
        "It has cost ${used} of {limit} since your last word.",
        "あなたの最後の言葉からの費用は {limit} ドル中 {used} ドルです。"),
    "view_why_usd_no": (
        "It has cost ${used} of {limit} since your last word. A comment of yours gives it a new "
        "budget; you can also raise limits.usd_per_item.",
        "あなたの最後の言葉からの費用は {limit} ドル中 {used} ドルです。コメントすれば新しい予算になります。"
        "limits.usd_per_item を上げることもできます。"),
    "view_why_day_yes": (
        "Today has cost ${used} of {limit}.", "今日の費用は {limit} ドル中 {used} ドルです。"),
    "view_why_day_no": (
        "Today has cost ${used} of {limit}. It goes on tomorrow, or when you raise limits.usd_per_day.",
        "今日の費用は {limit} ドル中 {used} ドルです。明日続けます。limits.usd_per_day を上げればすぐ続けられます。"),
    "view_why_pause_yes": ("No pause is in force.", "休止中ではありません。"),
    "view_why_pause_no": (
        "There is a pause until {until}: {why}. It ends by itself.",
        "{until} まで休止中です: {why}。自動で終わります。"),
    "view_why_stop_yes": ("You have not stopped the line.", "あなたは全体を止めていません。"),
    "view_why_stop_no": (
        "You have stopped the line. `agentcells stop --resume` lets it go on.",
        "あなたが全体を止めています。`agentcells stop --resume` で再開します。"),
    "view_why_cell_free_yes": (
        "{cell} has room in this repository ({busy} of {limit} at work).",
        "このリポジトリの {cell} に空きがあります ({limit} 件中 {busy} 件作業中)。"),
    "view_why_cell_free_no": (
        "{cell} is busy in this repository ({busy} of {limit} at work). It comes after that; you can "
        "raise parallel of the cell.",
        "このリポジトリの {cell} は作業中です ({limit} 件中 {busy} 件)。その後に始まります。セルの parallel を上げることもできます。"),
    "view_why_slot_yes": (
        "A slot of this machine is free ({busy} of {limit} taken).",
        "このマシンに空きがあります ({limit} 件中 {busy} 件)。"),
    "view_why_slot_no": (
        "All slots of this machine are taken ({busy} of {limit}). It comes when one is free; you can "
        "raise factory.parallel.",
        "このマシンに空きがありません ({limit} 件中 {busy} 件)。空いたら始まります。factory.parallel を上げることもできます。"),
    "view_why_unproved": (
        "{run} of {cell} is over without a proof that all its processes ended, so its result is never "
        "published. The next tick counts it as failed and keeps its work.",
        "{cell} の {run} は、すべてのプロセスが終わった証明なしに終わったため、結果は公開されません。"
        "次の tick が失敗と数え、作業は残します。"),
    "view_why_running": (
        "So: {cell} has been running for {time} ({run}).", "結論: {cell} が {time}前から実行中です ({run})。"),
    "view_why_moves": ("So: the next tick goes on with it.", "結論: 次の tick で進みます。"),
    "view_why_tidied": (
        "So: nothing runs on it any more. The next tick takes its labels off and, after a merge, our branch.",
        "結論: もう何も実行されません。次の tick がラベルを外し、マージ後なら私たちのブランチも消します。"),
    "view_why_trouble": ("The last attempt did not come off: {words}", "前回はうまくいきませんでした: {words}"),
    "view_why_skip": ("So: {why} {who}", "結論: {why} {who}"),
    "view_change_owner": ("You can change that.", "あなたが変えられます。"),
    "view_change_machine": ("agentcells goes on by itself.", "agentcells が自動で続けます。"),
    "view_change_time": ("Time changes that.", "時間がたてば変わります。"),
    "view_change_nobody": ("Nothing has to change.", "何も変える必要はありません。"),
    "view_why_unreadable": (
        "It could not be read now, so it is left alone: {item}. The next tick tries again.",
        "今は読めないので、そのままにします: {item}。次の tick がもう一度試します。"),
    "view_why_unread": (
        "So nothing is known of #{number} yet: `agentcells why {number}` asks the forge, once it can be reached.",
        "#{number} についてはまだ何も分かりません。フォージに届くようになれば `agentcells why {number}` が尋ねます。"),
    "view_why_unknown": (
        "#{number} carries no label of ours, is closed, or does not exist. To put it into the line, "
        "assign it to yourself and set the label of a cell.",
        "#{number} には agentcells のラベルがないか、閉じているか、存在しません。始めるには、自分を担当にしてセルのラベルを付けてください。"),
    # ---- notices
    "notify_needs_human": (
        "{item} needs your answer ({title}): {words}", "{item} があなたの返事を待っています ({title}): {words}"),
    "notify_in_review": (
        "{item} is ready for you to look at ({title}): {words}", "{item} の確認をお願いします ({title}): {words}"),
    "notify_pause": (
        "The factory pauses until {until}: {why}.", "ファクトリーは {until} まで休止します: {why}。"),
    "notify_day": (
        "The day's budget of ${limit} is spent; the factory goes on tomorrow.",
        "今日の予算 {limit} ドルを使い切りました。明日再開します。"),
    "notify_failure": (
        "{count:tick|ticks} in a row failed: {why}", "tick が連続 {count} 回失敗しました: {why}"),
    "notify_no_words": ("exit code {code}, see `agentcells logs`", "終了コード {code}。`agentcells logs` を見てください"),
    "notify_more": ("and {count} more", "ほか {count} 件"),
    "notify_sent": ("told you: {count}", "通知しました: {count} 件"),
    "notify_command": (
        "The notice could not be given: {command}: {detail}. The next pass tries again; see [notify] command.",
        "通知できませんでした: {command}: {detail}。次の回でもう一度試します。[notify] command を確かめてください。"),
    "notify_unreachable": (
        "The notice could not be given: the webhook of [notify] was not reached ({detail}). The next pass tries again.",
        "通知できませんでした: [notify] の webhook に届きません ({detail})。次の回でもう一度試します。"),
    "notify_refused": (
        "The notice could not be given: the webhook of [notify] answered {status}. The next pass tries again.",
        "通知できませんでした: [notify] の webhook が {status} を返しました。次の回でもう一度試します。"),
    # ---- what a tick tells of runs
    "run_started": ("{cell} begins on {item} ({run})", "{item} で {cell} を開始 ({run})"),
    "run_ended": (
        "{cell} on {item}: {what} ({tokens:token|tokens}, ${usd})",
        "{item} の {cell}: {what} ({tokens} トークン、{usd} ドル)"),
    "pass_unattended": (
        "Nobody is left to start {run}: the tick that it was claimed for was killed. The next tick takes "
        "the claim back, and it counts as no round.",
        "{run} を始めるはずの tick が強制終了されました。次の tick が確保を取り消し、回数には数えません。"),
    # ---- status --watch and logs
    "watch_begins": ("begins", "開始"),
    "watch_answers": ("writes its answer", "回答を作成中"),
    "watch_answered": ("has answered", "回答済み"),
    "watch_head": (
        "run|item|cell|time|tokens|cost|doing", "実行|案件|セル|経過|トークン|費用|いましていること"),
    "watch_line": (
        "{run}  {cell} on {item}, {time}, {tokens:token|tokens}, {usd}: {doing}",
        "{run}  {item} の {cell}、{time}、{tokens} トークン、{usd}: {doing}"),
    "watch_nothing": (
        "Nothing is at work now. `agentcells status` shows what waits.",
        "いま動いているものはありません。待ちの一覧は `agentcells status` で見られます。"),
    "logs_at_work": ("It is at work.", "実行中です。"),
    "logs_none": (
        "No tick has told anything yet, or its log is too old and was deleted. `agentcells tick` does one now.",
        "tick の記録がまだないか、古くて削除されました。`agentcells tick` で今すぐ実行できます。"),
    "logs_none_item": (
        "No tick has told anything about #{number} here, or its log is too old and was deleted. `agentcells why {number}` "
        "says how it stands.",
        "ここには #{number} についての tick の記録がないか、古くて削除されました。`agentcells why {number}` で今の状態が分かります。"),
    "logs_more": ("Output of its commands: {files}", "コマンドの出力: {files}"),
    # ---- stop, retry, release
    "stop_or_resume": (
        "Either --now or --resume: the one ends what runs, the other starts again.",
        "--now と --resume は同時に使えません。一方は終了、他方は再開です。"),
    "stop_waits": (
        "A pass is writing to the forge; the stop takes hold right after it.",
        "いまフォージに書き込み中です。終わりしだい停止します。"),
    "stop_already": (
        "It was stopped already. `agentcells stop --resume` lets it go on.",
        "すでに停止中です。`agentcells stop --resume` で再開します。"),
    "stop_was_not": ("It was not stopped; nothing changed.", "停止していませんでした。何も変えていません。"),
    "stop_at_work": (
        "Still at work, and will be finished: {runs}. `agentcells stop --now` ends them.",
        "まだ作業中で、最後まで続きます: {runs}。`agentcells stop --now` で終了します。"),
    "stop_ended": (
        "Runs ended: {runs}. Their work is kept for the next run.",
        "終了した実行: {runs} 件。作業は次の実行のために残してあります。"),
    "stop_left": (
        "Still at work: {runs}. The tick that started them is gone, so nobody can end them; they end by "
        "their own time-out and are never published before.",
        "まだ作業中: {runs}。開始した tick がないため止められません。制限時間で終わり、それまで公開されません。"),
    "retry_done": (
        "#{number} waits for {cell} again ({before} -> {label}): all its counters begin afresh, and its "
        "text as it stands is approved. The next tick takes it up.",
        "#{number} はもう一度 {cell} を待ちます ({before} -> {label})。回数は数え直し、今の本文を承認したことになります。"
        "次の tick が取りかかります。"),
    "retry_assigned": ("It was not assigned to {owner}; now it is.", "{owner} が担当ではなかったので、担当に加えました。"),
    "retry_closed": (
        "#{number} is {state}: reopen it first; nothing was changed.",
        "#{number} は{state}です。先に開き直してください。何も変えていません。"),
    "retry_running": (
        "{cell} is at work on #{number} now ({run}); nothing was changed. `agentcells logs {run}` shows "
        "what it does, `agentcells stop --now` ends it.",
        "いま {cell} が #{number} で作業中です ({run})。何も変えていません。`agentcells logs {run}` で様子が見られ、"
        "`agentcells stop --now` で終了できます。"),
    "retry_which_cell": (
        "It cannot be told which cell #{number} should go to; name it with --cell: {known}",
        "#{number} をどのセルに送るか分かりません。--cell で指定してください: {known}"),
    "retry_no_cell": (
        "cells.toml has no cell {cell} that works on items. There are: {known}",
        "{cell} という案件用のセルは cells.toml にありません。あるのは: {known}"),
    "retry_needs_pull_request": (
        "{cell} works on pull requests, and #{number} has no open one; name another cell with --cell.",
        "{cell} はプルリクエスト用のセルですが、#{number} に開いたプルリクエストがありません。--cell で別のセルを指定してください。"),
    "retry_needs_issue": (
        "{cell} works on issues, and #{number} is a pull request without one; name another cell with --cell.",
        "{cell} は issue 用のセルですが、#{number} は issue のないプルリクエストです。--cell で別のセルを指定してください。"),
    "retry_not_owner": (
        "Only a label that {owner} sets himself starts anything, and this token is {viewer}'s; nothing was "
        "changed. As {owner}, open {url}, take off: {off}, set {label} (take it off first if it is there).",
        "何かを始められるのは {owner} 自身が付けたラベルだけで、このトークンは {viewer} のものです。何も変えていません。"
        "{owner} として {url} を開き、{off} を外し、{label} を付けてください (すでにあれば一度外してから)。"),
    "release_done": (
        "Taken off #{number}: {labels}. The factory leaves it alone until you set a cell's label.",
        "#{number} から外しました: {labels}。セルのラベルを付けるまで、そのままにします。"),
    "release_nothing": (
        "#{number} carries no label of ours; nothing was changed.",
        "#{number} に agentcells のラベルはありません。何も変えていません。"),
    "release_running": (
        "{run} is still at work on it: its result will not be published, its work is kept. `agentcells stop "
        "--now` ends it at once.",
        "{run} がまだ作業中です。結果は公開されず、作業は残ります。すぐ終えるには `agentcells stop --now` を実行してください。"),
    "view_why_place": (
        "There: {url}",
        "場所: {url}",
    ),
    "view_why_desk_needs_human": (
        "Here: `agentcells issue show {number}`, then `agentcells issue comment {number} \"…\"` and `agentcells tick`.",
        "この端末では: `agentcells issue show {number}` で読み、`agentcells issue comment {number} \"…\"` で答えてから `agentcells tick`。",
    ),
    "view_why_desk_hold": (
        "Here: `agentcells issue comment {number} /resume`, then `agentcells tick`.",
        "この端末では: `agentcells issue comment {number} /resume`、そのあと `agentcells tick`。",
    ),
    "view_why_desk_in_review": (
        "Here: `agentcells issue show {number}`, then `agentcells issue merge {number}`, or `agentcells issue comment {number} \"…\"`; then `agentcells tick`.",
        "この端末では: `agentcells issue show {number}` で読み、`agentcells issue merge {number}` か `agentcells issue comment {number} \"…\"`、そのあと `agentcells tick`。",
    ),
    "view_desk": (
        "`agentcells why N` says what to do with item N.",
        "`agentcells why N` で、#N に何をすればよいか分かります。",
    ),
    "view_state_unread": (
        "Nothing is known of any item yet. `agentcells status` without --offline asks the forge.",
        "まだ何も分かっていません。--offline なしの `agentcells status` がフォージに問い合わせます。",
    ),
    "bench_line": (
        "{parallel} at a time: {items:item|items} through the whole line in {seconds} s, that is {an_hour} an hour; {ours} % of the time is ours ({runs:run|runs}, at most {open:item|items} begun and not done).",
        "同時に {parallel} 件: {items} 件がライン全体を {seconds} 秒で終えました（1 時間あたり {an_hour} 件）。agentcells 自身の時間は {ours} %です（実行 {runs} 回、着手して未完了のものは最大 {open} 件）。",
    ),
    "bench_line_bad": (
        "{parallel} at a time: only {done} of {items:item|items} came through, or not in their order ({seconds} s, {runs:run|runs}). Something is wrong.",
        "同時に {parallel} 件: {items} 件のうち {done} 件しか終わらないか、順序が守られませんでした（{seconds} 秒、実行 {runs} 回）。何かがおかしいです。",
    ),
    "bench_line_failed": (
        "A tick of the benchmark failed: {detail}",
        "ベンチマークの tick が失敗しました: {detail}",
    ),
}
