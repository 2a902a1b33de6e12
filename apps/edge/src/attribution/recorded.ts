import { MOST_TAGS, tagsIn, tagsText } from '@tollgate/contracts';
import type { Allow__Output } from '@tollgate/contracts/node';

import { agentOf, type Agent } from '.';
import type { Headers } from './names';

export interface RecordedAttribution extends Agent {
  readonly endUser: string;
  readonly session: string;
  readonly tags: string;
}

/** What the record of a request says of whom it was for: what policy lets count, and the tags of plugins. */
export function recordedAttribution(
  headers: Headers,
  allow: Pick<Allow__Output, 'attribution'> | undefined,
  ofPlugins: ReadonlyMap<string, string> | undefined,
): RecordedAttribution {
  const attribution = allow?.attribution;
  const { agentClass, agentId, agentType, parentAgentId } = agentOf(headers);
  return {
    endUser: attribution?.endUser ?? '',
    session: attribution?.session ?? '',
    tags: mergedTags(attribution?.tags ?? '', ofPlugins),
    agentId,
    parentAgentId,
    agentClass,
    agentType,
  };
}

/** A plugin speaks for the organisation, so its tag replaces the client's, and stays where there are too many. */
function mergedTags(ofClient: string, ofPlugins: ReadonlyMap<string, string> | undefined): string {
  if (!ofPlugins || ofPlugins.size === 0) return ofClient;
  const tags = new Map(ofPlugins);
  for (const [key, value] of tagsIn(ofClient)) {
    if (tags.size === MOST_TAGS) break;
    if (!tags.has(key)) tags.set(key, value);
  }
  return tagsText(tags);
}
