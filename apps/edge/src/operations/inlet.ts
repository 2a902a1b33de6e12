// The client's input to a relayed operation: its fields, from JSON or from a form, and a way to
// write it again with only the gateway's own changes.

import { gatewayError } from '@tollgate/contracts';
import type { z } from 'zod';

import type { JsonObject } from '../formats';
import { parsePayload } from '../formats/schema';
import { writeForm, type Form, type FormFile } from '../uploads';
import type { WrittenPayload } from '../upstream/payload';

export interface Inlet {
  fields: JsonObject;
  files: readonly FormFile[];
  /** The names that a form has several times. */
  repeated: ReadonlySet<string>;
  /** Changes with an undefined value remove the field. */
  write: (changes: Changes) => Pick<WrittenPayload, 'body' | 'contentType' | 'contentLength'>;
}

export type Changes = Readonly<Record<string, string | number | JsonObject | undefined>>;

/** An unchanged body is relayed byte for byte. */
export function jsonInlet(body: JsonObject, bytes: Buffer): Inlet {
  return {
    fields: body,
    files: [],
    repeated: new Set(),
    write: (changes) => {
      const same = Object.entries(changes).every(([name, value]) => body[name] === value);
      return {
        body: same ? bytes : JSON.stringify({ ...body, ...changes }),
        contentType: 'application/json',
      };
    },
  };
}

/** Form fields that hold something other than text. */
const NUMBERS = new Set(['n', 'partial_images', 'temperature', 'output_compression']);
const SWITCHES: Readonly<Record<string, boolean>> = { true: true, false: false, 1: true, 0: false };

export function formInlet(form: Form): Inlet {
  const fields: JsonObject = {};
  const files: FormFile[] = [];
  const names = new Set<string>();
  const repeated = new Set<string>();
  for (const part of form.parts) {
    if (names.has(part.name)) repeated.add(part.name);
    names.add(part.name);
    if (part.kind === 'file') files.push(part);
    else fields[part.name] ??= valueOf(part.name, part.value);
  }
  return {
    fields,
    files,
    repeated,
    write: (changes) => {
      const texts = Object.entries(changes).map(([name, value]) => [name, textOf(value)] as const);
      return writeForm(form, Object.fromEntries(texts));
    },
  };
}

/**
 * The fields that the gateway reads. Of one that is sent twice some servers take the first and some the last, so the
 * upstream could draw more pictures than were held.
 *
 * @throws GatewayError `invalid_request`, naming the field
 */
export function readFields<S extends z.ZodObject>(schema: S, inlet: Inlet): z.output<S> {
  for (const name of Object.keys(schema.shape)) checkSentOnce(inlet, name);
  return parsePayload(schema, inlet.fields);
}

/** @throws GatewayError `invalid_request`, naming the field */
export function checkSentOnce({ repeated }: Inlet, name: string): void {
  if (!repeated.has(name)) return;
  throw gatewayError('invalid_request', `${name}: is sent more than once`, { param: name });
}

function valueOf(name: string, text: string): unknown {
  if (name === 'stream') return SWITCHES[text.toLowerCase()] ?? text;
  if (!NUMBERS.has(name)) return text;
  const number = Number(text);
  return text.trim() === '' || Number.isNaN(number) ? text : number;
}

function textOf(value: Changes[string]): string | undefined {
  if (value === undefined) return undefined;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
