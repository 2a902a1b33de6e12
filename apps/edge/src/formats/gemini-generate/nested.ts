// Nested fields of a request's contents that only this format knows. Other targets drop them and
// report their paths.

import { arrayOf, isObject, objectOf } from '../json';
import type { JsonObject } from '../normalised';
import { addOtherFields } from './names';
import type { WireContent } from './wire';

const CONTENT: ReadonlySet<string> = new Set(['role', 'parts']);
const RESULT_PART: ReadonlySet<string> = new Set(['inlineData', 'fileData']);

/**
 * The payload fields of a part, and those of their fields that are decoded or whose loss changes
 * nothing.
 */
const WITHIN: Readonly<Record<string, ReadonlySet<string>>> = {
  inlineData: new Set(['mimeType', 'data', 'displayName']),
  fileData: new Set(['mimeType', 'fileUri', 'displayName']),
  functionCall: new Set(['id', 'name', 'args']),
  functionResponse: new Set(['id', 'name', 'response', 'parts']),
};

export function addNested(content: WireContent, path: string, extras: JsonObject): void {
  addOtherFields(content, CONTENT, path, extras);
  for (const [at, part] of (content.parts ?? []).entries()) {
    for (const [name, known] of Object.entries(WITHIN)) {
      const held = objectOf(part[name]);
      if (held) addOtherFields(held, known, `${path}.parts[${at}].${name}`, extras);
    }
    for (const [index, given] of arrayOf(part.functionResponse?.parts).entries()) {
      const place = `${path}.parts[${at}].functionResponse.parts[${index}]`;
      if (isObject(given)) addOtherFields(given, RESULT_PART, place, extras);
    }
  }
}
