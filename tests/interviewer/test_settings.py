"""Settings: one precedence, and a refusal that says what to set."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from interviewer.errors import ConfigError
from interviewer.settings import load_settings, show_settings
from viva import main

MODEL = {"VIVA_LLM": "vllm", "VIVA_LLM_MODEL": "m"}


def test_the_defaults_need_nothing(tmp_path: Path) -> None:
    settings = load_settings({}, tmp_path)
    assert (settings.llm, settings.port, settings.endpoint()) == ("card", 8000, None)
    assert settings.judge_endpoint() is None


def test_a_flag_beats_the_environment_which_beats_the_file(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("VIVA_PORT=1\nVIVA_HOST=localhost\n")
    assert load_settings({}, tmp_path).port == 1
    assert load_settings({"VIVA_PORT": "2"}, tmp_path).port == 2
    flagged = load_settings({"VIVA_PORT": "2"}, tmp_path, port=3)
    assert (flagged.port, flagged.host) == (3, "localhost")


def test_a_secret_may_come_from_a_file(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("correct horse\n")
    password = load_settings({"VIVA_PASSWORD_FILE": str(secret)}, tmp_path).password
    assert password is not None
    assert password.get_secret_value() == "correct horse"


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({"VIVA_PORT": "http"}, "VIVA_PORT=http (environment)"),
        ({"VIVA_LLM": "llama"}, "VIVA_LLM=llama (environment)"),
        ({"VIVA_LLM_MODLE": "x"}, "did you mean VIVA_LLM_MODEL?"),
        ({"VIVA_LLM": "vllm"}, "VIVA_LLM=vllm needs VIVA_LLM_BASE_URL"),
        ({"VIVA_LLM": "vllm", "VIVA_LLM_BASE_URL": "http://x/v1"}, "needs VIVA_LLM_MODEL"),
        ({"VIVA_LLM": "openai", "VIVA_LLM_MODEL": "m"}, "needs VIVA_LLM_API_KEY"),
        ({"VIVA_HOST": "0.0.0.0"}, "set VIVA_PASSWORD"),
        ({"VIVA_PASSWORD": "short"}, "at least 8 characters"),
        ({"VIVA_PASSWORD": "a" * 8, "VIVA_PASSWORD_FILE": "f"}, "are both set; keep one"),
        ({"VIVA_PASSWORD_FILE": "/no/such/file"}, "cannot be read"),
        ({"VIVA_ROOT_PATH": "viva/"}, "begin with a slash"),
        ({"VIVA_JUDGE_MODEL": "m"}, "set VIVA_JUDGE"),
        ({"VIVA_VOICE": "endpoint"}, "VIVA_VOICE=endpoint needs VIVA_VOICE_BASE_URL"),
        ({"VIVA_DATABASE_URL": "what"}, "use sqlite:///viva.db or postgresql+psycopg://"),
        ({"VIVA_DATABASE_URL": "sqlit:///x"}, "VIVA_DATABASE_URL=sqlit:///x (environment): "),
        ({"VIVA_DATABASE_URL": "mysql://me:secret@db/viva"}, "use sqlite:///viva.db or"),
        ({"VIVA_DATABASE_URL": "postgresql+psycopg://db:port/viva"}, "use sqlite:///viva.db or"),
        ({**MODEL, "VIVA_LLM_BASE_URL": "http://[::1"}, "VIVA_LLM_BASE_URL=http://[::1: begin"),
        ({**MODEL, "VIVA_LLM_BASE_URL": "http://x:port/v1"}, "begin with http://"),
        ({**MODEL, "VIVA_LLM_BASE_URL": "http:///v1"}, "begin with http://"),
        ({**MODEL, "VIVA_LLM_BASE_URL": "http://a b/v1"}, "begin with http://"),
        ({"VIVA_LLM_API_KEY": "one\ntwo"}, "VIVA_LLM_API_KEY (environment): it is empty, or"),
        ({"VIVA_VOICE_API_KEY": "schlüssel"}, "copy it again"),
        ({"VIVA_ROOT_PATH": "/a b"}, "VIVA_ROOT_PATH=/a b (environment): begin with a slash"),
        ({"VIVA_ROOT_PATH": "//evil.example"}, "begin with a slash"),
        ({"VIVA_ROOT_PATH": "/.."}, "begin with a slash"),
        ({"VIVA_HOSTS": "a.example,http://b.example"}, "'http://b.example' is no host name; write"),
        ({"VIVA_HOSTS": "viva.example:443"}, "without scheme, port or path"),
        ({"VIVA_PROXIES": "127.0.0.1,nginx"}, "'nginx' is no address; write such as 172.18.0.2"),
        ({"VIVA_PROXIES": "10.0.0.1/8"}, "'10.0.0.1/8' is no address"),
    ],
)
def test_a_bad_setting_is_refused_with_what_to_set(
    env: dict[str, str], says: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings(env, tmp_path)
    assert says in str(caught.value)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "localhost", "127.8.8.8"])
def test_loopback_needs_no_password(host: str, tmp_path: Path) -> None:
    assert load_settings({"VIVA_HOST": host}, tmp_path).password is None


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.7", "viva.example"])
def test_elsewhere_a_password_is_needed(host: str, tmp_path: Path) -> None:
    assert load_settings({"VIVA_HOST": host, "VIVA_PASSWORD": "a" * 8}, tmp_path).host == host
    with pytest.raises(ConfigError, match=f"VIVA_HOST={host} lets other machines in"):
        load_settings({"VIVA_HOST": host}, tmp_path)


@pytest.mark.parametrize("given", ["viva.example, other.example", "10.0.0.7", "fd00::7", "box"])
def test_names_are_taken_as_a_request_gives_them(given: str, tmp_path: Path) -> None:
    assert ", ".join(load_settings({"VIVA_HOSTS": given}, tmp_path).hosts) == given


@pytest.mark.parametrize("given", ["127.0.0.1,::1", "172.18.0.0/16, fd00::/8", "*"])
def test_proxies_are_addresses_and_networks(given: str, tmp_path: Path) -> None:
    assert load_settings({"VIVA_PROXIES": given}, tmp_path).proxies == given


@pytest.mark.parametrize(
    "url",
    ["postgres:/me:gehe/im@db/viva", "postgresql://me:gehe/im@db:port/viva"],
)
def test_a_refused_address_does_not_tell_its_password(url: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings({"VIVA_DATABASE_URL": url}, tmp_path)
    assert "gehe" not in str(caught.value)


@pytest.mark.parametrize("line", ["VIVA_PORT 9", 'VIVA_HOST="localhost', "=9"])
def test_a_line_of_the_file_that_cannot_be_read_is_refused(line: str, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"# mine\nVIVA_LLM=card\n{line}\nVIVA_JUDGE=rule\n")
    with pytest.raises(ConfigError, match=r"\.env:3: cannot be read; write NAME=value"):
        load_settings({}, tmp_path)


def test_an_editors_mark_and_line_ends_in_the_file_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"\xef\xbb\xbfVIVA_PORT=9\r\nVIVA_LLM=card\r\n")
    assert load_settings({}, tmp_path).port == 9


def test_a_refused_password_is_not_repeated(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        load_settings({"VIVA_PASSWORD": "geheim"}, tmp_path)
    assert "geheim" not in str(caught.value)


def test_the_judge_takes_from_the_interviewer_what_is_not_set_for_it(tmp_path: Path) -> None:
    env = {"VIVA_LLM": "vllm", "VIVA_LLM_BASE_URL": "http://x/v1", "VIVA_LLM_MODEL": "small"}
    judge = load_settings(env | {"VIVA_JUDGE_MODEL": "big"}, tmp_path).judge_endpoint()
    assert judge is not None
    assert (judge.provider, judge.base_url, judge.model) == ("vllm", "http://x/v1", "big")


@pytest.mark.parametrize(("judge_url", "key"), [("http://a/v1", "secret"), ("http://b/v1", "none")])
def test_the_interviewers_key_is_lent_to_a_judge_at_its_own_address_only(
    judge_url: str, key: str, tmp_path: Path
) -> None:
    env = {**MODEL, "VIVA_LLM_BASE_URL": "http://a/v1", "VIVA_LLM_API_KEY": "secret"}
    env |= {"VIVA_JUDGE": "vllm", "VIVA_JUDGE_BASE_URL": judge_url}
    judge = load_settings(env, tmp_path).judge_endpoint()
    assert judge is not None
    assert (judge.base_url, judge.api_key) == (judge_url, key)


def test_a_rule_scorer_can_stand_beside_a_model_that_asks(tmp_path: Path) -> None:
    env = {"VIVA_LLM": "vllm", "VIVA_LLM_BASE_URL": "http://x/v1", "VIVA_LLM_MODEL": "small"}
    assert load_settings(env | {"VIVA_JUDGE": "rule"}, tmp_path).judge_endpoint() is None


def test_a_panel_names_its_models_and_lends_a_key_to_its_own_address_only(tmp_path: Path) -> None:
    env = {
        "VIVA_LLM": "vllm",
        "VIVA_LLM_BASE_URL": "http://x/v1",
        "VIVA_LLM_MODEL": "small",
        "VIVA_LLM_API_KEY": "secret",
        "VIVA_JUDGE_PANEL": "vllm:big@http://x/v1, vllm:other@http://y/v1",
    }
    _, big, other = load_settings(env, tmp_path).judge_endpoints()
    assert (big.model, big.api_key) == ("big", "secret")
    assert (other.base_url, other.api_key) == ("http://y/v1", "none")


@pytest.mark.parametrize(
    ("env", "says"),
    [
        ({"VIVA_JUDGE_REPEATS": "3"}, "need a judge that is a model"),
        ({"VIVA_JUDGE_PANEL": "vllm:x@http://x/v1"}, "need a judge that is a model"),
        (
            {
                "VIVA_JUDGE": "vllm",
                "VIVA_JUDGE_BASE_URL": "http://x/v1",
                "VIVA_JUDGE_MODEL": "m",
                "VIVA_JUDGE_PANEL": "gpt",
            },
            "'gpt' names no model",
        ),
    ],
)
def test_a_panel_that_cannot_be_is_refused(env: dict[str, str], says: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=says):
        load_settings(env, tmp_path)


def test_shown_settings_name_their_source_and_hide_secrets(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("VIVA_PASSWORD=correct horse\n")
    shown = {item.name: item for item in show_settings({"VIVA_PORT": "9"}, tmp_path)}
    assert (shown["VIVA_PORT"].value, shown["VIVA_PORT"].source) == ("9", "environment")
    assert shown["VIVA_PASSWORD"].value == "********"
    assert shown["VIVA_PASSWORD"].source.endswith(".env")
    assert shown["VIVA_HOST"].source == "default"


def test_own_cards_are_folders_separated_like_path(tmp_path: Path) -> None:
    assert load_settings({"VIVA_CARDS": "/a:/b"}, tmp_path).cards == (Path("/a"), Path("/b"))


@pytest.mark.parametrize("name", ["VIVA_DATABASE_URL", "VIVA_LLM_BASE_URL"])
def test_a_password_in_an_address_is_hidden(name: str, tmp_path: Path) -> None:
    address = {
        "VIVA_DATABASE_URL": "postgresql+psycopg://me:hun@ter2@db.example/viva",
        "VIVA_LLM_BASE_URL": "http://me:hun@ter2@gpu.example/v1",
    }[name]
    shown = {o.name: o.value for o in show_settings({name: address}, tmp_path)}
    assert shown[name] == address.replace("hun@ter2", "********")


def test_a_file_that_is_no_text_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / ".env").write_bytes(b"VIVA_PORT=9\xff\n")
    with pytest.raises(ConfigError, match=r"\.env: cannot be read"):
        load_settings({}, tmp_path)


@pytest.mark.parametrize(
    "command",
    [
        "serve",
        "practice INF-001",
        "config show",
        "export ROUND",
        "export --all NEW",
        "import OLD",
        "backup NEW",
        "restore OLD",
        "purge --older-than 90d",
        "voice check",
        "market show",
    ],
)
def test_each_command_says_in_one_line_which_setting_is_wrong(command: str) -> None:
    told = CliRunner().invoke(main, command.split(), env={"VIVA_PORT": "99999"})
    assert told.exit_code == 2
    assert told.output.startswith("Error: VIVA_PORT=99999 (environment): ")
    assert told.output.count("\n") == 1
