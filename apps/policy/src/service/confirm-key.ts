import type { ConfirmKeyReply, ConfirmKeyRequest__Output } from '@tollgate/contracts/node';
import type { Clock } from '@tollgate/kit';

import { keyIsValid, mcpRegionFits } from '../decide';
import { grantedMcpServer, type Directory } from '../directory';
import { invalidArgument } from '../failure';
import { targetOf } from '../holds';
import { checkMcpIdentifier } from './requests';

export interface ConfirmKeyDeps {
  readonly directory: Pick<Directory, 'lookup'>;
  readonly clock: Clock;
}

export type ConfirmKey = (request: ConfirmKeyRequest__Output) => Promise<ConfirmKeyReply>;

/**
 * Says whether a key is valid, before a large body is read for it, and how it may use an MCP server. A cached plan needs no other
 * service, and the store is never asked.
 * @throws Failure INVALID_ARGUMENT, or UNAVAILABLE when the directory cannot be read
 */
export function createConfirmKey({ directory, clock }: ConfirmKeyDeps): ConfirmKey {
  return async ({ keySha256, mcpServer }) => {
    if (keySha256.length !== 32) throw invalidArgument('key_sha256: must be 32 bytes');
    checkMcpIdentifier('mcp_server', mcpServer);
    const plan = await directory.lookup(keySha256);
    if (plan === undefined || !keyIsValid(plan, clock.now())) return { valid: false };
    const server = mcpServer === '' ? undefined : grantedMcpServer(plan, mcpServer);
    const usable = server !== undefined && mcpRegionFits(plan, server) === undefined;
    return { valid: true, mcp: usable ? targetOf(plan, server) : null };
  };
}
