"""What the door of a run and the work record server say to a model, and why files are refused.

Read by models that shall spend nothing on version control: no word of it stands here. The tests
hold every sentence against the list of such words, in both languages.
"""

from __future__ import annotations

RECORDS: dict[str, tuple[str, str]] = {
    # ---- why files are not taken in (R41, R43); slots: path, more
    "records_link": (
        "{path} is a new or changed symbolic link, and links are not taken in.",
        "{path} は新しい、または変更されたシンボリックリンクで、取り込まれません。",
    ),
    "records_hard_link": (
        "{path} shares its content with another file by a hard link, which is not taken in.",
        "{path} は別のファイルとハードリンクで内容を共有しており、取り込まれません。",
    ),
    "records_special": (
        "{path} is a pipe, socket or device, and only files and folders are taken in.",
        "{path} はパイプ、ソケット、またはデバイスです。取り込まれるのはファイルとフォルダーだけです。",
    ),
    "records_nested": (
        "{path} belongs to another project's history inside this one, which is not taken in.",
        "{path} はこのプロジェクトの中にある別のプロジェクトの履歴で、取り込まれません。",
    ),
    "records_submodule": (
        "{path} is the place of another project and must stay an empty folder.",
        "{path} は別のプロジェクトの置き場所で、空のフォルダーのままでなければなりません。",
    ),
    "records_bad_name": (
        "{path} has a name that cannot be kept safely.",
        "{path} の名前は安全に保存できません。",
    ),
    "records_unreadable": (
        "{path} cannot be read: its permissions do not allow it.",
        "{path} は権限がないため読めません。",
    ),
    "records_moving": (
        "{path} was replaced by something else while it was being read.",
        "{path} は読み取り中に別のものに置き換えられました。",
    ),
    "records_too_large": (
        "{path} is too large to be taken in (the limit is 100 MB).",
        "{path} は大きすぎて取り込めません（上限は 100 MB）。",
    ),
    "records_too_many": (
        "There are too many new files, or too much new content; reading stopped at {path}.",
        "新しいファイルまたは新しい内容が多すぎます。{path} で読み取りを止めました。",
    ),
    "records_too_deep": (
        "The folders below {path} are nested too deeply.",
        "{path} 以下のフォルダーの階層が深すぎます。",
    ),
    "records_gate": (
        "Not recorded because of {path}: {rule}.",
        "{path} のため記録しませんでした: {rule}。",
    ),
    # ---- why nothing was recorded or removed
    "records_too_many_records": (
        "This run has {most:record|records}, and more are not taken.",
        "この実行の記録は {most} 件に達し、これ以上は受け付けません。",
    ),
    "records_too_many_records_hint": (
        "Go on with the work and give your final answer: what is not recorded is kept with it.",
        "作業を続け、最終回答をしてください。記録していない変更も一緒に保存されます。",
    ),
    "records_nothing": ("Nothing to record: no file has changed.", "記録するものがありません。変更されたファイルはありません。"),
    "records_no_message": (
        "The message has no words in it.",
        "メッセージに言葉がありません。",
    ),
    "records_markers_left": (
        "{path} still has lines beginning with <<<<<<< or >>>>>>>: both versions are in it.",
        "{path} に <<<<<<< または >>>>>>> で始まる行が残っています。両方の版が入ったままです。",
    ),
    "records_no_such_path": ("There is no {path} in this project.", "このプロジェクトに {path} はありません。"),
    "records_outside": (
        "{path} is not a path inside this project.",
        "{path} はこのプロジェクトの中のパスではありません。",
    ),
    "records_untouchable": (
        "{path} is prepared by the tool and is not removed.",
        "{path} はツールが用意したもので、削除されません。",
    ),
    "records_cannot_remove": (
        "{path} could not be removed: {detail}.",
        "{path} を削除できませんでした: {detail}。",
    ),
    # ---- laying the files out
    "records_unsafe_name": (
        "The project holds a file named {path}, which cannot be written out safely. Rename it, then start again.",
        "このプロジェクトには安全に書き出せない名前のファイル {path} があります。名前を変えてからやり直してください。",
    ),
    "records_not_empty": (
        "The folder {path} is not empty, so no files were written into it.",
        "フォルダー {path} が空でないため、何も書き込んでいません。",
    ),
    "records_cannot_write": (
        "The files of the project could not be written: {detail}.",
        "プロジェクトのファイルを書き込めませんでした: {detail}。",
    ),
    "records_more": (
        "(and {more} more)",
        "（ほかに {more} 件）",
    ),
    "records_refused_hint": (
        "Remove it with `agentcells cell remove PATH`, or put its content there as a plain file. Then record again.",
        "`agentcells cell remove PATH` で取り除くか、通常のファイルとして置き直してから、もう一度記録してください。",
    ),
    "records_gate_hint": (
        "Undo this change, or do it another way. If the task cannot be done without it, say so in your answer.",
        "この変更を元に戻すか、別の方法で行ってください。これなしでは作業できない場合は、回答にそう書いてください。",
    ),
    "records_hint": (
        "Call `agentcells cell observe` to see where the work stands.",
        "`agentcells cell observe` で作業の状態を確かめてください。",
    ),
    "records_nothing_hint": (
        "Change files first. If nothing needs to be changed, say so in your answer.",
        "先にファイルを変更してください。変更が要らないなら、回答にそう書いてください。",
    ),
    "records_no_message_hint": (
        "Say in a sentence what this record changes: `agentcells cell record -m \"MESSAGE\"`.",
        "この記録で何が変わるかを一文で書いてください: `agentcells cell record -m \"メッセージ\"`",
    ),
    "records_markers_left_hint": (
        "Make one version of both and delete the lines with the marks; then record.",
        "両方の版を一つにまとめ、印の行を消してから記録してください。",
    ),
    "records_no_such_path_hint": (
        "Give paths as they stand in this project, for example src/main.py.",
        "src/main.py のように、このプロジェクトでのパスを指定してください。",
    ),
    "records_outside_hint": (
        "Only paths below the project's own folder can be named.",
        "指定できるのはこのプロジェクトのフォルダー以下のパスだけです。",
    ),
    "records_untouchable_hint": (
        "Leave it as it is: it is no part of what gets recorded.",
        "そのままにしてください。記録の対象ではありません。",
    ),
    "records_read_only": (
        "This run may read the project but not change it.",
        "この実行はプロジェクトを読めますが、変更はできません。",
    ),
    "records_read_only_hint": (
        "Say in your answer what should be changed.",
        "何を変えるべきかを回答に書いてください。",
    ),
    "records_done_later": (
        "That is not done here: after your answer the tool does it by itself.",
        "それはここでは行いません。回答のあとにツールが自動で行います。",
    ),
    "records_done_later_hint": (
        "Record your work, then give your answer.",
        "作業を記録し、それから回答してください。",
    ),
    "records_no_verb": (
        "There is no verb {verb}.",
        "{verb} という動詞はありません。",
    ),
    "records_no_verb_hint": (
        "There are: {verbs}. `agentcells cell help` explains them.",
        "使えるのは {verbs} です。`agentcells cell help` に説明があります。",
    ),
    "records_no_argument": (
        "There is no argument {word}.",
        "{word} という引数はありません。",
    ),
    "records_no_option": (
        "There is no option {word}.",
        "{word} というオプションはありません。",
    ),
    "records_no_value": (
        "{word} needs a value behind it.",
        "{word} の後に値が必要です。",
    ),
    "records_twice": (
        "{word} is given twice.",
        "{word} が二度指定されています。",
    ),
    "records_extra_word": (
        "{word} is one word too many. A message with spaces needs quotes around it.",
        "{word} は余分です。空白を含むメッセージは引用符で囲んでください。",
    ),
    "records_missing": (
        "The argument {word} is missing or empty.",
        "引数 {word} がないか、空です。",
    ),
    "records_wrong_kind": (
        "The argument {word} is not of the right kind.",
        "引数 {word} の種類が違います。",
    ),
    "records_usage": (
        "Use: agentcells cell {usage}. A path that begins with a dash stands behind --.",
        "使い方: agentcells cell {usage}。ハイフンで始まるパスは -- の後に置きます。",
    ),
    "records_elsewhere": (
        "{verb} cannot be run at this place.",
        "{verb} はここでは実行できません。",
    ),
    "records_elsewhere_hint": (
        "Go on without it, and say in your answer how you checked your work.",
        "これなしで進め、どう確かめたかを回答に書いてください。",
    ),
    "records_bug": (
        "Something failed inside the tool; your files are as they were.",
        "ツールの内部で問題が起きました。ファイルは元のままです。",
    ),
    "records_bug_hint": (
        "Try once more. If it fails again, give your answer and say so; a person can read the log.",
        "もう一度試してください。また失敗したら、そのことを書いて回答してください。ログは人が読めます。",
    ),
    "records_slow": (
        "It took too long and was given up; nothing was changed.",
        "時間がかかりすぎたため中止しました。何も変わっていません。",
    ),
    "records_slow_hint": (
        "Try once more.",
        "もう一度試してください。",
    ),
    "records_disk": (
        "There is no room or no right to write; nothing was changed.",
        "書き込む空きか権限がありません。何も変わっていません。",
    ),
    "records_disk_hint": (
        "A person has to make room. Give your answer and say so.",
        "人が空きを作る必要があります。そのことを書いて回答してください。",
    ),
    "records_in_the_way": (
        "Something else is at work on the same records; nothing was changed.",
        "同じ記録に対して別の処理が動いています。何も変わっていません。",
    ),
    "records_in_the_way_hint": (
        "Try once more in a moment.",
        "少し待ってもう一度試してください。",
    ),
    "records_no_access": (
        "The access that this needs was refused.",
        "必要なアクセスが拒まれました。",
    ),
    "records_no_access_hint": (
        "A person has to renew it. Give your answer and say so.",
        "人が更新する必要があります。そのことを書いて回答してください。",
    ),
    "records_help": (
        "The verbs of `agentcells cell`. Begin with observe.",
        "`agentcells cell` の動詞です。observe から始めてください。",
    ),
    "records_about_observe": (
        "Where the work stands, what is still missing, and the next step. Call it first and whenever unsure.",
        "作業の状態、まだ足りないもの、次の一歩。最初に、また迷ったときに呼びます。",
    ),
    "records_about_status": (
        "Every changed file with its counts, and the records of this run.",
        "変更されたすべてのファイルと行数、この実行の記録。",
    ),
    "records_about_diff": (
        "The lines that changed since the newest record, of all files or of the named ones.",
        "最新の記録から変わった行。すべてのファイル、または指定したもの。",
    ),
    "records_about_history": (
        "The newest records of the project, with their messages and files.",
        "プロジェクトの新しい記録と、そのメッセージとファイル。",
    ),
    "records_about_record": (
        "Saves all changed files as a lasting record.",
        "変更されたすべてのファイルを永続する記録として保存します。",
    ),
    "records_about_remove": (
        "Deletes files or folders of the project.",
        "プロジェクトのファイルやフォルダーを削除します。",
    ),
    "records_about_build": (
        "Runs the project's build command and shows the end of its output.",
        "プロジェクトのビルドを実行し、出力の末尾を見せます。",
    ),
    "records_about_test": (
        "Runs the project's tests. Only a pass on exactly the final files counts.",
        "プロジェクトのテストを実行します。最終のファイルそのもので成功したときだけ有効です。",
    ),
    "records_missing_change": (
        "a change: no file differs from the start of this run",
        "変更: この実行の開始時から変わったファイルがありません",
    ),
    "records_missing_record": (
        "a record of the files changed since the newest record",
        "最新の記録より後に変わったファイルの記録",
    ),
    "records_missing_test": (
        "a passed `agentcells cell test` on exactly these files",
        "今のファイルそのものでの `agentcells cell test` の成功",
    ),
    "records_because_changed": (
        "There are changes that are not recorded.",
        "記録されていない変更があります。",
    ),
    "records_because_refused": (
        "There is something that is never taken in.",
        "取り込まれないものがあります。",
    ),
    "records_because_untested": (
        "The files as they are now have not passed the tests.",
        "今のファイルはまだテストに通っていません。",
    ),
    "records_lacking": (
        "Something is still missing; see missing and next_recommended.",
        "まだ足りないものがあります。missing と next_recommended を見てください。",
    ),
    "records_complete": (
        "Nothing is missing. Go on with the work, or give your answer.",
        "足りないものはありません。作業を続けるか、回答してください。",
    ),
    "records_reads_only": (
        "This run only reads. Give your answer when you have seen enough.",
        "この実行は読むだけです。十分に見たら回答してください。",
    ),
    "records_blocked": (
        "The work cannot be recorded as it is; see blocked_reason.",
        "このままでは記録できません。blocked_reason を見てください。",
    ),
    "records_status": (
        "{changes:changed file that is|changed files that are} not recorded; {records:record|records} of this run.",
        "記録されていない変更 {changes} 件、この実行の記録 {records} 件。",
    ),
    "records_summed_up": (
        "{count} changed (+{added} -{removed}): {names}",
        "{count} 件の変更 (+{added} -{removed}): {names}",
    ),
    "records_same": (
        "No file differs from the newest record.",
        "最新の記録と違うファイルはありません。",
    ),
    "records_same_there": (
        "Nothing there differs from the newest record.",
        "そこには最新の記録と違うものはありません。",
    ),
    "records_diff": (
        "Differences from the newest record. Name a path to see only that.",
        "最新の記録との差分です。パスを指定するとそこだけを表示します。",
    ),
    "records_history": (
        "{count:record|records}, newest first.",
        "記録 {count} 件、新しい順。",
    ),
    "records_recorded": (
        "Recorded; {count:file|files}.",
        "記録しました。{count} ファイル。",
    ),
    "records_removed": (
        "Removed: {count}.",
        "削除しました: {count} 件。",
    ),
    "records_gate_whole": (
        "Not recorded: {rule}.",
        "記録しませんでした: {rule}。",
    ),
    "records_rule_protected_path": (
        "only a person may change this path",
        "このパスを変更できるのは人だけです",
    ),
    "records_rule_git_path": (
        "a file of such a name is not taken in",
        "そのような名前のファイルは取り込まれません",
    ),
    "records_rule_odd_path": (
        "its name has characters that cannot be seen or told apart",
        "名前に見えない、または区別できない文字があります",
    ),
    "records_rule_path_not_utf8": (
        "its name is not UTF-8",
        "名前が UTF-8 ではありません",
    ),
    "records_rule_submodule": (
        "it is the place of another project",
        "別のプロジェクトの置き場所です",
    ),
    "records_rule_symlink": (
        "it is a symbolic link",
        "シンボリックリンクです",
    ),
    "records_rule_file_mode": (
        "it is neither a plain file nor a program",
        "通常のファイルでもプログラムでもありません",
    ),
    "records_rule_unreadable": (
        "its content cannot be read",
        "内容を読めません",
    ),
    "records_rule_known_secret": (
        "there is a secret in it that must not leave this machine",
        "このマシンの外に出してはならない秘密が含まれています",
    ),
    "records_rule_vendor_secret": (
        "there is something in it that looks like a key or a password",
        "鍵かパスワードのように見えるものが含まれています",
    ),
    "records_rule_too_many_files": (
        "too many files are changed ({detail})",
        "変更されたファイルが多すぎます（{detail}）",
    ),
    "records_rule_too_many_lines": (
        "too many lines are added ({detail})",
        "追加された行が多すぎます（{detail}）",
    ),
    "records_rule_too_many_bytes": (
        "too much content is added ({detail} bytes)",
        "追加された内容が大きすぎます（{detail} バイト）",
    ),
}
