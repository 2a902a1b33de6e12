// Serves the metadata of an MCP server as a protected resource.

import type { ServerResponse } from 'node:http';
import { gatewayError } from '@tollgate/contracts';
import { uuidv7 } from '@tollgate/kit';

import { sendError } from '../errors';
import type { ClientRequest } from '../exchange/exchange';
import { encodeRpcError } from './errors/rpc-errors';
import type { McpGateway } from './gateway';
import { told } from './refuse';
import { resourceDocument, sendDocument, type ResourcePath } from './sign-in';

/**
 * The same 404 for an organisation that is unknown and one that accepts no tokens. Whether there is such a
 * server is not looked up. Never rejects.
 */
export async function serveMetadata(
  gateway: McpGateway,
  path: ResourcePath,
  req: ClientRequest,
  res: ServerResponse,
): Promise<void> {
  const requestId = uuidv7();
  try {
    const { signIn } = gateway;
    const organisation = path.organisation ?? signIn?.organisation;
    const settings = organisation && (await signIn?.signIns.of(organisation));
    if (!signIn || !settings) throw gatewayError('route_not_found', NO_METADATA);
    sendDocument(res, resourceDocument(signIn.publicUrl, path, settings));
  } catch (error) {
    const encodeError = (shown: Parameters<typeof encodeRpcError>[0]) =>
      encodeRpcError(shown, { requestId, rpcId: undefined });
    sendError(req, res, { encodeError }, told(gateway, { requestId }, error), requestId);
  }
}

const NO_METADATA = 'No access tokens are accepted here. Use an API key.';
