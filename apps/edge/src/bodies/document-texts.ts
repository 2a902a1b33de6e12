// Every text of a document that is kept. Unlike the texts that screening reads, ids, names and numbers count too.

import type { JsonObject } from '../formats';
import { isObject, isRawNumber, jsonOf } from '../formats/json';
import type { PassedText } from '../screening';
import { copyWithin } from './copy';
import { withoutCredentials } from './credentials';

export type DocumentText = PassedText;

const KIND = { place: 'INPUT', role: 'user', fresh: true } as const;

/** Numbers with as many digits may be those of a person or a card. */
const DIGITS = 7;

/**
 * The texts of a document, and of documents within its texts; names of fields are among them. `finish`, when they are
 * masked, writes the inner documents back, and then `write` the whole.
 */
export function textsIn(holder: { document: unknown }): {
  readonly texts: DocumentText[];
  readonly finish: () => void;
  readonly write: (document: unknown) => string;
} {
  const texts: DocumentText[] = [];
  const inner: (() => void)[] = [];
  const names = new Map<string, string>();

  const add = (text: string, set: (text: string) => void): void => {
    const nested = documentIn(text);
    if (nested === undefined) {
      const known = withoutCredentials(text);
      if (known !== text) set(known);
      // The beginning of a document may have escapes as well.
      texts.push({ kind: KIND, text: known, was: known, set, json: /^\s*[[{]/.test(known) });
      return;
    }
    // Always: of a name that is repeated only the last value was read.
    inner.push(() => set(writeDocument(nested, names)));
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

  const addName = (name: string): void => {
    if (names.has(name)) return;
    names.set(name, name);
    const set = (text: string): void => void names.set(name, text);
    texts.push({ kind: KIND, text: name, was: name, set, json: false });
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
        addName(name);
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
  const finish = (): void => inner.toReversed().forEach((write) => write());
  return { texts, finish, write: (document) => writeDocument(document, names) };
}

/** A copy is counted as longer than its JSON, most for lists of short numbers. The text itself is bounded. */
const COPY_FOR_TEXT = 20;

/** A document that is a text, such as the arguments of a tool, with its credentials replaced. */
function documentIn(text: string): JsonObject | unknown[] | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  const parsed = jsonOf(text);
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const copy = copyWithin(parsed, COPY_FOR_TEXT * text.length)?.copy;
  return isObject(copy) || Array.isArray(copy) ? copy : undefined;
}

/** JSON, with names that were masked. */
function writeDocument(document: unknown, names: ReadonlyMap<string, string>): string {
  const write = (value: unknown): string => {
    if (Array.isArray(value)) return `[${value.map(write).join(',')}]`;
    if (!isObject(value) || isRawNumber(value)) return JSON.stringify(value) ?? 'null';
    const fields = Object.entries(value).map(
      ([name, one]) => `${JSON.stringify(names.get(name) ?? name)}:${write(one)}`,
    );
    return `{${fields.join(',')}}`;
  };
  return write(document);
}
