import {
  isOneOf,
  NO_REGION,
  NOT_RECORDED,
  rest,
  splitName,
  UNKNOWN_REGION,
  type Outcome,
} from '@tollgate/contracts';

import type { Tone } from '../../design/badge';
import { cacheWords } from './response-cache-facts';
import { GROUPS, type Group } from './state';

export const RESULTS: Record<Outcome | 'ABANDONED', { tone: Tone; words: string }> = {
  COMPLETED: { tone: 'good', words: 'answered' },
  PARTIAL: { tone: 'warn', words: 'cut short' },
  FAILED: { tone: 'bad', words: 'failed' },
  BUDGET_STOPPED: { tone: 'warn', words: 'budget stop' },
  CLIENT_CLOSED: { tone: 'neutral', words: 'client left' },
  ABANDONED: { tone: 'warn', words: 'abandoned' },
};

/** Names for usage without this attribute. */
const NONE: Readonly<Partial<Record<Group, string>>> = {
  team: 'No team',
  user: 'No user',
  model: 'No model',
  provider: 'No provider',
  'mcp-server': 'No MCP server',
  'end-user': 'No end user',
  session: 'No session',
  'agent-class': 'No agent class',
  tag: 'Without this tag',
  'response-cache': 'Keys without a cache',
  experiment: 'No experiment',
  'experiment-arm': 'No arm',
  'routing-policy': 'Not routed',
};

type Named = rest.UsageExploration['groups'][number]['group'];

export function groupName(group: Group, { id, name }: Named): string {
  if (id === null) return NONE[group] ?? 'None';
  if (group === 'status') return resultWords(id);
  if (group === 'region') return placeWords(id);
  if (group === 'response-cache') return cacheWords(id);
  const named = group === 'experiment' || group === 'routing-policy';
  if (!named && isOneOf(rest.ATTRIBUTION_DIMENSIONS, group)) return shownName(id);
  return name ?? (group === 'operation' ? id : `Deleted ${id.slice(0, 8)}`);
}

const PLACES: ReadonlyMap<string, string> = new Map([
  [UNKNOWN_REGION, 'Unknown region'],
  [NO_REGION, 'No upstream called'],
  [NOT_RECORDED, 'Not recorded'],
]);

/** Regions of a record, or of several alike. */
export function placeWords(regions: string | null): string {
  return PLACES.get(regions ?? NOT_RECORDED) ?? regions ?? '';
}

/** Adds the last 8 digits of the key's id to a name that counts only within that key. */
export function shownName(recorded: string): string {
  const { name, apiKeyId } = splitName(recorded);
  return apiKeyId === null ? name : `${name} (key ${apiKeyId.slice(-8)})`;
}

export function resultWords(status: string): string {
  const words = Object.hasOwn(RESULTS, status) ? RESULTS[status as Outcome].words : status;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The grouping within a sentence: "model", "API key". */
export function groupInText(group: Group): string {
  return inText(GROUPS[group]);
}

/** A title within a sentence. Abbreviations stay in capitals. */
export function inText(title: string): string {
  return title.replace(/^[A-Z](?=[a-z])/, (letter) => letter.toLowerCase());
}
