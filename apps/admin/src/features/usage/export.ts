import { rest } from '@tollgate/contracts';

import type { Get, ListInput } from '../../resource/list-input';
import { mcpRecordsInput, recordsInput } from './list-inputs';
import { isLongerThan } from './range';
import type { UsageState } from './state';

// The export of the list's requests.

/** Requests to models and MCP servers, or the details of those to MCP servers. */
export type Exported = 'requests' | 'mcp';

export interface Export {
  /** A path below the console's own `/api`. */
  readonly href: string;
  /** Whether filters exclude some requests of the period. */
  readonly filtered: boolean;
  /** Whether the period exceeds the maximum of one file. */
  readonly tooLong: boolean;
}

/** The export of all requests that match the list's filters. */
export function exportOf(
  organisationId: string,
  state: UsageState,
  get: Get,
  of: Exported = 'requests',
): Export {
  const { path, input } = of === 'mcp' ? mcpExport(state, get) : requestsExport(state, get);
  const { from: _from, to: _to, ...filters } = input;
  const search = new URLSearchParams(
    Object.entries(input).map(([name, value]) => [name, String(value)]),
  );
  return {
    filtered: Object.keys(filters).length > 0,
    href: `${rest.fillPath(path, { organisationId })}?${search.toString()}`,
    tooLong: isLongerThan(state.span, rest.USAGE_EXPORT_DAYS),
  };
}

function requestsExport(state: UsageState, get: Get): { path: string; input: ListInput } {
  const { path, query } = rest.exportUsageRecords;
  const { httpStatus, errorCode, clientRequestId, screening } = query.shape;
  const more = chosen({ httpStatus, errorCode, clientRequestId, screening }, get);
  return { path, input: { ...recordsInput(state), ...more } };
}

function mcpExport(state: UsageState, get: Get): { path: string; input: ListInput } {
  const { path, query } = rest.exportMcpUsageRecords;
  const { method, name, isError } = query.shape;
  return { path, input: { ...mcpRecordsInput(state), ...chosen({ method, name, isError }, get) } };
}

interface Checked {
  readonly safeParse: (value: string) => { readonly success: boolean };
}

/** The valid filters of the list in the page's address. */
function chosen(shape: Readonly<Record<string, Checked>>, get: Get): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [name, field] of Object.entries(shape)) {
    const value = get(name);
    if (value !== undefined && field.safeParse(value).success) found[name] = value;
  }
  return found;
}
