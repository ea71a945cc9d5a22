"""What `--help` says, in Japanese: the English of each text stands where its command or option is made."""

from __future__ import annotations

IN_JAPANESE: dict[str, str] = {
    # ------------------------------------------------------------ the frame
    "Show this message and exit.": "この説明を表示します。",
    "Print the version.": "版を表示します。",
    "Install completion for the current shell.": "使用中のシェルに補完を組み込みます。",
    "Show completion for the current shell, to copy it or customize the installation.":
        "使用中のシェル用の補完を表示します。写したり手を加えたりするためのものです。",
    "The factory's cells.toml.": "ファクトリーの cells.toml。",
    "Print JSON for programs.": "プログラム向けに JSON で表示します。",
    "en or ja": "en または ja",
    "When there are several.": "複数あるときに指定します。",
    "Number of the issue or pull request.": "課題またはプルリクエストの番号。",
    # ------------------------------------------------------------ the line
    "Turns issues into reviewed pull requests while nobody watches.":
        "見ていない間に、課題をレビュー済みのプルリクエストにします。",
    "Read the forge, run what waits, write what came of it: one tick.":
        "フォージを読み、待っているものを実行し、結果を書き込みます。これが一回の tick です。",
    "Print what a tick would do now, and write nothing.": "今 tick が行うことを表示し、何も書き込みません。",
    "Print the effective values of cells.toml, defaults included.":
        "cells.toml の実際の値を、既定値も含めて表示します。",
    "Play the whole line once on an embedded forge.\n\n"
    "A scripted agent stands in for the model: nothing to set up, no account.":
        "内蔵のフォージでライン全体を一度演じます。\n\n"
        "モデルの代わりに台本どおりのエージェントが動きます。準備もアカウントも要りません。",
    "Leave forge, repository and cells.toml here.": "フォージ、リポジトリ、cells.toml をここに残します。",
    "Only set it up here: you play the owner.": "ここに用意だけします。所有者の役はあなたです。",
    "Inside a run: observe, status, diff, record, test and more.":
        "実行の中で使います: observe、status、diff、record、test など。",
    "Write cells.toml, prompts and labels.\n\nRun again, it changes nothing.":
        "cells.toml、プロンプト、ラベルを作ります。\n\nもう一度実行しても何も変わりません。",
    "The repository.": "リポジトリ。",
    "Whose labels and words count.": "ラベルと言葉が効力を持つ人。",
    "The account of the token.": "トークンのアカウント。",
    "Where the token lies.": "トークンの置き場所。",
    "Of a GitHub of your own; ends with /graphql.": "自前の GitHub の URL。/graphql で終わります。",
    "Of a GitHub of your own.": "自前の GitHub の URL。",
    "Its certificate.": "その証明書。",
    "Ask nothing.": "何も尋ねません。",
    "Renew the pinned ids.": "固定した ID を新しくします。",
    # ------------------------------------------------------------ looking
    "Look at everything a tick needs.\n\n"
    "Each line is one thing, with the remedy where something is wrong. Exit code 1: a tick would not\n"
    "get past it.":
        "tick に必要なものをすべて調べます。\n\n"
        "一行に一項目で、問題があれば直し方を示します。終了コード 1 は、tick がそこで止まるという意味です。",
    "Show every work item: where it waits, for whom and why.\n\n"
    "How long, at what cost, and what holds up everything; the next tick, and runs at work.":
        "すべての案件について、どこで、誰を、なぜ待っているかを示します。\n\n"
        "時間と費用、全体を止めているもの、次の tick、作業中の実行も示します。",
    "Follow the tick that is at work, run by run.": "作業中の tick を、実行ごとに追います。",
    "Do not ask the forge: show what was read last.": "フォージに問い合わせず、最後に読んだ内容を示します。",
    "Explain why one item runs or does not, and who can change it.":
        "一つの案件が動く、または動かない理由と、誰がそれを変えられるかを説明します。",
    "An issue or pull request; or a cell on the factory.":
        "課題またはプルリクエストの番号。または on = \"factory\" のセルの名前。",
    "Draw the flow of cells.toml as a Mermaid diagram.\n\n"
    "Cells that nothing leads to, and circles without a way out, are marked.":
        "cells.toml の流れを Mermaid の図にします。\n\n"
        "どこからも来られないセルと、出口のない輪には印が付きます。",
    "Show what ticks did or, with RUN, what the agent of that run did.":
        "tick が行ったことを示します。RUN を付けると、その実行のエージェントが行ったことを示します。",
    "The run, as a comment or status names it.": "実行の名前。コメントや status にあるとおり。",
    "Only events of this item.": "この案件の出来事だけ。",
    "The newest events.": "新しいものからこの件数。",
    "Write one HTML file about what the line has done.\n\n"
    "It is made from the forge's own timeline and our books, and opens offline.\n\n"
    "Figures: throughput, time, rounds, stops, cost, success.":
        "ラインが行ったことを一つの HTML ファイルにします。\n\n"
        "フォージの履歴と帳簿から作られ、オフラインで開けます。\n\n"
        "数値: throughput、time、rounds、stops、cost、success。",
    "With --json: only this one.": "--json とともに: この数値だけ。",
    "The HTML file.": "HTML ファイル。",
    "So far back; 0: all.": "さかのぼる日数。0 はすべて。",
    "At most so many issues a repository.": "リポジトリごとに最大この件数の課題。",
    # ------------------------------------------------------------ steering
    "Start nothing new until `stop --resume`.\n\n"
    "What runs is finished, or ended with --now.\n\n"
    "For one item: the label ac:hold, or /hold in a comment.":
        "`stop --resume` まで新しいものを始めません。\n\n"
        "実行中のものは最後まで行います。--now を付けると終わらせます。\n\n"
        "一つの案件だけなら、ラベル ac:hold、またはコメントに /hold。",
    "Also end the runs that are at work.": "作業中の実行も終わらせます。",
    "Take the stop back.": "停止を取り消します。",
    "Let a stuck item wait for its cell again.\n\n"
    "This is your own act, as if you had set the label: all its counters begin afresh, and its text\n"
    "as it stands is approved.":
        "止まった案件を、もう一度そのセルの待ちに戻します。\n\n"
        "あなた自身がラベルを付けたのと同じです。回数はすべて数え直しになり、今の本文が承認されます。",
    "Another cell than the one that asked.": "尋ねたセルとは別のセル。",
    "Take all labels of ours off an item: it is left alone.":
        "案件から agentcells のラベルをすべて外します。以後は触れません。",
    # ------------------------------------------------------------ issues
    "File, read and answer issues on the forge of cells.toml.":
        "cells.toml のフォージで課題を作り、読み、答えます。",
    "File an issue; the owner's is labelled and assigned in the same step.":
        "課題を作ります。所有者のものには、同時にラベルと担当者が付きます。",
    "The text; - reads standard input.": "本文。- は標準入力から読みます。",
    "A cell or a label (default: the first cell on issues).":
        "セルまたはラベル（既定: 課題で働く最初のセル）。",
    "File only: no label, no assignee.": "作るだけで、ラベルも担当者も付けません。",
    "Assignee (default: the owner).": "担当者（既定: 所有者）。",
    "Local forge: who acts (default: the owner).": "ローカルフォージで、誰として行うか（既定: 所有者）。",
    "The open issues and pull requests, newest change first.":
        "開いている課題とプルリクエスト。最近変わったものから。",
    "Only what waits for this cell or label.": "このセルまたはラベルを待つものだけ。",
    "One item whole: text, comments, reviews.": "一つの案件の全体: 本文、コメント、レビュー。",
    "Write a comment.": "コメントを書きます。",
    "Put labels on, or take them off.": "ラベルを付けます。または外します。",
    "Cells or labels.": "セルまたはラベル。",
    "Take off instead of putting on.": "付ける代わりに外します。",
    "Add assignees; the factory works only on what is the owner's.":
        "担当者を加えます。ファクトリーが扱うのは所有者が担当のものだけです。",
    "Change title and text, or a comment.": "題名と本文、またはコメントを書き換えます。",
    "The new title.": "新しい題名。",
    "The new text; - reads standard input.": "新しい本文。- は標準入力から読みます。",
    "Change this comment instead.": "代わりにこのコメントを書き換えます。",
    "Close an issue, or a pull request without merging it.":
        "課題を閉じます。プルリクエストはマージせずに閉じます。",
    "Open it again (local forge).": "もう一度開きます（ローカルフォージ）。",
    "Merge a pull request.": "プルリクエストをマージします。",
    "Only this newest commit.": "最新のコミットがこれのときだけ。",
    "Review a pull request (local forge).": "プルリクエストをレビューします（ローカルフォージ）。",
    "Remark on a line of this file.": "このファイルの行に意見を付けます。",
    "The line, with --path.": "--path とともに、その行。",
    "Answer in this thread.": "このスレッドで答えます。",
    "Who is on the local forge.": "ローカルフォージのアカウント。",
    "Make this account.": "このアカウントを作ります。",
    "With --add: it is a bot.": "--add とともに: ボットです。",
    # ------------------------------------------------------------ the timer
    "The timer that starts ticks.": "tick を始めるタイマー。",
    "Start a tick every ten minutes, by systemd or by a line for cron.":
        "十分ごとに tick を始めます。systemd、または cron の一行で。",
    "Of the units, when there are several factories.": "ファクトリーが複数あるときの、ユニットの名前。",
    "What is installed, and when the next tick comes.": "組み込まれているものと、次の tick の時刻。",
    "Take the timer away. Nothing starts by itself any more.":
        "タイマーを取り除きます。以後は何もひとりでに始まりません。",
    # ------------------------------------------------------------ bench
    "Measure what a run costs.": "一回の実行にかかるものを測ります。",
    "Time and memory that a run costs beyond its agent, on a small and a large project.":
        "エージェント自身を除いて実行にかかる時間とメモリー。小さなプロジェクトと大きなプロジェクトで。",
    "How long until nothing of a run is left, case by case.": "実行の跡がなくなるまでの時間。場合ごとに。",
    "How many items go through the whole line in an hour, and how much of the time is ours.":
        "一時間に何件がラインを通り抜けるか、そのうち agentcells 自身の時間はどれだけか。",
    "So many issues are filed at once.": "一度に作る課題の数。",
    "Runs at a time; may be given several times.": "同時の実行数。何度でも指定できます。",
    "Seconds that the agent thinks in each run.": "実行ごとにエージェントが考える秒数。",
    "What one piece of work costs an agent in tokens, by our tools and by others'.":
        "一つの仕事にエージェントが使うトークン数。agentcells の道具と、ほかの道具で。",
    # ------------------------------------------------------------ work records
    "Work records for an agent that a person drives (MCP).": "人が動かすエージェントのための作業記録（MCP）。",
    "Serve streamable HTTP there; default: stdio.": "そこで streamable HTTP を提供します。既定: stdio。",
    "Folder that may be worked in; default: the present project.":
        "作業してよいフォルダー。既定: 今のプロジェクト。",
    "The factory's cells.toml; default: the project's own.":
        "ファクトリーの cells.toml。既定: プロジェクト自身のもの。",
    "The nine essential tools only.": "基本の九つの道具だけ。",
    "brain, or worker: the low-level tools, a server of its own.":
        "brain、または worker（低水準の道具。独立したサーバーになります）。",
    "draft, auto, lines or delegate; may be repeated.":
        "draft、auto、lines、delegate のいずれか。繰り返し指定できます。",
    "Bearer tokens for HTTP, one a line; made when missing.":
        "HTTP 用の Bearer トークン。一行に一つ。なければ作ります。",
    "Name that clients call an HTTP server by, besides loopback.":
        "ループバックのほかに、クライアントが HTTP サーバーを呼ぶ名前。",
    "Log here; default: stderr.": "ログの書き先。既定: 標準エラー出力。",
    "Make the work records known to a client; for all but Claude Code it is printed.":
        "作業記録をクライアントに登録します。Claude Code 以外では、設定を表示します。",
    "claude-code, codex, or another: printed.": "claude-code、codex、またはほかの名前（表示のみ）。",
    "local, project or user": "local、project、user のいずれか",
    "What the client calls it.": "クライアントでの呼び名。",
    "Also deny git to its shell and its prompt, in this project.":
        "このプロジェクトでは、シェルとプロンプトでの git も禁じます。",
    "Print, change nothing.": "表示だけして、何も変えません。",
}

FRAME: dict[str, str] = {
    "Usage": "使い方", "Options": "オプション", "Commands": "コマンド", "Arguments": "引数",
    "[OPTIONS]": "[オプション]", "COMMAND [ARGS]...": "コマンド [引数]...",
    "env var": "環境変数", "default": "既定値", "required": "必須",
}
