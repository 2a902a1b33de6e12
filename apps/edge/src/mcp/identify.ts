// Whom a request is of: an API key, or an access token that stands for one.

import { gatewayError } from '@tollgate/contracts';

import { bearerOf, readKey } from '../intake/read-key';
import { MCP_KEYS } from '../routes';
import type { McpExchange } from './exchange';
import type { McpGateway } from './gateway';
import { challengeOf, resourceUrl, type Caller, type SignIn } from './sign-in';

/**
 * Made-up tokens cost a parse; a lookup of the organisation is kept for seconds, and its provider's keys are
 * asked for only for a token that names that provider.
 * @throws GatewayError `missing_api_key`, `invalid_api_key`, `mcp_access_denied`,
 * `dependency_unavailable`, `overloaded`; MissingScope
 */
export async function identify(gateway: McpGateway, exchange: McpExchange): Promise<Caller> {
  const { path, req } = exchange;
  const { signIn } = gateway;
  const token = signIn && bearerOf(req.headers.authorization);
  const sent = token !== undefined && signIn?.tokens.isToken(token) ? token : undefined;
  exchange.tokenSent = sent !== undefined;
  if (path.organisation === undefined && sent === undefined) return ofKey(gateway, exchange);
  const settings = await settingsOf(gateway, exchange);
  if (signIn && settings && sent !== undefined) {
    return signIn.tokens.read(sent, settings, resourceUrl(signIn.publicUrl, path));
  }
  if (sent !== undefined) throw gatewayError('invalid_api_key', NO_TOKENS);
  readKey(req, MCP_KEYS);
  // Only a key says which organisation it is of, so it needs none in the path.
  throw gatewayError('invalid_api_key', `API keys are used at /v1/mcp/${path.server}.`);
}

const NO_TOKENS = 'No access tokens are accepted here. Use an API key.';

async function ofKey(gateway: McpGateway, exchange: McpExchange): Promise<Caller> {
  try {
    const keySha256 = readKey(exchange.req, MCP_KEYS);
    return { keySha256, principal: keySha256, expiresMs: undefined };
  } catch (error) {
    // A client without a key learns where it can sign in.
    await settingsOf(gateway, exchange);
    throw error;
  }
}

/** Notes what the client may be told about signing in. */
async function settingsOf(
  { signIn }: McpGateway,
  exchange: McpExchange,
): Promise<SignIn | undefined> {
  const { path } = exchange;
  const organisation = path.organisation ?? signIn?.organisation;
  if (!signIn || organisation === undefined) return undefined;
  const settings = await signIn.signIns.of(organisation);
  if (settings) exchange.challenge = challengeOf(signIn.publicUrl, path, settings);
  return settings;
}
