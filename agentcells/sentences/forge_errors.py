"""What a forge, or the way to it, refuses: its token, GitHub, Gitea."""

from __future__ import annotations

FORGE_ERRORS: dict[str, tuple[str, str]] = {
    # ---- the token of a forge
    "forge_token_none": (
        "No place for the forge's token is configured. Set `token` in the table [forge] of cells.toml, e.g. "
        'token = {{ command = ["gh", "auth", "token"] }}.',
        "フォージのトークンの置き場所が設定されていません。cells.toml の [forge] に token を書いてください。例: "
        'token = {{ command = ["gh", "auth", "token"] }}',
    ),
    "forge_token_empty": (
        "The token's place {place} is empty. Put a token there, or change `token` in cells.toml.",
        "トークンの置き場所 {place} は空です。そこにトークンを入れるか、cells.toml の token を変えてください。",
    ),
    "forge_token_shape": (
        "What {place} gives is no token: it has blanks, several lines or characters that no token has.",
        "{place} が返すものはトークンではありません。空白、複数の行、またはトークンに使えない文字を含んでいます。",
    ),
    "forge_token_slow": (
        "The token's command {command} did not end within {seconds} s. Run it by hand: does it ask a question?",
        "トークンのコマンド {command} が {seconds} 秒以内に終わりませんでした。手で実行し、入力を求めていないか確かめてください。",
    ),
    "forge_token_no_command": (
        "The token's command {command} cannot be started: {detail}. Give its full path in cells.toml; a timer "
        "has a shorter PATH than your shell.",
        "トークンのコマンド {command} を起動できません: {detail}。cells.toml に絶対パスを書いてください。"
        "タイマーの PATH はシェルのものより短いです。",
    ),
    "forge_token_command": (
        "The token's command {command} failed with exit code {code}: {detail}. Log in with that program (`gh auth login`), or name another place in cells.toml.",
        "トークンのコマンド {command} が終了コード {code} で失敗しました: {detail}。そのプログラムでログインするか (`gh auth login`)、cells.toml で別の場所を指定してください。",
    ),
    "forge_token_file": (
        "The token's file {path} cannot be read: {detail}. Put the token there (`install -D -m 600 /dev/stdin FILE`), or name another file in cells.toml.",
        "トークンのファイル {path} を読めません: {detail}。トークンをそこに置くか (`install -D -m 600 /dev/stdin FILE`)、cells.toml で別のファイルを指定してください。",
    ),
    # ---- GitHub
    "github_bad_token": (
        "GitHub does not accept the token (401): it is wrong, expired or revoked. Make a new one and put it "
        "where `token` in cells.toml points; nothing was read or written.",
        "GitHub がトークンを受け付けません (401)。誤り、期限切れ、または取り消し済みです。新しく作り、cells.toml の "
        "token が指す場所に置いてください。何も読み書きしていません。",
    ),
    "github_suspended": (
        "GitHub says that the account of the token is suspended. Only GitHub's support can lift that.",
        "GitHub によると、このトークンのアカウントは停止されています。解除できるのは GitHub サポートだけです。",
    ),
    "github_rate_limit": (
        "GitHub's hourly limit for the account {login} is used up; it goes on at {until:%Y-%m-%d %H:%M} UTC. "
        "The next tick after that continues by itself.",
        "アカウント {login} の GitHub の 1 時間あたりの上限に達しました。{until:%Y-%m-%d %H:%M} UTC に再開できます。"
        "それ以降の tick が自動で続けます。",
    ),
    "github_secondary_limit": (
        "GitHub asks for a pause (secondary rate limit) until {until:%Y-%m-%d %H:%M} UTC. The next tick after "
        "that continues by itself.",
        "GitHub が {until:%Y-%m-%d %H:%M} UTC まで待つよう求めています (secondary rate limit)。"
        "それ以降の tick が自動で続けます。",
    ),
    "github_redirect": (
        "{api} answers with a redirection ({status}), and a token is not sent on to another address. Set the "
        "final address as `api_url` in cells.toml.",
        "{api} が転送 ({status}) を返しました。トークンを別のアドレスには送りません。cells.toml の api_url に"
        "最終的なアドレスを書いてください。",
    ),
    "github_no_api": (
        "There is no GitHub API at {api} (status {status}). Check `api_url` in cells.toml: it ends with /graphql.",
        "{api} に GitHub API がありません (状態 {status})。cells.toml の api_url を確かめてください。末尾は /graphql です。",
    ),
    "github_outage": (
        "GitHub has trouble (status {status}, {operation}, request {request_id}): {detail}. The next tick tries "
        "again.",
        "GitHub に障害があります (状態 {status}、{operation}、要求 {request_id}): {detail}。次の tick が再び試みます。",
    ),
    "github_no_json": (
        "{api} answered with a page instead of data (status {status}): a proxy or a sign-in page of the "
        "network, perhaps. The next tick tries again.",
        "{api} がデータでなくページを返しました (状態 {status})。プロキシかネットワークのサインイン画面かもしれません。"
        "次の tick が再び試みます。",
    ),
    "github_network": (
        "{host} cannot be reached: {detail}. The next tick looks first at what was done, then tries again.",
        "{host} に届きません: {detail}。次の tick は、何が済んだかをまず調べてから再び試みます。",
    ),
    "github_certificate": (
        "The certificate of {host} is not trusted: {detail}. For a GitHub with a certificate of its own, set "
        "`ca_file` in cells.toml.",
        "{host} の証明書を信頼できません: {detail}。独自の証明書を持つ GitHub では、cells.toml に ca_file を書いてください。",
    ),
    "github_ca_file": (
        "The certificate file {path} (`ca_file` in cells.toml) cannot be used: {detail}.",
        "証明書ファイル {path} (cells.toml の ca_file) を使えません: {detail}。",
    ),
    "github_insecure": (
        "`api_url` in cells.toml is {api}: a token is sent over https only (plain http to this very machine "
        "excepted).",
        "cells.toml の api_url が {api} です。トークンは https でのみ送ります (このマシン自身への http を除く)。",
    ),
    "github_saml": (
        "The organization of {repo} wants SAML single sign-on for this token. Authorize it once at {link} "
        "(or at https://github.com/settings/tokens, \"Configure SSO\").",
        "{repo} の組織はこのトークンに SAML シングルサインオンを求めています。{link} で一度承認してください "
        "(または https://github.com/settings/tokens の「Configure SSO」)。",
    ),
    "github_ip_list": (
        "The organization of {repo} lets in known addresses only, and this machine's is not among them (IP "
        "allow list). Its owners can add it.",
        "{repo} の組織は許可済みアドレスからのみ接続でき、このマシンは含まれていません (IP allow list)。"
        "組織の所有者が追加できます。",
    ),
    "github_archived": (
        "{repo} is archived, so GitHub refuses every change. Unarchive it in its settings, or take it out of "
        "`repos` in cells.toml.",
        "{repo} はアーカイブ済みのため、GitHub はすべての変更を拒みます。設定で解除するか、cells.toml の repos から外してください。",
    ),
    "github_forbidden": (
        "The token of {login} may not do this ({operation}, {repo}). It needs the permission: {permission}. "
        "GitHub says: {detail}",
        "{login} のトークンにはこの操作の権限がありません ({operation}、{repo})。必要な権限: {permission}。"
        "GitHub の応答: {detail}",
    ),
    "github_scopes": (
        "The classic token of {login} lacks a scope for {operation}; it needs one of: {permission}. Add it at "
        "https://github.com/settings/tokens.",
        "{login} の classic トークンには {operation} のスコープがありません。必要なもの (いずれか): {permission}。"
        "https://github.com/settings/tokens で加えてください。",
    ),
    "github_no_repository": (
        "GitHub shows no repository {repo} to the account {login}: it does not exist, or this token was not "
        "given access to it. Check `repos` in cells.toml and the repositories of the token.",
        "GitHub はアカウント {login} にリポジトリ {repo} を見せません。存在しないか、このトークンに許可されていません。"
        "cells.toml の repos と、トークンの対象リポジトリを確かめてください。",
    ),
    "github_not_found": (
        "GitHub does not find it ({operation}, {repo}): {detail}",
        "GitHub に見つかりません ({operation}、{repo}): {detail}",
    ),
    "github_transferred": (
        "#{number} of {repo} has moved to another repository.",
        "{repo} の #{number} は別のリポジトリへ移されました。",
    ),
    "github_renamed": (
        "The repository {repo} is now called {now}. Write the new name into `repos` of cells.toml, then run "
        "`agentcells init --relock`.",
        "リポジトリ {repo} の名前は現在 {now} です。cells.toml の repos に新しい名前を書き、"
        "`agentcells init --relock` を実行してください。",
    ),
    "github_no_label": (
        "{repo} has no label {label}. `agentcells init` creates the labels of your cells.",
        "{repo} にラベル {label} がありません。`agentcells init` がセルのラベルを作ります。",
    ),
    "github_label_not_set": (
        "The labels of #{number} in {repo} are not what was just set: somebody changes them at the same time. "
        "The next tick looks again.",
        "{repo} の #{number} のラベルが、いま設定したものと違います。同時に誰かが変更しています。次の tick が見直します。",
    ),
    "github_not_assignable": (
        "GitHub does not let {login} be assigned to #{number} of {repo}: the account needs write access there.",
        "GitHub は {login} を {repo} の #{number} の担当者にできません。そのアカウントには書き込み権限が必要です。",
    ),
    "github_pull_exists": (
        "There is an open pull request for this branch of {repo} already. The next tick finds it. GitHub says: "
        "{detail}",
        "{repo} のこのブランチには、開いているプルリクエストがすでにあります。次の tick が見つけます。GitHub の応答: {detail}",
    ),
    "github_stale": (
        "It is no longer as it was read ({operation}, {repo}): {detail}. The next tick looks again.",
        "読み取ったときの状態と変わっています ({operation}、{repo}): {detail}。次の tick が見直します。",
    ),
    "github_refused": (
        "GitHub refuses this ({operation}, {repo}): {detail}",
        "GitHub がこの操作を拒みました ({operation}、{repo}): {detail}",
    ),
    "github_too_large": (
        "The question was too large for GitHub even in smaller pages ({operation}, {repo}): {detail}. It is "
        "left alone until the next tick.",
        "小さなページに分けても GitHub には大きすぎました ({operation}、{repo}): {detail}。次の tick まで触れません。",
    ),
    "github_old_schema": (
        "This GitHub does not know what agentcells asks for ({operation}): {detail}. A GitHub Enterprise "
        "Server has to be newer.",
        "この GitHub は agentcells の質問を知りません ({operation}): {detail}。GitHub Enterprise Server を新しくしてください。",
    ),
    "github_partial": (
        "GitHub's answer was not whole ({operation}, {repo}): {detail}. Nothing is concluded from it; the next "
        "tick asks again.",
        "GitHub の答えが完全ではありません ({operation}、{repo}): {detail}。そこからは何も判断せず、次の tick が改めて尋ねます。",
    ),
    # ---- forges over HTTP, and Gitea
    "forge_insecure": (
        "`api_url` in cells.toml is {api}: a token is sent over https only (plain http to this very machine excepted).",
        "cells.toml の api_url が {api} です。トークンは https でのみ送ります (このマシン自身への http を除く)。",
    ),
    "forge_ca_file": (
        "The certificate file {path} (`ca_file` in cells.toml) cannot be used: {detail}.",
        "証明書ファイル {path} (cells.toml の ca_file) を使えません: {detail}。",
    ),
    "forge_certificate": (
        "The certificate of {host} is not trusted: {detail}. For a forge with a certificate of its own, set `ca_file` in cells.toml.",
        "{host} の証明書を信頼できません: {detail}。独自の証明書を持つフォージでは、cells.toml に ca_file を書いてください。",
    ),
    "forge_network": (
        "{host} cannot be reached: {detail}. The next tick looks first at what was done, then tries again.",
        "{host} に届きません: {detail}。次の tick は、何が済んだかをまず調べてから再び試みます。",
    ),
    "gitea_bad_token": (
        "Gitea does not accept the token (401): {detail}. Make a new one in the account's settings, under Applications, and put it where `token` in cells.toml points; nothing was read or written.",
        "Gitea がトークンを受け付けません (401): {detail}。アカウントの設定の「アプリケーション」で新しく作り、cells.toml の token が指す場所に置いてください。何も読み書きしていません。",
    ),
    "gitea_blocked_account": (
        "Gitea keeps the account of the token out: {detail}. Sign in once in the browser, or ask the administrator.",
        "Gitea がこのトークンのアカウントを締め出しています: {detail}。ブラウザで一度サインインするか、管理者に尋ねてください。",
    ),
    "gitea_rate_limit": (
        "{api} asks for a pause until {until:%Y-%m-%d %H:%M} UTC (429). The next tick after that continues by itself.",
        "{api} が {until:%Y-%m-%d %H:%M} UTC まで待つよう求めています (429)。その後の tick が自動的に再開します。",
    ),
    "gitea_redirect": (
        "{api} answers with a redirection ({status}), and a token is not sent on to another address. Set the final address as `api_url` in cells.toml.",
        "{api} が転送 ({status}) を返しました。トークンを別のアドレスには送りません。cells.toml の api_url に最終的なアドレスを書いてください。",
    ),
    "gitea_renamed": (
        "The repository {repo} is now called {now}. Write the new name into `repos` of cells.toml, then run `agentcells init --relock`.",
        "リポジトリ {repo} の名前は現在 {now} です。cells.toml の repos に新しい名前を書き、`agentcells init --relock` を実行してください。",
    ),
    "gitea_no_api": (
        "There is no Gitea at {api} that knows {operation} (status {status}). Check `api_url` in cells.toml: it ends with /api/v1. Or the Gitea is too old.",
        "{api} に {operation} を知る Gitea がありません (状態 {status})。cells.toml の api_url を確かめてください。末尾は /api/v1 です。Gitea が古すぎる場合もあります。",
    ),
    "gitea_no_json": (
        "{api} answered {operation} with a page instead of data (status {status}): a proxy or a sign-in page of the network, perhaps. The next tick tries again.",
        "{api} が {operation} にデータでなくページを返しました (状態 {status})。プロキシかネットワークのサインイン画面かもしれません。次の tick が再び試みます。",
    ),
    "gitea_outage": (
        "Gitea has trouble (status {status}, {operation}): {detail}. The next tick tries again.",
        "Gitea に障害があります (状態 {status}、{operation}): {detail}。次の tick が再び試みます。",
    ),
    "gitea_scope": (
        "The token of {login} lacks a scope for {operation}; it needs one of: {permission}. agentcells wants read:user, write:issue and write:repository. Make a new token with them: the scopes of an old one cannot be changed.",
        "{login} のトークンには {operation} のスコープがありません。必要なもの (いずれか): {permission}。agentcells には read:user、write:issue、write:repository が要ります。既存のトークンのスコープは変えられないので、新しく作ってください。",
    ),
    "gitea_forbidden": (
        "The account {login} may not do this ({operation}). It needs: {permission}. Gitea says: {detail}",
        "アカウント {login} にはこの操作の権限がありません ({operation})。必要なもの: {permission}。Gitea の応答: {detail}",
    ),
    "gitea_archived": (
        "{repo} is archived, so Gitea refuses every change. Unarchive it in its settings, or take it out of `repos` in cells.toml.",
        "{repo} はアーカイブ済みのため、Gitea はすべての変更を拒みます。設定で解除するか、cells.toml の repos から外してください。",
    ),
    "gitea_no_repository": (
        "Gitea shows no repository {repo} to the account {login}: it does not exist, or the account has no access. Check `repos` in cells.toml and the collaborators of the repository.",
        "Gitea はアカウント {login} にリポジトリ {repo} を見せません。存在しないか、アクセス権がありません。cells.toml の repos とリポジトリの共同作業者を確かめてください。",
    ),
    "gitea_no_account": (
        "Gitea has no account {account} (any more). If it was renamed, write the new name into cells.toml.",
        "Gitea にアカウント {account} はありません。名前が変わったのなら、cells.toml に新しい名前を書いてください。",
    ),
    "gitea_not_found": (
        "Gitea does not find it ({operation}): {detail}. If all issues of {repo} are missing, its issues or pull requests are switched off.",
        "Gitea に見つかりません ({operation}): {detail}。{repo} の issue がすべて見つからないなら、issue かプルリクエストの機能が無効です。",
    ),
    "gitea_no_label": (
        "{repo} has no label {label}. `agentcells init` creates the labels of your cells.",
        "{repo} にラベル {label} がありません。`agentcells init` がセルのラベルを作ります。",
    ),
    "gitea_label_not_set": (
        "The labels of #{number} in {repo} are not what was just set: somebody changes them at the same time. The next tick looks again.",
        "{repo} の #{number} のラベルが、いま設定したものと違います。同時に誰かが変更しています。次の tick が見直します。",
    ),
    "gitea_no_comment": (
        "The comment {comment} on #{number} of {repo} is not there, or is not one that can be edited.",
        "{repo} の #{number} にコメント {comment} がないか、編集できない種類です。",
    ),
    "gitea_no_thread": (
        "There is no review thread {thread} on #{number} of {repo}.",
        "{repo} の #{number} にレビューのスレッド {thread} はありません。",
    ),
    "gitea_no_replies": (
        "This Gitea cannot be told to answer in a review thread ({operation}): that needs Gitea 1.27 or a Forgejo. Answer in a plain comment.",
        "この Gitea ではレビューのスレッドに返信できません ({operation})。Gitea 1.27 以降か Forgejo が必要です。通常のコメントで答えてください。",
    ),
    "gitea_not_assignable": (
        "Gitea does not let {login} be assigned to #{number} of {repo}: the account needs access there.",
        "Gitea は {login} を {repo} の #{number} の担当者にできません。そのアカウントにはアクセス権が必要です。",
    ),
    "gitea_left_out": (
        "#{number} was filed in {repo}, but without its labels or assignees: {login} may not set them there. Set them by hand, and give the account write access.",
        "{repo} に #{number} を作成しましたが、ラベルか担当者が付いていません。{login} にはその権限がありません。手で付け、アカウントに書き込み権限を与えてください。",
    ),
    "gitea_exists": (
        "It is there already ({operation}): {detail}. The next tick finds it.",
        "すでに存在します ({operation}): {detail}。次の tick が見つけます。",
    ),
    "gitea_stale": (
        "It is no longer as it was read ({operation}): {detail}. The next tick looks again.",
        "読み取ったときの状態と変わっています ({operation}): {detail}。次の tick が見直します。",
    ),
    "gitea_not_open": (
        "#{number} of {repo} is {state} by now. The next tick looks again.",
        "{repo} の #{number} はすでに {state} です。次の tick が見直します。",
    ),
    "gitea_merge_wait": (
        "Gitea does not merge it now ({operation}): {detail}. It has a conflict, is a draft, or is still being checked; the next tick looks again.",
        "Gitea はいまマージできません ({operation}): {detail}。競合、下書き、または確認中です。次の tick が見直します。",
    ),
    "gitea_merge_refused": (
        "Gitea refuses the merge ({operation}): {detail}. The protection of the base branch or the merge styles of {repo} may forbid it.",
        "Gitea がマージを拒みました ({operation}): {detail}。ベースブランチの保護か {repo} のマージ方式の設定によるものかもしれません。",
    ),
    "gitea_invalid": (
        "Gitea finds this invalid ({operation}): {detail}",
        "Gitea はこれを不正とみなしました ({operation}): {detail}",
    ),
    "gitea_refused": (
        "Gitea refuses this ({operation}): {detail}",
        "Gitea がこの操作を拒みました ({operation}): {detail}",
    ),
    "gitea_partial": (
        "Gitea's answer was not whole ({repo}: {detail}). Nothing is concluded from it; the next tick asks again. If labels do not agree with their events, set the label anew.",
        "Gitea の答えが完全ではありません ({repo}: {detail})。そこからは何も判断せず、次の tick が改めて尋ねます。ラベルとその履歴が合わないなら、ラベルを付け直してください。",
    ),
    "gitea_shrunk": (
        "The list became shorter while it was read ({operation}), so an entry may have been passed over. The next tick asks again.",
        "読み取り中に一覧が短くなったため ({operation})、見落としの可能性があります。次の tick が改めて尋ねます。",
    ),
    "run_no_tools": (
        "The agent could not connect to the tools of its run (door = \"mcp\"), so it was "
        "stopped. The run's stream.jsonl says more; door = \"bash\" does without them.",
        "エージェントが実行用のツール（door = \"mcp\"）に接続できなかったため、止めました。詳"
        "しくは実行の stream.jsonl を見てください。door = \"bash\" ならツールは要りません。",
    ),
    "agent_too_old": (
        "claude {version} is too old: it does not know {flags}. Update it, e.g. `npm install -g @anthropic-ai/claude-code`.",
        "claude {version} は古すぎます。{flags} を知りません。`npm install -g @anthropic-ai/claude-code` などで更新してください。",
    ),
    "agent_broken": (
        "The agent program {program} does not start: {detail}. Start it by hand once and see what it says.",
        "エージェントのプログラム {program} が起動しません: {detail}。一度手で起動して確かめてください。",
    ),
    "agent_not_logged_in": (
        "The agent has no login: none of the variables in [agent] env that hold one is set ({names}). Set ANTHROPIC_API_KEY, or CLAUDE_CODE_OAUTH_TOKEN as `claude setup-token` prints it, where the tick is started.",
        "エージェントにログインがありません。[agent] env の変数 ({names}) のうちログインを持つものが設定されていません。tick を起動する所で ANTHROPIC_API_KEY か、`claude setup-token` が出力する CLAUDE_CODE_OAUTH_TOKEN を設定してください。",
    ),
    "agent_wrong_login": (
        "The model's API does not accept the login of the agent: {detail}. Correct the variable in [agent] env that holds it.",
        "モデルの API がエージェントのログインを受け付けません: {detail}。[agent] env の変数の値を直してください。",
    ),
    "agent_no_model": (
        "The API knows no model {model}. Correct `model` of the cell that names it in cells.toml.",
        "API に {model} というモデルはありません。cells.toml でそれを指定しているセルの `model` を直してください。",
    ),
    "agent_no_api": (
        "The model's API does not answer at {url}: {detail}",
        "モデルの API ({url}) が応答しません: {detail}",
    ),
    "lease_moved": (
        "Another machine was faster on #{number}: it holds the lease now. This one leaves it alone.",
        "#{number} は別のマシンが先にリースを取得しました。このマシンは手を出しません。",
    ),
    "config_unusual_elsewhere": (
        "only a cell on \"factory\" can wait for an unusual figure, this one is on \"{on}\"; take the key out",
        "unusual は on = \"factory\" のセルだけで使えます(ここは \"{on}\")。このキーを消してください",
    ),
    "config_factory_reads_only": (
        "a cell on \"factory\" only reads and files issues: it writes no files and proposes no sub_issues; take the key out",
        "on = \"factory\" のセルは読むことと課題の登録だけをします。ファイルの変更や sub_issues はできません。このキーを消してください",
    ),
    "apply_merge_unseen": (
        "Pull request #{number} is said to be merged, but its commit {sha} is not on {base}. Look at it on the forge.",
        "プルリクエスト #{number} はマージ済みと言われますが、コミット {sha} が {base} にありません。フォージで確かめてください。",
    ),
    "apply_merge_changed": (
        "Pull request #{number} changed just before it was to be merged. It is looked at again.",
        "マージの直前にプルリクエスト #{number} が変わりました。もう一度確かめます。",
    ),
    "lease_held": (
        "#{number} is in the hands of another machine ({machine}). This one leaves it alone.",
        "#{number} は別のマシン（{machine}）が担当しています。このマシンは手を出しません。",
    ),
    "lease_changed": (
        "#{number} changed while its lease was taken: another machine has just been at it. It is looked at again.",
        "#{number} はリースを取得している間に変わりました。別のマシンが作業した直後です。もう一度調べます。",
    ),
    "why_no_such": (
        "\"{item}\" is neither the number of an issue or pull request nor the name of a cell; `agentcells status` shows both",
        "\"{item}\" は課題やプルリクエストの番号でも、セルの名前でもありません。`agentcells status` で確認できます",
    ),
    "store_run_set_aside": (
        "The folder of run {run} cannot be read ({detail}). It was put away as {path} and the run counts as dead; what it had recorded is kept.",
        "実行 {run} のフォルダが読めません（{detail}）。{path} に移し、この実行は止まったものとして数えます。記録済みの作業は残してあります。",
    ),
    "store_repository_set_aside": (
        "The tool's own copy of {repo} is damaged ({detail}). It was put away as {path} and is fetched again; a run that was not published yet is done again.",
        "{repo} の手元の複製が壊れています（{detail}）。{path} に移し、取得し直します。まだ公開していない実行はやり直します。",
    ),
    "init_nobody_answers": (
        "Nobody answers here: there is no terminal. Say it all at once: `agentcells init --yes --repo owner/name --owner login`.",
        "ここには端末がなく、答える人がいません。一度に指定してください: `agentcells init --yes --repo owner/name --owner login`。",
    ),
    "language_unknown": (
        "There is no language \"{name}\" here; --language takes en or ja.",
        "「{name}」という言語はありません。--language は en か ja です。",
    ),
    "demo_folder_refused": (
        "{path} cannot be used: {detail}. Name a folder that you may make and write, such as ~/first-line.",
        "{path} は使えません: {detail}。作成と書き込みのできるフォルダーを指定してください(例: ~/first-line)。",
    ),
    "init_test_quote": (
        "The quotes of {command} do not match. Write the command as you would in a shell. Nothing was written.",
        "{command} の引用符が閉じていません。シェルに打つとおりに書いてください。何も書き込んでいません。",
    ),
    "init_repo_name": (
        "\"{repo}\" is no repository: write owner/name, without https:// and without .git. Nothing was written.",
        "「{repo}」はリポジトリ名ではありません。https:// と .git を付けずに owner/name と書いてください。何も書き込んでいません。",
    ),
    "init_login": (
        "\"{login}\" is no login of an account: letters, digits, dot, dash and underscore only. Nothing was written.",
        "「{login}」はアカウント名ではありません。英数字と . - _ だけが使えます。何も書き込んでいません。",
    ),
}
