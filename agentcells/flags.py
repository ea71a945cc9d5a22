"""Files worth a second look when a run changes them: they decide what runs elsewhere (R45).

No block: honest work touches them every day. The pull request names them.
"""

from __future__ import annotations

from agentcells.paths import Globs

_TABLE: tuple[tuple[str, str], ...] = (
    ("manifest", """
        package.json pyproject.toml setup.py setup.cfg requirements*.txt requirements/*.txt Pipfile
        environment.yml Cargo.toml build.rs go.mod Gemfile *.gemspec composer.json pom.xml *.gradle
        *.gradle.kts *.csproj *.fsproj Directory.Build.* *.sln Package.swift pubspec.yaml mix.exs
        deno.json* bunfig.toml .npmrc .yarnrc* .pnpmfile.cjs pnpm-workspace.yaml pip.conf
        nuget.config
    """),
    ("lock_file", """
        package-lock.json npm-shrinkwrap.json yarn.lock pnpm-lock.yaml bun.lock bun.lockb uv.lock
        poetry.lock Pipfile.lock pdm.lock Cargo.lock go.sum Gemfile.lock composer.lock mix.lock
        pubspec.lock packages.lock.json gradle.lockfile Package.resolved flake.lock deno.lock
    """),
    ("build_or_test", """
        Makefile GNUmakefile *.mk CMakeLists.txt *.cmake meson.build BUILD BUILD.bazel WORKSPACE
        MODULE.bazel *.bzl justfile Taskfile.y*ml Rakefile tox.ini noxfile.py pytest.ini conftest.py
        .coveragerc jest.config.* vitest.config.* vite.config.* webpack.config.* rollup.config.*
        babel.config.* tsconfig*.json eslint.config.* .eslintrc* playwright.config.* karma.conf.*
        gradlew gradlew.bat gradle-wrapper.* mvnw mvnw.cmd flake.nix default.nix shell.nix .envrc
    """),
    ("checks", """
        .pre-commit-config.yaml .gitlab-ci.yml .travis.yml azure-pipelines.yml Jenkinsfile
        bitbucket-pipelines.yml .drone.yml .woodpecker.yml appveyor.yml codecov.yml .codecov.yml
        .circleci/** .woodpecker/** .buildkite/** .github/dependabot.y*ml renovate.json*
        .github/renovate.json* .goreleaser.y*ml release-please-config.json .releaserc*
    """),
    ("reviewers", "CODEOWNERS"),
    ("agent_instructions", """
        AGENTS.md CLAUDE.md CLAUDE.local.md GEMINI.md .cursorrules .windsurfrules **/.cursor/**
        **/.agents/** **/.codex/** **/.gemini/** .github/copilot-instructions.md
        .github/instructions/**
    """),
    ("container", """
        Dockerfile Dockerfile.* *.dockerfile Containerfile docker-compose*.y*ml compose*.y*ml
        .dockerignore **/.devcontainer/** *.tf Vagrantfile Procfile
    """),
    ("editor", "**/.vscode/** **/.idea/** *.code-workspace .editorconfig"),
    ("git_settings", ".gitattributes .gitignore .mailmap .git-blame-ignore-revs"),
    ("forge_settings", ".github/** .gitea/** .forgejo/**"),
)  # fmt: skip

FLAGS: tuple[tuple[str, Globs], ...] = tuple(
    (rule, Globs.of(patterns.split())) for rule, patterns in _TABLE
)
