"""What stands in the report."""

from __future__ import annotations

REPORTING: dict[str, tuple[str, str]] = {
    # ---- the report
    "report_wrote": ("Wrote {path}. Open it in a browser.", "{path} を書きました。ブラウザーで開いてください。"),
    "report_reading": ("reading item {count} of {total}", "{total} 件中 {count} 件目を読んでいます"),
    "report_no_figure": (
        "There is no figure {figure}. There are: {known}", "{figure} という集計はありません。あるのは: {known}"),
    "report_unwritable": (
        "{path} cannot be written: {detail}. Name another file with --out; its folder must be there.",
        "{path} に書けません: {detail}。--out で、あるフォルダーの中の別のファイルを指定してください。"),
    "report_title": ("What the line has done", "ラインの実績"),
    "report_span": (
        "{repos}: {items:item|items}, from {begin} to {end}.", "{repos}: {items} 件、{begin} から {end} まで。"),
    "report_how": ("The same as JSON:", "同じ内容の JSON:"),
    "report_numbers": ("the numbers", "数値"),
    "report_tile_finished": ("merged", "マージ"),
    "report_tile_human": ("waited for you", "あなた待ち"),
    "report_tile_machine": ("waited for the machine", "マシン待ち"),
    "report_tile_cost": ("cost", "費用"),
    "report_tile_success": ("runs that succeeded", "成功した実行"),
    "report_throughput": ("Throughput", "処理量"),
    "report_throughput_said": (
        "{started:item|items} came in, {finished:was|were} merged, {stopped} closed without a merge, {open} are "
        "open. From label to merge it took {median} in the middle.",
        "{started} 件を受け付け、{finished} 件をマージ、{stopped} 件をマージせず終了、{open} 件が進行中です。"
        "ラベルからマージまでの中央値は {median} です。"),
    "report_by_week": ("Items by week", "週ごとの件数"),
    "report_weeks_head": ("week||came in|merged|closed", "週||受付|マージ|終了"),
    "report_kind_started": ("came in", "受付"),
    "report_kind_finished": ("merged", "マージ"),
    "report_kind_stopped": ("closed without a merge", "マージせず終了"),
    "report_time": ("Where the time went", "時間の内訳"),
    "report_time_said": (
        "Items waited {human} for you and {waiting} for the machine; it worked on them for {running}.",
        "あなたを待ったのは {human}、マシンを待ったのは {waiting}、作業していたのは {running} です。"),
    "report_by_state": ("Time by label", "ラベルごとの時間"),
    "report_time_head": (
        "label||at work|waits for the machine|waits for you|stays|median",
        "ラベル||作業中|マシン待ち|あなた待ち|回数|中央値"),
    "report_kind_running": ("at work", "作業中"),
    "report_kind_waiting": ("waits for the machine", "マシン待ち"),
    "report_kind_human": ("waits for you", "あなた待ち"),
    "report_rounds": ("Rounds", "回数"),
    "report_rounds_said": (
        "{runs:run|runs} in all. A cell that runs often for one item is one that does not settle it.",
        "実行は全部で {runs} 回です。一つの案件で何度も動くセルは、決着をつけられていません。"),
    "report_by_cell": ("Cost by cell", "セルごとの費用"),
    "report_rounds_by_cell": ("Rounds by cell", "セルごとの回数"),
    "report_success_by_cell": ("Success by cell", "セルごとの成功"),
    "report_rounds_head": (
        "cell|runs for an item|mean|most|runs|items", "セル|案件あたりの実行|平均|最多|実行|案件"),
    "report_stops": ("Where items stop, and why", "止まった場所と理由"),
    "report_stops_said": ("Items came to you {stops:time|times}.", "あなたのところに来たのは {stops} 回です。"),
    "report_by_reason": ("Stops by cell and reason", "セルと理由ごとの停止"),
    "report_stops_head": ("cell and reason||times", "セルと理由||回数"),
    "report_now": ("Where they are now", "今の場所"),
    "report_now_head": ("label||items", "ラベル||件数"),
    "report_asked": ("asked a question", "質問"),
    "report_reason_rounds": ("rounds were used up", "回数の上限"),
    "report_reason_runs": ("runs of its life were used up", "総実行回数の上限"),
    "report_reason_dollars": ("its budget was spent", "予算の上限"),
    "report_reason_failures": ("failed several times in a row", "続けて失敗"),
    "report_reason_merge": ("it could not be merged", "マージできず"),
    "report_reason_long": ("its texts are too long", "本文が長すぎる"),
    "report_reason_rival": ("somebody else works on it", "他の人が作業中"),
    "report_reason_pushed": ("somebody else pushed", "他の人の変更"),
    "report_reason_ledger": ("its book was lost", "記録の喪失"),
    "report_cost": ("Cost", "費用"),
    "report_cost_said": ("${usd} and {tokens:token|tokens} in all.", "全部で {usd} ドル、{tokens} トークンです。"),
    "report_cost_older": (
        "${usd} of it are of runs that are too old to be listed one by one; no cell below has them.",
        "うち {usd} ドルは古くて一つずつ記録されていない実行の分で、下の表には含まれません。"),
    "report_cell_head": (
        "cell||cost|a run|an item|tokens|runs", "セル||費用|1 実行|1 案件|トークン|実行"),
    "report_by_model": ("Cost by model, as cells.toml named it", "モデルごとの費用 (cells.toml での指定)"),
    "report_model_head": (
        "model||cost|a run|an item|tokens|runs", "モデル||費用|1 実行|1 案件|トークン|実行"),
    "report_model_default": ("(the agent's own choice)", "(エージェントの既定)"),
    "report_by_item": ("The dearest items", "費用の大きい案件"),
    "report_item_head": ("item||cost|runs", "案件||費用|実行"),
    "report_success": ("Success", "成功"),
    "report_success_said": (
        "{rate} of the runs that ended by themselves gave an answer that could be used. Limits and outages "
        "are neither.",
        "自分で終わった実行の {rate} が使える回答を出しました。利用上限や障害はどちらにも数えません。"),
    "report_success_head": (
        "cell||rate|succeeded|failed|outages|mean time|what failed",
        "セル||割合|成功|失敗|障害|平均時間|失敗の内訳"),
    "report_kind_done": ("succeeded", "成功"),
    "report_kind_failed": ("failed", "失敗"),
    "report_kind_weather": ("limits and outages", "上限と障害"),
    "report_days": ("{count:day|days}", "{count} 日"),
    "report_hours": ("{count} h", "{count} 時間"),
    "report_minutes": ("{count} min", "{count} 分"),
}
