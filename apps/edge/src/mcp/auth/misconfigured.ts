// Settings of a server that cannot work, told to the client without their values.

import { gatewayError, type GatewayError } from '@tollgate/contracts';

export function misconfigured(problem: string): GatewayError {
  const text = `The MCP server is not set up completely: ${problem}. An administrator has to correct its settings.`;
  return gatewayError('provider_misconfigured', text);
}

/** @throws GatewayError `provider_misconfigured` */
export function httpUrl(text: string, what: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw misconfigured(`${what} is not valid`);
}
