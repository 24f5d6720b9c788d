// A login with OAuth: in a window, by leaving the page and coming back, or as the host does it. While a conversation is
// opened nothing is shown: the server is then in the state "login", and `login()` is called from a click.
import "./without-eval.js";
import { type OAuthClientProvider, type OAuthDiscoveryState, auth } from "@modelcontextprotocol/sdk/client/auth.js";
import type { OAuthClientInformationMixed, OAuthClientMetadata, OAuthTokens } from "@modelcontextprotocol/sdk/shared/auth.js";
import { newId } from "../input/arguments.js";
import { ThreadkeepError, invalidOptions, textOf } from "../input/errors.js";
import { type Fetch, guardedFetch } from "./guarded-fetch.js";
import { loginChannel } from "./login-channel.js";
import { note } from "./tools.js";
import type { MCPOAuthOptions, Remote } from "./types.js";
import { Vault } from "./vault.js";

/** How many milliseconds a user has for a login in a window. */
const longestLogin = 600_000;
/** The name in the session storage for a login that leaves the page. It holds no token. */
const leftPage = "threadkeep-mcp-login";

/** The state of a login that has left the page. */
interface Left {
  server: string;
  state: string;
  verifier: string;
  /** The client as it was registered, because in memory it is lost with the page. */
  client: OAuthClientInformationMixed | undefined;
  asked: Asked;
}

/** The authorization server that the user was sent to. */
interface Asked {
  issuer: string;
  /** Whether it says that its answers name it (RFC 9207). */
  namesItself: boolean;
}

export class OAuthLogin implements OAuthClientProvider {
  readonly #options: MCPOAuthOptions;
  readonly #server: URL;
  readonly #fetch: Fetch;
  readonly #vault: Vault;
  readonly #hide: (texts: string[]) => void;
  #state = "";
  #verifier = "";
  #authorization: URL | undefined;
  /** The authorization server as it was found last. */
  #found: Asked | undefined;
  /** The one that a code came from, while it is exchanged. */
  #answering: Asked | undefined;
  /** Whether a login begins: the stored tokens are those that the server has refused, also after they were refreshed. */
  #isAnew = false;
  /** Ends the login that is under way. */
  #stop: (() => void) | undefined;

  constructor(remote: Remote, options: MCPOAuthOptions, passphrase: unknown, hide: (texts: string[]) => void) {
    this.#options = options;
    this.#server = remote.url;
    this.#fetch = guardedFetch(remote, remote.headers, () => {});
    this.#vault = new Vault(`${remote.url.href} ${options.clientId ?? ""}`, options.storage, passphrase);
    this.#hide = hide;
  }

  get redirectUrl(): string {
    const here = typeof location === "undefined" ? undefined : location.href.replace(/[?#].*/s, "");
    const { redirectUrl = here } = this.#options;
    if (redirectUrl === undefined) throw invalidOptions("redirectUrl of an MCP server with oauth is needed outside of pages");
    return new URL(redirectUrl, here).href;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { clientName, clientSecret, scopes } = this.#options;
    const scope = typeof scopes === "object" ? scopes.join(" ") : scopes;
    return {
      client_name: clientName ?? new URL(this.redirectUrl).hostname,
      redirect_uris: [this.redirectUrl],
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: clientSecret === undefined ? "none" : "client_secret_post",
      ...(scope !== undefined && { scope }),
    };
  }

  state(): string {
    this.#state = newId();
    return this.#state;
  }

  async clientInformation(): Promise<OAuthClientInformationMixed | undefined> {
    const { clientId, clientSecret } = this.#options;
    if (clientId !== undefined) return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
    return (await this.#vault.read()).client;
  }

  async saveClientInformation(client: OAuthClientInformationMixed): Promise<void> {
    this.#hideAll([client.client_secret]);
    await this.#vault.write({ client });
  }

  async tokens(): Promise<OAuthTokens | undefined> {
    if (this.#isAnew) return undefined;
    const { tokens } = await this.#vault.read();
    this.#hideAll([tokens?.access_token, tokens?.refresh_token, tokens?.id_token]);
    return tokens;
  }

  async saveTokens(tokens: OAuthTokens): Promise<void> {
    this.#hideAll([tokens.access_token, tokens.refresh_token, tokens.id_token]);
    await this.#vault.write({ tokens });
  }

  /** Called before anything is registered or sent. */
  saveDiscoveryState({ authorizationServerUrl, authorizationServerMetadata: metadata }: OAuthDiscoveryState): void {
    const issuer = metadata?.issuer ?? authorizationServerUrl;
    // RFC 8414, section 3.3: otherwise one server could pass itself off as another one.
    if (withoutSlash(issuer) !== withoutSlash(authorizationServerUrl)) {
      throw refused(`${authorizationServerUrl} describes the authorization server ${issuer}, not itself`);
    }
    if (this.#answering && this.#answering.issuer !== issuer) throw refused("the authorization server has changed during the login");
    for (const url of [metadata?.authorization_endpoint, metadata?.token_endpoint, metadata?.registration_endpoint])
      if (url !== undefined) ensureSafe(url);
    this.#found = {
      issuer,
      namesItself:
        (metadata as { authorization_response_iss_parameter_supported?: unknown } | undefined)
          ?.authorization_response_iss_parameter_supported === true,
    };
  }

  redirectToAuthorization(url: URL): void {
    ensureSafe(url.href);
    this.#authorization = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier;
  }

  async invalidateCredentials(scope: "all" | "client" | "tokens" | "verifier" | "discovery"): Promise<void> {
    if (scope === "all" || scope === "client") await this.#vault.write({ client: undefined });
    if (scope === "all" || scope === "tokens") await this.#vault.write({ tokens: undefined });
  }

  /** Logs in. Has to be called before anything is awaited after a click: otherwise the browser blocks the window. */
  login(redirect: boolean, signal: AbortSignal | undefined): Promise<void> {
    this.#stop?.();
    const isInWindow = !redirect && this.#options.authorize === undefined;
    const popup = isInWindow ? globalThis.open?.("about:blank", "_blank", "popup,width=520,height=720") : undefined;
    if (isInWindow && !popup) {
      return Promise.reject(
        new ThreadkeepError("invalid_state", "the browser has blocked the window of the login: call login() in the handler of a click"),
      );
    }
    return this.#login(redirect, popup ?? undefined, signal);
  }

  async #login(redirect: boolean, popup: Window | undefined, signal: AbortSignal | undefined): Promise<void> {
    try {
      this.#isAnew = true;
      if ((await this.#auth().finally(() => (this.#isAnew = false))) === "AUTHORIZED") return;
      const [url, asked] = [this.#authorization!, this.#found!];
      if (redirect) return await this.#leave(url, asked);
      const back = popup ? await this.#inWindow(popup, url, signal) : await this.#options.authorize!(url);
      if (!URL.canParse(textOf(back))) throw invalidOptions("authorize() must return the URL that the login returned to");
      await this.#finish(new URL(back), asked);
    } finally {
      popup?.close();
    }
  }

  /** Ends a login that had left the page, if this page is its end. */
  async resume(): Promise<void> {
    if (typeof location === "undefined" || typeof sessionStorage === "undefined") return;
    const left = JSON.parse(sessionStorage.getItem(leftPage) ?? "null") as Left | null;
    const back = new URL(location.href);
    if (!left || left.server !== this.#server.href || back.searchParams.get("state") !== left.state) return;
    sessionStorage.removeItem(leftPage);
    const clean = new URL(back);
    for (const name of ["code", "state", "iss", "scope", "error", "error_description"]) clean.searchParams.delete(name);
    history.replaceState(history.state, "", clean);
    this.#state = left.state;
    this.#verifier = left.verifier;
    await this.#vault.write({ client: left.client });
    await this.#finish(back, left.asked);
  }

  async #leave(url: URL, asked: Asked): Promise<never> {
    const left: Left = {
      server: this.#server.href,
      state: this.#state,
      verifier: this.#verifier,
      client: await this.clientInformation(),
      asked,
    };
    sessionStorage.setItem(leftPage, JSON.stringify(left));
    location.assign(url);
    return new Promise<never>(() => {});
  }

  #inWindow(popup: Window, url: URL, signal: AbortSignal | undefined): Promise<string> {
    const channel = new BroadcastChannel(loginChannel);
    const { promise, resolve, reject } = deferred<string>();
    const stop = (why: string) => reject(new ThreadkeepError("aborted", `the login was stopped: ${why}`));
    const onAbort = () => stop("its signal was aborted");
    const timer = setTimeout(() => stop("it took longer than ten minutes"), longestLogin);
    this.#stop = () => stop("another one has begun");
    signal?.addEventListener("abort", onAbort);
    if (signal?.aborted) onAbort();
    channel.onmessage = ({ data }) => {
      // Logins to several servers may be under way.
      if (typeof data === "string" && URL.canParse(data) && new URL(data).searchParams.get("state") === this.#state) resolve(data);
    };
    popup.location.href = url.href;
    return promise.finally(() => {
      this.#stop = undefined;
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      channel.close();
    });
  }

  async #finish(back: URL, asked: Asked): Promise<void> {
    const { searchParams } = back;
    if (searchParams.get("state") !== this.#state)
      throw new ThreadkeepError("invalid_state", "the login returned for another request; log in again");
    const issuer = searchParams.get("iss");
    if (issuer === null ? asked.namesItself : issuer !== asked.issuer) {
      throw refused(`the answer ${issuer === null ? "does not say that it is" : `is of ${note(issuer)}, not`} of ${asked.issuer}`);
    }
    const code = searchParams.get("code");
    if (code === null) {
      const why = searchParams.get("error_description") ?? searchParams.get("error") ?? "it returned no code";
      throw new ThreadkeepError("aborted", `the login has failed: ${note(why)}`);
    }
    this.#answering = asked;
    const result = await this.#auth(code).finally(() => (this.#answering = undefined));
    if (result !== "AUTHORIZED") throw new ThreadkeepError("aborted", "the login has failed; log in again");
  }

  async #auth(authorizationCode?: string): Promise<"AUTHORIZED" | "REDIRECT"> {
    try {
      return await auth(this, {
        serverUrl: this.#server,
        fetchFn: this.#fetch,
        ...(authorizationCode !== undefined && { authorizationCode }),
      });
    } catch (error) {
      if (error instanceof ThreadkeepError) throw error;
      throw new ThreadkeepError("network", `the login to ${this.#server.origin} has failed: ${note(textOf(error))}`, { cause: error });
    }
  }

  #hideAll(texts: Array<string | undefined>): void {
    this.#hide(texts.filter((text) => text !== undefined));
  }
}

/** An issuer that is an origin may be written with a slash behind it. */
const withoutSlash = (url: string): string => url.replace(/\/$/, "");

const refused = (why: string): ThreadkeepError =>
  new ThreadkeepError("invalid_state", `the login was refused, because ${why}; nothing was sent there`);

/** A code or token that is sent in the clear can be read on the way, and an address of another scheme starts something else than a login. */
function ensureSafe(address: string): void {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const isLoopback = url !== undefined && /^(localhost|127(\.\d+){3}|\[::1\]|.*\.localhost)$/.test(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback)) return;
  throw refused(`its address ${note(address)} is neither https: nor http: on this machine`);
}

function deferred<T>() {
  let resolve!: (value: T) => void;
  let reject!: (error: unknown) => void;
  const promise = new Promise<T>((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}
