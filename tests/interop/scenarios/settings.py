"""What can stand in base_state.json: every kind of condenser, critic, analyzer, policy, secret and router."""

from openhands.sdk.context.condenser import LLMSummarizingCondenser
from openhands.sdk.critic import AgentFinishedCritic, APIBasedCritic, EmptyPatchCritic, PassCritic
from openhands.sdk.critic.base import IterativeRefinementConfig
from openhands.sdk.llm.router.impl.multimodal import MultimodalRouter
from openhands.sdk.mcp.config import MCPServer
from openhands.sdk.secret.secrets import LookupSecret, StaticSecret
from openhands.sdk.security.confirmation_policy import ConfirmRisky
from openhands.sdk.security.defense_in_depth.pattern import PatternSecurityAnalyzer
from openhands.sdk.security.defense_in_depth.policy_rails import PolicyRailSecurityAnalyzer
from openhands.sdk.security.ensemble import EnsembleSecurityAnalyzer
from openhands.sdk.security.grayswan import GraySwanAnalyzer
from openhands.sdk.security.llm_analyzer import LLMSecurityAnalyzer
from openhands.sdk.security.risk import SecurityRisk
from openhands.sdk.security.toolshield_llm_analyzer import ToolShieldLLMSecurityAnalyzer
from openhands.sdk.agent import ACPAgent
from openhands.sdk.utils.cipher import Cipher

from stage import Stage, call, scenario

PASSPHRASE = "the fixtures' passphrase"
SECRETS = {
    "GITHUB_TOKEN": StaticSecret(value="ghp_not-a-token", description="For the forge"),
    "PLAIN": StaticSecret(value="not-a-secret"),
    "LOOKED_UP": LookupSecret(url="https://secrets.example/one", headers={"Authorization": "Bearer not-a-token", "X-Plain": "yes"}),
}


@scenario
def analyzers(stage: Stage) -> None:
    """An ensemble of every security analyzer, and a policy with a threshold of its own."""
    analyzer = EnsembleSecurityAnalyzer(
        analyzers=[
            PatternSecurityAnalyzer(),
            PolicyRailSecurityAnalyzer(),
            LLMSecurityAnalyzer(),
            GraySwanAnalyzer(policy_id="none"),
            ToolShieldLLMSecurityAnalyzer(llm=stage.llm(usage_id="guard"), safety_experiences="Be careful."),
        ],
        propagate_unknown=True,
    )
    conversation = stage.open(stage.agent([{"content": "Hello."}]))
    conversation.set_security_analyzer(analyzer)
    conversation.set_confirmation_policy(ConfirmRisky(threshold=SecurityRisk.MEDIUM, confirm_unknown=False))
    conversation.send_message("Hi")
    conversation.run()


@scenario
def critic_refines(stage: Stage) -> None:
    """A critic with iterative refinement judges the answers: results on the events, a follow-up message, agent_state."""
    critic = AgentFinishedCritic(mode="all_actions", iterative_refinement=IterativeRefinementConfig(max_iterations=1))
    finish = [call("finish", {"message": "Done."}, f"call_{n}") for n in range(3)]
    stage.converse([{"content": "", "tool_calls": [one]} for one in finish], ["Work"], critic=critic)


@scenario
def critic_passes(stage: Stage) -> None:
    """A critic that always passes."""
    finish = call("finish", {"message": "Done."}, "call_1")
    stage.converse([{"content": "", "tool_calls": [finish]}], ["Work"], critic=PassCritic())


@scenario
def critic_wants_a_patch(stage: Stage) -> None:
    """A critic that looks for a diff."""
    finish = call("finish", {"message": "Done."}, "call_1")
    stage.converse([{"content": "", "tool_calls": [finish]}], ["Work"], critic=EmptyPatchCritic(mode="all_actions"))


@scenario(cipher=PASSPHRASE)
def critic_over_http(stage: Stage) -> None:
    """A critic with a key of its own, stored with a cipher; a message that nobody has answered yet."""
    critic = APIBasedCritic(server_url="http://critic.example", api_key="sk-not-a-key", issue_threshold=0.5)
    conversation = stage.open(stage.agent([{"content": "Never."}], critic=critic), cipher=Cipher(PASSPHRASE))
    conversation.send_message("Judge me")


@scenario
def secrets(stage: Stage) -> None:
    """Secrets stored without a cipher: redacted, with their names and descriptions kept."""
    stage.converse([{"content": "Noted."}], ["Use $GITHUB_TOKEN"], options={"secrets": SECRETS})


@scenario(cipher=PASSPHRASE)
def secrets_with_cipher(stage: Stage) -> None:
    """The same secrets, the model's key and an MCP server's, encrypted."""
    servers = {"far": MCPServer(url="https://mcp.example/", headers={"Authorization": "Bearer not-a-token"}, enabled=False)}
    conversation = stage.open(
        stage.agent([{"content": "Never."}], mcp_config=servers, llm={"aws_secret_access_key": "not-a-key"}),
        secrets=SECRETS,
        cipher=Cipher(PASSPHRASE),
    )
    conversation.pause()


@scenario
def every_setting(stage: Stage) -> None:
    """An agent with everything set that needs nothing to run, tags, agent_state, limits, stuck detection off."""
    agent = stage.agent(
        [{"content": "Hello."}],
        filter_tools_regex="^(?!nothing).*$",
        tool_concurrency_limit=4,
        system_prompt_kwargs={"cli_mode": True, "deep": {"list": [1, 2.5, None, "x"]}},
        condenser=LLMSummarizingCondenser(llm=stage.llm(usage_id="condenser"), max_tokens=50000, minimum_progress=0.25),
        mcp_config={
            "remote": MCPServer(url="https://mcp.example/mcp", transport="http", timeout=5, description="Far", enabled=False),
            "local": MCPServer(command="notes", args=["-v"], env={"TOKEN": "not-a-token"}, cwd="/tmp", enabled=False),
        },
        llm={"num_retries": 2, "fallback_strategy": None, "max_input_tokens": 20000, "capability_overrides": {"vision": True}},
    )
    conversation = stage.open(
        agent, tags={"title": "Ünïcode titles", "browser": "yes"}, stuck_detection=False, max_iteration_per_run=17
    )
    conversation.state.agent_state = {"threadkeep": {"nested": [1, None, {"a": 1.0, "b": 10**20, "c": 1e-7}]}, "none": None}
    conversation.send_message("Hi", sender="somebody")
    conversation.run()


@scenario
def router(stage: Stage) -> None:
    """A router of two models: the SDK stores only what a plain model has, the two are not in the file."""
    llms = {"primary": stage.llm([{"content": "Hello."}], usage_id="primary"), "secondary": stage.llm([{"content": "Hi."}], usage_id="secondary")}
    agent = stage.agent([{"content": "Never."}])
    conversation = stage.open(agent.model_copy(update={"llm": MultimodalRouter(usage_id="router", llms_for_routing=llms)}))
    conversation.send_message("Hi")
    conversation.run()


@scenario
def acp_agent(stage: Stage) -> None:
    """An agent that is another program: only its settings, it was never started."""
    agent = ACPAgent(acp_command=["claude-agent", "--acp"], acp_args=["-q"], acp_model="sonnet", acp_session_mode="plan")
    stage.open(agent).pause()
