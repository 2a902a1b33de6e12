// Web search by the provider. An upstream of this format never gets a search for another format's
// tool: most of its models refuse it, and its calls cannot be bounded.

import { isObject, objectOf, present, textOf } from '../json';
import type { JsonObject } from '../normalised';
import type { WebSearchAsked } from '../web-search';
import { optionAt, othersIn, placeIn } from '../web-search-options';

const FIELD = 'web_search_options';
const FIELDS: ReadonlySet<string> = new Set(['user_location', 'search_context_size']);

export function decodeWebSearch(body: JsonObject): WebSearchAsked | undefined {
  const wire = body[FIELD];
  if (!isObject(wire)) return undefined;
  const location = objectOf(wire['user_location']);
  // The location is nested in this format.
  const place = placeIn(location?.['approximate']) ?? placeIn(location);
  return {
    path: FIELD,
    others: othersIn(wire, FIELDS, FIELD),
    ...present({
      userLocation: optionAt(place, `${FIELD}.user_location`),
      contextSize: optionAt(textOf(wire['search_context_size']), `${FIELD}.search_context_size`),
    }),
  };
}
