import type { ErrorCode } from '@tollgate/contracts';
import type { Allow__Output, Attempt, Denial__Output } from '@tollgate/contracts/node';

import type { Refused } from './cause-sums';

interface EndedExchange {
  readonly requestId: string;
  readonly keySha256: Buffer | undefined;
  readonly allow: Allow__Output | undefined;
  readonly denial: Denial__Output | undefined;
  readonly ending: { readonly errorCode: ErrorCode | '' };
}

/** Codes whose model may be a name that nobody has given to a model. */
const UNNAMED: ReadonlySet<string> = new Set<ErrorCode>([
  'invalid_api_key',
  'invalid_request',
  'mcp_access_denied',
  'model_not_found',
  'passthrough_denied',
]);

/** What a request was refused or failed for; undefined: it was neither. */
export function refusedOf(
  { requestId, keySha256, allow, denial, ending }: EndedExchange,
  { model, attempts }: { readonly model: string; readonly attempts: readonly Attempt[] },
  atMs: number,
): Refused | undefined {
  const code = ending.errorCode;
  if (code === '') return undefined;
  const known = allow !== undefined || (denial?.subject ?? null) !== null;
  return {
    code,
    keySha256,
    known,
    // Made-up names would each be a cause of their own.
    model: known && !UNNAMED.has(code) ? model : '',
    providerId: attempts.at(-1)?.providerId ?? '',
    limitId: denial?.limitId ?? '',
    detailsJson: denial === undefined || denial.limitId === '' ? '' : denial.detailsJson,
    requestId,
    atMs,
  };
}
