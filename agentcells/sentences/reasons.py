"""Why an item is left alone, and what was done with it: status, why, dry-run."""

from __future__ import annotations

REASONS: dict[str, tuple[str, str]] = {
    # ---- decide: why an item is left alone, and what would start it again
    "skip_not_open": (
        "#{number} is closed. Open it again and set the label to start afresh.",
        "#{number} は閉じています。開き直してラベルを付けると、最初から始まります。"),
    "skip_label_unknown": (
        "It cannot be seen who set the label. Take it off and set it again.",
        "ラベルを付けた人が分かりません。一度外して付け直してください。"),
    "skip_label_foreign": (
        "The label was set by {who}; only the owner's label counts. Set it again yourself to start it.",
        "ラベルを付けたのは {who} です。所有者のラベルだけが有効です。始めるには自分で付け直してください。"),
    "skip_label_between": (
        "{who} changed its labels on the way. Set the label again yourself to go on.",
        "途中で {who} がラベルを変えました。続けるには自分でラベルを付け直してください。"),
    "skip_label_unordered": (
        "No label of the owner stands at its beginning. Set the label yourself to start it.",
        "所有者が付けたラベルから始まっていません。始めるには自分でラベルを付けてください。"),
    "skip_transferred": (
        "It was moved here from another repository after it was labelled. Set the label again to start it.",
        "ラベルの後で別のリポジトリから移されました。始めるにはラベルを付け直してください。"),
    "skip_not_assigned": (
        "It is not assigned to {owner}. Assign it to start it.",
        "{owner} に割り当てられていません。割り当てると始まります。"),
    "skip_text_changed": (
        "{who} changed its text after the owner's label. Read it, then write `ok` or set the label again.",
        "所有者がラベルを付けた後で {who} が本文か題名を変えました。読んで `ok` と書くか、ラベルを付け直してください。"),
    "skip_running": ("{cell} is working on it now ({run}).", "いま {cell} が作業中です({run})。"),
    "skip_held_result": (
        "A result ({run}) is ready, but the hold label stands. Take it off, and it is published.",
        "結果({run})は出ていますが、保留ラベルが付いています。外すと公開されます。"),
    "skip_other_machine": (
        "It is running on {machine}; if that machine never answers, it is freed after its time-out.",
        "{machine} で実行中です。応答がなければ、制限時間の後で解放されます。"),
    "skip_ledger_lost": (
        "The book of its runs is gone or was edited by somebody else. Set the label again to start a new one.",
        "実行の記録がなくなったか、他の人に編集されました。ラベルを付け直すと新しい記録で始まります。"),
    "skip_label_gone": (
        "Its label was changed while it ran, so the result of {run} was not published; the work is kept. "
        "Set the label again to go on from it.",
        "実行中にラベルが変わったため、{run} の結果は公開していません。作業は残してあります。"
        "ラベルを付け直すと、そこから続けます。"),
    "skip_cell_off": (
        "The cell behind {label} is off in cells.toml. Turn it on, or set another label.",
        "{label} のセルは cells.toml で無効です。有効にするか、別のラベルを付けてください。"),
    "skip_unknown_label": (
        "No cell of cells.toml waits behind {label}. Set another label.",
        "{label} に当たるセルは cells.toml にありません。別のラベルを付けてください。"),
    "skip_hold_alone": (
        "Only the hold label is on it. Set a cell's label and take the hold label off to start it.",
        "保留ラベルだけが付いています。始めるにはセルのラベルを付け、保留ラベルを外してください。"),
    "skip_look_alike": (
        "Its label only looks like one of ours. Set the right one to start it.",
        "似た名前の別のラベルが付いています。始めるには正しいラベルを付けてください。"),
    "skip_two_states": (
        "It carries {labels} at once. Take all but one off, and it goes on.",
        "{labels} が同時に付いています。一つだけ残すと続けます。"),
    "skip_held": ("It is on hold. Take {label} off to go on.", "保留中です。{label} を外すと続けます。"),
    "skip_hold_taken_off": (
        "{who} took the hold label off, which is for the owner to do. Write a comment or set the label again.",
        "保留ラベルを {who} が外しました。外せるのは所有者だけです。コメントするかラベルを付け直してください。"),
    "skip_no_reply_cell": (
        "cells.toml names no cell for your reply here. Set [factory] on_reply, or set a cell's label.",
        "返信を受けるセルが cells.toml にありません。[factory] on_reply を設定するか、セルのラベルを付けてください。"),
    "skip_needs_human": ("It waits for your answer. Reply in a comment.", "あなたの返信待ちです。コメントで答えてください。"),
    "skip_in_review": (
        "It waits for your inspection. Merge or close it, or write what should change.",
        "あなたの確認待ちです。マージするか閉じるか、直してほしいことを書いてください。"),
    "skip_fork": (
        "It is a pull request from a fork; those never run.",
        "フォークからのプルリクエストです。実行されることはありません。"),
    "skip_half_a_pair": (
        "Its issue could not be found; it is looked for again.",
        "対応する issue が見つかりません。次にもう一度探します。"),
    "skip_older_pull": (
        "An older pull request for #{issue}, which goes on elsewhere. Take the label off here, or set it on #{issue}.",
        "#{issue} のための以前の pull request で、作業は別の所で続いています。ここのラベルを外すか、#{issue} に付けてください。"),
    "skip_not_yours": (
        "It is somebody else's pull request; only yours and those that agentcells opened run.",
        "他の人のプルリクエストです。あなたのものと agentcells が作ったものだけが対象です。"),
    "skip_own_pull_cell": (
        "{cell} works on issues, and this is a pull request without one. Set the label of a cell on pull requests.",
        "{cell} は issue 用のセルですが、このプルリクエストには issue がありません。プルリクエスト用のセルのラベルを付けてください。"),
    "skip_no_pull": (
        "{cell} works on pull requests, and there is no open one here. Set the label of a cell on issues.",
        "{cell} はプルリクエスト用のセルですが、開いたプルリクエストがありません。issue 用のセルのラベルを付けてください。"),
    "skip_blocked": (
        "It waits for {numbers}. Close them, take the dependency off, or write `Not blocked by` and the number.",
        "{numbers} を待っています。閉じるか、依存を外すか、`Not blocked by` と番号を書くと続けます。"),
    "skip_merge_waits": ("It is not merged yet. {words}", "まだマージしません。{words}"),
    "skip_stopped": (
        "agentcells is stopped on this machine. `agentcells stop --resume` lets it go on.",
        "このマシンでは停止中です。`agentcells stop --resume` で再開します。"),
    "skip_paused": (
        "This machine pauses until {until} ({reason}); then it goes on by itself.",
        "このマシンは {until} まで休止中です({reason})。その後、自動で再開します。"),
    "skip_day_spent": (
        "The day's budget of {limit} dollars is spent; it goes on tomorrow.",
        "今日の予算 {limit} ドルを使い切りました。明日、再開します。"),
    "skip_not_claiming": (
        "This pass starts nothing new; the next tick does.",
        "今回は新しい実行を始めません。次の tick で始まります。"),
    "skip_cell_busy": (
        "{cell} is busy in this repository; it comes after that.",
        "このリポジトリで {cell} が作業中です。終わったら始まります。"),
    "skip_factory_busy": (
        "All slots are taken; it comes when one is free.",
        "空きがありません。空いたら始まります。"),
    "skip_unreadable": (
        "It could not be read whole just now; the next tick tries again.",
        "いま全体を読めませんでした。次の tick がもう一度試します。"),
    "skip_not_looked_at": (
        "Not looked at yet: a tick reads ten items of each label anew, and the others in their turn.",
        "まだ見ていません。1 回の tick が新しく読むのはラベルごとに 10 件までで、残りは順番に読みます。"),
    "skip_run_waits": (
        "The result of {run} waits until its issue can be read.",
        "{run} の結果は、issue が読めるまで待っています。"),
    # ---- decide: what is told in comments, and why a result did not go where the model wanted
    "plan_secret": (
        "What it wrote holds a secret ({names}), so nothing of it was published. If that secret is real, "
        "change it: the model has seen it. Then write here how to go on.",
        "書かれた内容に秘密 ({names}) が含まれていたため、何も公開していません。本物の秘密なら、モデルの目に触れたので"
        "変更してください。その後、続け方をここに書いてください。"),
    "plan_text_changed": (
        "The text above was changed by {who} after you set the label, so nothing runs. Please read it. "
        "Write `ok`, or set the label again, to approve it as it stands now.",
        "あなたがラベルを付けた後で {who} が本文か題名を変えたため、何も実行していません。読んでから `ok` と書くか、"
        "ラベルを付け直すと、今の内容で始まります。"),
    "plan_ledger_lost": (
        "The book of runs that agentcells keeps here is gone or was edited by somebody else, so nothing runs. "
        "Set the cell's label again, and a new book is begun.",
        "agentcells がここに残した実行の記録がなくなったか、他の人に編集されたため、何も実行していません。"
        "セルのラベルを付け直すと、新しい記録で始まります。"),
    "plan_email": (
        "Your reply came by e-mail, which anybody could have sent. Please repeat it here on the page.",
        "返信がメールで届きました。メールは誰でも送れるので、このページでもう一度書いてください。"),
    "plan_two_states": (
        "This carries {labels} at once, and it is not clear which one is meant, so nothing runs. "
        "Take all but one off, and it goes on.",
        "{labels} が同時に付いていて、どちらか分からないため何も実行していません。一つだけ残すと続けます。"),
    "plan_deaths": (
        "{cell} failed {count:time|times} in a row, so it is not tried again by itself. "
        "Write a comment to try once more.",
        "{cell} が {count} 回続けて失敗したため、自動では再試行しません。コメントを書くと、もう一度試します。"),
    "plan_failures": ("That was {count:time|times} in a row.", "これで {count} 回続けて失敗しました。"),
    "plan_rival": (
        "{numbers} by somebody else already closes this issue. Write a comment to go on here all the same.",
        "他の人の {numbers} がすでにこの issue を閉じる予定です。それでも続けるならコメントしてください。"),
    "plan_foreign": (
        "Somebody else has put work on the branch ({who}). Look at it; write a comment to go on with it.",
        "ブランチに他の人の変更があります({who})。確かめて、続けるならコメントしてください。"),
    "plan_runs_used": (
        "It has run {limit:time|times}, all that [limits] runs_per_item allows. Raise it in cells.toml, then comment.",
        "[limits] runs_per_item の上限 {limit} 回に達しました。cells.toml で上げてからコメントしてください。"),
    "plan_dollars_used": (
        "It has cost {spent} dollars since you last wrote; [limits] usd_per_item is {limit}. "
        "Write a comment to go on.",
        "あなたの最後のコメントから {spent} ドル使いました([limits] usd_per_item は {limit})。続けるならコメントしてください。"),
    "plan_rounds_used": (
        "{cell} has run {limit:time|times} since you last wrote, as often as max_rounds allows. "
        "Write what should happen now, and it goes on.",
        "あなたの最後のコメントから {cell} が {limit} 回実行し、max_rounds に達しました。どうするかを書くと続けます。"),
    "plan_credential": (
        "The model's login was refused, so this machine pauses. Renew the login; it then goes on by itself. "
        "Nothing of this item is lost.",
        "モデルのログインが拒否されたため、このマシンは休止します。ログインを更新すると自動で再開します。"
        "この案件の作業は失われません。"),
    "plan_model": (
        "The model that cells.toml names is not to be had, so this machine pauses. Name another one there; "
        "it then goes on by itself. Nothing of this item is lost.",
        "cells.toml に書かれたモデルが使えないため、このマシンは休止します。別のモデルを指定すると自動で再開します。"
        "この案件の作業は失われません。"),
    "plan_push_refused": (
        "The forge refused to take the result, three times: {words}",
        "フォージが結果の受け取りを 3 回拒否しました: {words}"),
    "plan_head_moved": (
        "The branch got new commits while it was looked at, so it is looked at once more.",
        "確認している間にブランチへ新しいコミットが入ったため、もう一度確認します。"),
    "plan_too_long": (
        "What you wrote here is too long to be given to a run as a whole ({limit:character|characters} in all), and "
        "nothing of it is left out silently. Shorten or delete some of it, then write a comment.",
        "あなたの書いた内容が長すぎて、実行に全部を渡せません(全体で {limit} 文字)。黙って省くことはしません。"
        "短くするか一部を消してから、コメントしてください。"),
    "plan_conflict": (
        "The base or the branch has moved and collides in {paths}; the next run puts that right.",
        "その後の変更と {paths} がぶつかっています。次の実行で直します。"),
    "plan_conflict_again": (
        "It still collides in {paths} after a run that was to put it right.",
        "直すための実行の後も {paths} がぶつかっています。"),
    "plan_unrelated": (
        "The base branch was written anew: it has no past in common with this work any more, so nothing is pushed. "
        "To start afresh from it, close the pull request and set the label again.",
        "ベースのブランチが書き直され、この作業と共通の履歴がなくなったため、何も push しません。"
        "新しい状態からやり直すには、プルリクエストを閉じてラベルを付け直してください。"),
    "plan_git_too_old": (
        "The base has moved, and this machine's git cannot merge without a working copy: it needs git 2.38 or newer.",
        "ベースが進みましたが、このマシンの git では作業コピーなしにマージできません。git 2.38 以降が必要です。"),
    "plan_gate": ("The gate lets none of it out: {what}.", "公開前の検査で止まりました: {what}。"),
    "plan_no_such_cell": (
        "cells.toml has no cell {cell} any more.", "cells.toml に {cell} というセルはもうありません。"),
    "plan_own_pull": (
        "{cell} works on issues, and this is your own pull request: it is never pushed to.",
        "{cell} は issue 用のセルです。あなた自身のプルリクエストには push しません。"),
    "plan_no_pull": (
        "{cell} works on a pull request, and there is none and nothing to open one with.",
        "{cell} はプルリクエスト用のセルですが、プルリクエストも、それを作る変更もありません。"),
    "plan_nothing_new": (
        "It changed nothing that is not on the branch already.", "ブランチにない新しい変更がありません。"),
    "plan_not_tested": (
        "The test was not run on the files as they are at the end.",
        "最後の状態のファイルでテストを実行していません。"),
    "plan_test_failed": (
        "The test failed on the files as they are at the end.", "最後の状態のファイルでテストが失敗しました。"),
    "plan_merged_untested": (
        "The base had moved and was merged in, and the result was not tested.",
        "基準ブランチの変更を取り込みましたが、取り込んだ後のテストをしていません。"),
    "plan_merge_off": (
        "This cell may not merge (merge = false).", "このセルはマージできません(merge = false)。"),
    "plan_merge_not_ours": (
        "Only an open pull request that agentcells opened is merged.",
        "agentcells が作った、開いているプルリクエストだけをマージします。"),
    "plan_not_merged": (
        "This pull request was not merged by itself. {words} "
        "Once that is put right, write a comment and it is looked at again, or merge it yourself.",
        "このプルリクエストは自動ではマージしていません。{words} "
        "直したあとコメントを書けばもう一度確かめます。自分でマージしても構いません。"),
    "plan_merge_moved": (
        "The pull request got new commits while it was looked at.",
        "確認している間に、プルリクエストに新しいコミットが入りました。"),
    "plan_merge_draft": ("It is a draft.", "下書きのプルリクエストです。"),
    "plan_merge_unreviewed": (
        "No cell has reviewed the commit that it stands at ({head}) and sent it on.",
        "今のコミット({head})を確認して先へ進めたセルがありません。"),
    "plan_merge_thread": (
        "A review remark on {path} is still open. Resolve it when it is settled.",
        "{path} への行コメントが未解決です。済んでいれば解決済みにしてください。"),
    "plan_merge_changes": (
        "You asked for changes in a review. Approve it or dismiss that review when they are made.",
        "レビューで変更を求めています。済んでいれば承認するか、そのレビューを却下してください。"),
    "plan_merge_checks": (
        "Checks failed: {names}.", "失敗したチェックがあります: {names}。"),
    "plan_flaky": (
        "Checks failed that had passed before on the very same commit: {names}. They are flaky, so nothing is changed for them. Have them run again, or write what should be done.",
        "同じコミットで一度は成功していたチェックが失敗しました: {names}。結果が揺れるチェックなので、直す作業はしません。もう一度実行するか、してほしいことを書いてください。",
    ),
    "plan_merge_flaky": (
        "Checks failed that had passed before on the very same commit: {names}. They are flaky: have them run again.",
        "同じコミットで一度は成功していたチェックが失敗しています: {names}。結果が揺れるチェックです。もう一度実行してください。",
    ),
    "plan_merge_pending": ("Its checks are still running.", "チェックがまだ終わっていません。"),
    "plan_merge_absent": (
        "No check that has passed is called {names} (`checks` in cells.toml says what must have passed: * is any, [] "
        "none; a token that may not read checks sees no names).",
        "{names} という名前の、成功したチェックが見つかりません(何が必要かは cells.toml の checks。* はどれでも、[] は"
        "不要。チェックを読めないトークンには名前が見えません)。"),
    "plan_merge_unknown": (
        "The forge does not say yet whether it can be merged.",
        "マージできるかどうかを、フォージがまだ示していません。"),
    "plan_merge_conflict": (
        "It conflicts with {base}. With the label of the cell that writes, it is put right.",
        "{base} と衝突しています。書くセルのラベルを付けると解消します。"),
    "plan_merge_blocked": (
        "The forge's own rules for the branch stand against it: a required check or an approval is missing.",
        "ブランチの保護ルールを満たしていません(必須のチェックか承認が足りません)。"),
    "plan_merge_behind": (
        "{base} has moved on since: what was checked is not what would be there after the merge. "
        "With the label of the cell that writes, it is brought up to date.",
        "{base} がその後に進んでいます。確認した内容とマージ後の内容が違います。"
        "書くセルのラベルを付けると最新に合わせます。"),
    "plan_merge_unseen": (
        "The size and paths of the change are not known.", "変更の大きさと場所が確かめられませんでした。"),
    "plan_merge_gate": (
        "It holds something that may not leave unseen ({path}).",
        "人の確認なしには出せないものが入っています({path})。"),
    "plan_merge_paths": (
        "{path} is not among the paths that may be merged by themselves (`paths` in cells.toml).",
        "{path} は、自動でマージしてよい場所(cells.toml の paths)の外です。"),
    "plan_merge_large": (
        "{files:file|files} and {lines:line|lines} are more than this cell may merge.",
        "{files} ファイル、{lines} 行は、このセルがマージできる大きさを超えています。"),
    "plan_merge_dry": (
        "It would have been merged now, but this cell only says so (dry = true): commit {head} on top of {base}, "
        "{files:file|files}, {lines:line|lines}, {checks:check|checks} passed.",
        "今マージするところですが、このセルは知らせるだけの設定です(dry = true): {base} の先頭に続くコミット {head}、"
        "{files} ファイル、{lines} 行、成功したチェック {checks} 件。"),
    "plan_merge_failed": (
        "The pull request could not be merged: {words} Look at it, then merge it yourself or write a comment.",
        "プルリクエストをマージできませんでした: {words} 確かめて、自分でマージするかコメントしてください。"),
    # ---- decide: why this item was picked now
    "why_reply": ("You replied.", "あなたが返信したため。"),
    "why_checks": ("The checks of the pull request failed.", "プルリクエストのチェックが失敗したため。"),
    "why_retry": ("The last run did not come to an end.", "前回の実行が終わらなかったため。"),
    "why_unread": (
        "You wrote while it ran, or it is to go on here.", "実行中にあなたが書いたか、ここで続けるため。"),
    "why_label": ("You set its label.", "あなたがラベルを付けたため。"),
    "why_next": ("The cell before it sent it here.", "前のセルがここへ送ったため。"),
    # ---- decide: why a label was moved without a run
    "move_reply": ("the owner replied", "所有者の返信"),
    "move_edit": ("the owner changed the text after a question", "質問の後の所有者による本文の変更"),
    "move_checks": ("checks failed", "チェックの失敗"),
    "move_held": ("the owner wrote /hold or /stop", "所有者の /hold または /stop"),
    "move_resumed": ("the owner wrote /resume", "所有者の /resume"),
    "move_conflict": ("a conflict is to be put right", "衝突の解消"),
    "move_member": (
        "the label belongs on the other side of the pair", "ラベルを issue とプルリクエストの間で移動"),
    "why_due": (
        "It is due.",
        "予定の時刻になったため。",
    ),
    "skip_taken_over": (
        "Run {run} was taken for dead and given up meanwhile, so nothing of it is published. Its work is kept.",
        "実行 {run} は止まったと判断され、途中で打ち切られました。そのため結果は公開しません。作業は残してあります。",
    ),
    "move_split": (
        "the owner agreed to split it",
        "所有者の同意による分割",
    ),
    "plan_split": (
        "It proposes to split the work, and that needs your word first.",
        "作業を分ける提案なので、先にあなたの同意が必要です。",
    ),
    "plan_split_done": (
        "As you agreed, this work is now {count:issue of its own|issues of their own}. Nothing runs on them until you set a label on them; set one here only if something is left to do here.",
        "同意に従い、この作業を {count} 件の課題に分けました。それぞれにラベルを付けるまで何も実行されません。ここに作業が残っているときだけ、ここにもラベルを付けてください。",
    ),
    "plan_split_begun": (
        "As you agreed, this work is now {count:issue of its own|issues of their own}, and **{cell}** begins on them. Nothing for you to do; set a label here only if something is left to do here.",
        "同意に従い、この作業を {count} 件の課題に分け、**{cell}** が始めます。あなたの作業はありません。ここに作業が残っているときだけ、ここにラベルを付けてください。",
    ),
}
