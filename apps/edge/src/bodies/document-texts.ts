// Every text of a document that is kept. Unlike the texts that screening reads, ids, names and numbers count too.

import type { JsonObject } from '../formats';
import { isObject, isRawNumber, jsonOf } from '../formats/json';
import type { PassedText } from '../screening';
import { copyWithin } from './copy';

export type DocumentText = PassedText;

const KIND = { place: 'INPUT', role: 'user', fresh: true } as const;

/** Numbers with as many digits may be those of a person or a card. */
const DIGITS = 7;

type MaskName = (name: string) => string;

/**
 * The texts of a document, and of documents within its texts. `finish`, when they are masked, writes the inner
 * documents back.
 */
export function textsIn(holder: { document: unknown }): {
  readonly texts: DocumentText[];
  readonly finish: (mask: MaskName) => void;
} {
  const texts: DocumentText[] = [];
  const inner: ((mask: MaskName) => void)[] = [];

  const add = (text: string, set: (text: string) => void): void => {
    const nested = documentIn(text);
    if (nested === undefined) {
      // The beginning of a document may have escapes as well.
      texts.push({ kind: KIND, text, was: text, set, json: /^\s*[[{]/.test(text) });
      return;
    }
    const before = JSON.stringify(jsonOf(text));
    inner.push((mask) => {
      const after = writeDocument(nested, mask);
      if (after !== before) set(after);
    });
    visit(nested);
  };

  const visitValue = (value: unknown, set: (text: string) => void): void => {
    if (typeof value === 'string') add(value, set);
    else if (isRawNumber(value)) addNumber(value.rawJSON, set);
    else if (typeof value === 'number') addNumber(String(value), set);
    else visit(value);
  };

  const addNumber = (text: string, set: (text: string) => void): void => {
    if (text.length >= DIGITS) texts.push({ kind: KIND, text, was: text, set, json: false });
  };

  const visit = (value: unknown): void => {
    if (Array.isArray(value)) {
      const list: unknown[] = value;
      for (const [at, one] of list.entries()) {
        visitValue(one, (text) => {
          list[at] = text;
        });
      }
    } else if (isObject(value)) {
      for (const [name, one] of Object.entries(value)) {
        visitValue(one, (text) => {
          value[name] = text;
        });
      }
    }
  };

  visitValue(holder.document, (text) => {
    holder.document = text;
  });
  // The innermost first: an outer document writes what they have become.
  return { texts, finish: (mask) => inner.toReversed().forEach((write) => write(mask)) };
}

/** A document that is a text, such as the arguments of a tool, with its credentials replaced. */
function documentIn(text: string): JsonObject | unknown[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const parsed = jsonOf(text);
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const copy = copyWithin(parsed, 2 * text.length + 64)?.copy;
  return isObject(copy) || Array.isArray(copy) ? copy : undefined;
}

/** JSON, with names that were masked. */
export function writeDocument(document: unknown, mask: MaskName): string {
  const known = new Map<string, string>();
  const nameOf = (name: string): string => {
    const written = known.get(name) ?? JSON.stringify(mask(name));
    known.set(name, written);
    return written;
  };
  const write = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
    if (!isObject(value) || isRawNumber(value)) return JSON.stringify(value) ?? 'null';
    const fields = Object.entries(value).map(([name, one]) => `${nameOf(name)}:${write(one)}`);
    return `{${fields.join(',')}}`;
  };
  return write(document);
}
