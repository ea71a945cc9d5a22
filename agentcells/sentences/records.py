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
        "{path} may not be changed or holds something that must not leave: {rule}.",
        "{path} は変更が許されないか、外に出してはならないものを含んでいます: {rule}。",
    ),
    # ---- why nothing was recorded or removed
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
}
