"""What the work record server refuses, why, and what to do instead (R49). The rule of `work` holds here too."""

from __future__ import annotations

WORK_REFUSALS: dict[str, tuple[str, str]] = {
    # ---- refused: lines and cells
    "work_line_there": ("There is a line of that name already.", "その名前のラインはすでにあります。"),
    "work_line_there_hint": (
        "Call work_switch_line to go there, or choose another name.",
        "work_switch_line でそこへ移るか、別の名前にしてください。",
    ),
    "work_line_unrecorded": (
        "There is unrecorded work, which would be left behind.",
        "未記録の作業が置き去りになります。",
    ),
    "work_line_name": ("A line cannot have that name.", "その名前はラインに使えません。"),
    "work_line_name_hint": (
        "Use letters, digits, dashes and slashes, without blanks.",
        "空白を含まない英数字・ハイフン・スラッシュを使ってください。",
    ),
    "work_no_such_line": ("There is no line of that name.", "その名前のラインはありません。"),
    "work_no_such_line_hint": (
        "Ask the human for its name, or begin it with work_new_line.",
        "名前を人に尋ねるか、work_new_line で始めてください。",
    ),
    "work_no_lines": ("This project has one line only.", "このプロジェクトのラインは一つだけです。"),
    "work_no_cell": (
        "There is no such cell in this project's production line.",
        "このプロジェクトのラインにそのセルはありません。",
    ),
    "work_no_cell_hint": (
        "Ask the human which cell it shall go to.",
        "どのセルに任せるかを人に尋ねてください。",
    ),
    # ---- refused: the session and its arguments
    "work_not_started": ("The session has not begun.", "セッションが始まっていません。"),
    "work_not_started_hint": (
        "Call work_session_start(project_root).",
        "work_session_start(project_root) を呼んでください。",
    ),
    "work_root_not_allowed": (
        "That folder is not among those that this server may work in.",
        "そのフォルダーは、このサーバーが作業を許された場所ではありません。",
    ),
    "work_root_not_allowed_hint": (
        "Give a folder of the present project, or ask the human to start the server with --root for that one.",
        "現在のプロジェクトのフォルダーを指定するか、そのフォルダーを --root に指定してサーバーを起動するよう人に頼んでください。",
    ),
    "work_unknown_operation": ("There is no such operation here.", "その操作はここにはありません。"),
    "work_unknown_operation_hint": (
        "Call work_observe to see what can be done next.",
        "work_observe を呼ぶと、次にできることが分かります。",
    ),
    "work_argument_missing": ("The argument {name} is missing or blank.", "引数 {name} がないか、空です。"),
    "work_argument_unknown": ("There is no argument of that name here.", "その名前の引数はここにはありません。"),
    "work_argument_text": ("The argument {name} must be text.", "引数 {name} は文字列でなければなりません。"),
    "work_argument_long": (
        "The argument {name} is too long: at most {limit:character|characters}.",
        "引数 {name} が長すぎます。上限は {limit} 文字です。",
    ),
    "work_argument_number": (
        "The argument {name} must be a whole number from {least} to {most}.",
        "引数 {name} は {least} から {most} までの整数でなければなりません。",
    ),
    "work_argument_numbers": (
        "The argument {name} must be a list of issue numbers, at most {most}.",
        "引数 {name} は課題番号のリスト（{most} 個まで）でなければなりません。",
    ),
    "work_argument_texts": (
        "The argument {name} must be a list of texts, at most {most}.",
        "引数 {name} は文字列のリスト（{most} 個まで）でなければなりません。",
    ),
    "work_argument_choice": (
        "The argument {name} must be one of: {choices}.",
        "引数 {name} は次のどれかでなければなりません: {choices}。",
    ),
    "work_argument_flag": ("The argument {name} must be true or false.", "引数 {name} は true か false でなければなりません。"),
    "work_argument_hint": (
        "This operation takes: {arguments}. Correct the call and try again.",
        "この操作の引数: {arguments}。直してもう一度呼んでください。",
    ),
    "work_argument_none_hint": (
        "This operation takes no arguments. Call it again without any.",
        "この操作に引数はありません。引数なしでもう一度呼んでください。",
    ),
    # ---- refused: records and sharing
    "work_nothing_hint": (
        "Change files first; work_observe shows what is unrecorded.",
        "先にファイルを変更してください。未記録の変更は work_observe で分かります。",
    ),
    "work_message_hint": (
        "Say in message what was done and why.",
        "message に、何をなぜ行ったかを書いてください。",
    ),
    "work_unrecorded": ("There is unrecorded work; nothing was shared.", "未記録の作業があるため、何も共有していません。"),
    "work_unrecorded_hint": ("Call work_record first.", "先に work_record を呼んでください。"),
    "work_no_line": (
        "The project is looking at an old record, on no line of work.",
        "プロジェクトは過去の記録を表示していて、どの作業ラインにもいません。",
    ),
    "work_no_line_hint": ("Ask the human to choose a line of work.", "作業ラインを選ぶよう人に頼んでください。"),
    "work_git_hook": (
        "A check of this project refused it.",
        "このプロジェクトのチェックが拒否しました。",
    ),
    "work_git_hook_hint": (
        "Run the project's own checks, mend what they find, then try again.",
        "プロジェクトのチェックを実行し、見つかった問題を直してから、もう一度試してください。",
    ),
    "work_git_protected": (
        "The shared place does not take records on this line.",
        "共有先は、このラインの記録を受け付けません。",
    ),
    "work_git_protected_hint": (
        "Ask the human on which line this work may be shared.",
        "どのラインで共有してよいかを人に尋ねてください。",
    ),
    "work_git_identity": (
        "The project does not know whose name a record shall carry.",
        "記録に付ける名前が設定されていません。",
    ),
    "work_git_identity_hint": (
        "Ask the human to set name and address for records on this machine.",
        "このマシンで、記録に付ける名前と連絡先を設定するよう人に頼んでください。",
    ),
    "work_git_signature": (
        "Records of this project are signed, and the signature could not be made.",
        "このプロジェクトの記録には署名が必要ですが、署名できませんでした。",
    ),
    "work_git_signature_hint": (
        "Ask the human to unlock the signing key.",
        "署名鍵のロックを解除するよう人に頼んでください。",
    ),
    "work_git_ownership": (
        "The folder belongs to another account of this machine.",
        "フォルダーはこのマシンの別のアカウントのものです。",
    ),
    "work_git_ownership_hint": (
        "Ask the human to allow work in this folder.",
        "このフォルダーでの作業を許可するよう人に頼んでください。",
    ),
    "work_refused_hint": (
        "Take it out of the project or leave it as it was, then try again.",
        "それをプロジェクトから外すか元に戻してから、もう一度試してください。",
    ),
    "work_gate_hint": (
        "Put the file back as it was or take the secret out, then try again. A human can allow more.",
        "ファイルを元に戻すか秘密情報を取り除いてから、もう一度試してください。許可を広げられるのは人だけです。",
    ),
    "work_markers_hint": ("Decide for one version in that file, then try again.", "そのファイルをどちらかの版に決めてから、もう一度試してください。"),
    # ---- conflict
    "work_git_behind": (
        "Others shared newer records; nothing was shared.",
        "他の人が新しい記録を共有していたため、何も共有していません。",
    ),
    "work_git_behind_hint": (
        "Call work_update, then work_publish again.",
        "work_update を呼んでから、もう一度 work_publish を呼んでください。",
    ),
    "work_unfinished": (
        "An operation that was begun outside this session is not finished.",
        "このセッションの外で始めた操作が終わっていません。",
    ),
    "work_unfinished_hint": (
        "Ask the human to finish it or call it off, then call work_observe.",
        "それを終わらせるか取りやめるよう人に頼み、その後 work_observe を呼んでください。",
    ),
    "work_conflicts": (
        "{path} holds two versions of the same lines.",
        "{path} に同じ行の二つの版が入っています。",
    ),
    "work_conflicts_hint": (
        "Ask the human to decide between them and to finish what was begun, then call work_observe.",
        "どちらにするかを決めて操作を終わらせるよう人に頼み、その後 work_observe を呼んでください。",
    ),
    "work_overlap": (
        "What others shared touches unrecorded work in {path}; nothing was taken in.",
        "他の人が共有した内容が {path} の未記録の作業と重なるため、何も取り込んでいません。",
    ),
    "work_overlap_hint": (
        "Call work_record, then work_update again.",
        "work_record を呼んでから、もう一度 work_update を呼んでください。",
    ),
    "work_git_overlap": (
        "What others shared touches unrecorded work; nothing was taken in.",
        "他の人が共有した内容が未記録の作業と重なるため、何も取り込んでいません。",
    ),
    "work_both_changed": (
        "The same lines of {path} were changed here and by others; nothing was taken in.",
        "{path} の同じ行がここでも他の人によっても変更されています。何も取り込んでいません。",
    ),
    "work_both_changed_hint": (
        "Ask the human to bring the two versions together; nothing here has changed.",
        "二つの版をまとめるよう人に頼んでください。ここでは何も変わっていません。",
    ),
    "work_git_busy": (
        "Another program is working on the records of this project.",
        "別のプログラムがこのプロジェクトの記録を操作しています。",
    ),
    "work_git_busy_hint": (
        "Try again in a moment; if it stays so, ask the human whether a program hangs or left a lock behind.",
        "少し待ってもう一度試してください。続く場合は、止まったプログラムや残ったロックがないか人に確認してください。",
    ),
    "work_issue_stale": ("The issue has changed meanwhile.", "その間に課題が変わりました。"),
    "work_issue_stale_hint": ("Call issue_read, then try again.", "issue_read を呼んでから、もう一度試してください。"),
    # ---- auth_failed
    "work_git_auth": (
        "The shared place did not accept the access that is set up here.",
        "ここに設定されたアクセス権では共有先に受け付けられませんでした。",
    ),
    "work_issue_auth": (
        "The place of the issues did not accept the access that is set up here.",
        "ここに設定されたアクセス権では課題の保管先に受け付けられませんでした。",
    ),
    "work_auth_hint": (
        "Ask the human to renew access on this machine, then try again.",
        "このマシンのアクセス権を更新するよう人に頼み、その後もう一度試してください。",
    ),
    # ---- not_found
    "work_no_project": (
        "That folder does not exist or is no project with records.",
        "そのフォルダーは存在しないか、記録のあるプロジェクトではありません。",
    ),
    "work_no_project_hint": (
        "Give the folder of the project, or ask the human which one it is.",
        "プロジェクトのフォルダーを指定するか、どこにあるかを人に尋ねてください。",
    ),
    "work_no_shared_place": (
        "This project has no place where records are shared.",
        "このプロジェクトには記録の共有先がありません。",
    ),
    "work_no_shared_place_hint": (
        "Records are safe here. Ask the human if they shall be shared.",
        "記録はここに保存されています。共有すべきかどうかを人に尋ねてください。",
    ),
    "work_git_not_found": (
        "The shared place is not where it is said to be.",
        "共有先が設定された場所に見つかりません。",
    ),
    "work_git_not_found_hint": (
        "Ask the human whether it has moved or access is missing.",
        "移動していないか、アクセス権が不足していないかを人に尋ねてください。",
    ),
    "work_no_record": ("There is no such record.", "その記録はありません。"),
    "work_no_record_hint": ("Call work_history to see the records.", "work_history を呼ぶと記録の一覧が見られます。"),
    "work_path_hint": (
        "Give paths as work_observe shows them.",
        "work_observe が示すとおりのパスを指定してください。",
    ),
    "work_no_issue": ("There is no issue {issue}.", "課題 {issue} はありません。"),
    "work_no_issue_hint": ("Call issue_list to see the issues.", "issue_list を呼ぶと課題の一覧が見られます。"),
    "work_no_label": ("There is no label of that name.", "その名前のラベルはありません。"),
    "work_no_label_hint": (
        "Use a label that an issue already has, or ask the human to make a new one.",
        "既存のラベルを使うか、新しいラベルを作るよう人に頼んでください。",
    ),
    "work_no_tracker": (
        "This project has no issues, or they cannot be reached from here.",
        "このプロジェクトに課題がないか、ここからは接続できません。",
    ),
    "work_no_tracker_hint": (
        "Go on without: work can be recorded and shared. Ask the human if issues are needed.",
        "課題なしで続けてください。作業の記録と共有はできます。課題が必要なら人に尋ねてください。",
    ),
    # ---- policy_blocked: issues
    "work_issue_forbidden": (
        "The access that is set up here does not allow that.",
        "ここに設定されたアクセス権ではそれは許可されていません。",
    ),
    "work_issue_forbidden_hint": (
        "Ask the human to do it, or to allow it.",
        "人に実行を頼むか、許可を頼んでください。",
    ),
    "work_issue_limit": (
        "The place of the issues wants fewer calls for a while.",
        "課題の保管先への呼び出しが一時的に制限されています。",
    ),
    "work_issue_limit_hint": ("Go on with other work and try again later.", "ほかの作業を進め、後でもう一度試してください。"),
    "work_label_reserved": (
        "Labels of the production line are set by people.",
        "ラインのラベルは人が設定するものです。",
    ),
    "work_label_reserved_hint": (
        "Leave that label out; ask the human to set it.",
        "そのラベルは外し、設定は人に頼んでください。",
    ),
    "work_in_line": (
        "Issue {issue} is in the production line, where its title and body stay as they were approved.",
        "課題 {issue} はラインに入っています。タイトルと本文は承認されたままにしておきます。",
    ),
    "work_in_line_hint": (
        "Say what is to be added with issue_comment, or ask the human to edit it.",
        "追加したいことは issue_comment に書くか、編集を人に頼んでください。",
    ),
    # ---- backend_error
    "work_git_slow": (
        "It took too long and was stopped.",
        "時間がかかりすぎたため中断しました。",
    ),
    "work_git_network": ("The shared place cannot be reached.", "共有先に接続できません。"),
    "work_git_disk": (
        "The disk is full or cannot be written.",
        "ディスクがいっぱいか、書き込めません。",
    ),
    "work_git_missing": (
        "A program that keeps the records is missing on this machine.",
        "記録を管理するプログラムがこのマシンにありません。",
    ),
    "work_git_other": (
        "The records of this project could not be read or changed.",
        "このプロジェクトの記録を読み書きできませんでした。",
    ),
    "work_issue_unavailable": ("The issues cannot be reached now.", "現在、課題に接続できません。"),
    "work_issue_partial": ("The answer about the issue was not whole.", "課題についての応答が不完全でした。"),
    "work_crash": ("Something went wrong inside the server.", "サーバーの内部で問題が起きました。"),
    "work_later_hint": (
        "Call work_observe and try again; if it stays so, tell the human: the server's log says more.",
        "work_observe を呼んでもう一度試してください。続く場合は人に伝えてください。詳細はサーバーのログにあります。",
    ),
    "work_human_hint": (
        "Tell the human: the server's log says more.",
        "人に伝えてください。詳細はサーバーのログにあります。",
    ),
}
