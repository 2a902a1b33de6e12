import {
  NO_REGION,
  NOT_RECORDED,
  UNKNOWN_REGION,
  type Outcome,
  type rest,
} from '@tollgate/contracts';

import type { Tone } from '../../design/badge';
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
};

type Named = rest.UsageExploration['groups'][number]['group'];

export function groupName(group: Group, { id, name }: Named): string {
  if (id === null) return NONE[group] ?? 'None';
  if (group === 'status') return resultWords(id);
  if (group === 'region') return placeWords(id);
  return name ?? (group === 'operation' ? id : `Deleted ${id.slice(0, 8)}`);
}

const PLACES: Readonly<Record<string, string>> = {
  [UNKNOWN_REGION]: 'Unknown region',
  [NO_REGION]: 'No upstream called',
  [NOT_RECORDED]: 'Not recorded',
};

/** Regions of a record, or of several alike. */
export function placeWords(regions: string): string {
  return PLACES[regions] ?? regions;
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
