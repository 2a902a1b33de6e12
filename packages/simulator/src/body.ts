// A request's body: JSON, or a form with files.

import type { IncomingHttpHeaders } from 'node:http';

import { objectOf, type JsonObject } from './json';

export interface Upload {
  /** The name of the form field. */
  field: string;
  filename: string;
  type: string;
  bytes: Buffer;
}

export interface ParsedBody {
  body: JsonObject;
  files: Upload[];
}

export function isForm(headers: IncomingHttpHeaders): boolean {
  return (headers['content-type'] ?? '').startsWith('multipart/form-data');
}

/** Undefined if the body is invalid. A missing body counts as empty. */
export async function parseBody(
  bytes: Buffer,
  headers: IncomingHttpHeaders,
): Promise<ParsedBody | undefined> {
  try {
    if (isForm(headers)) return await parseForm(bytes, headers);
    const body = bytes.length === 0 ? {} : objectOf(JSON.parse(bytes.toString('utf8')));
    return body && { body, files: [] };
  } catch {
    return undefined;
  }
}

async function parseForm(bytes: Buffer, headers: IncomingHttpHeaders): Promise<ParsedBody> {
  const type = headers['content-type'] ?? '';
  const whole = new Response(new Uint8Array(bytes), { headers: { 'content-type': type } });
  const form = await whole.formData();
  const body: JsonObject = {};
  const files: Upload[] = [];
  for (const [name, value] of form.entries()) {
    if (typeof value === 'string') addField(body, name, value);
    else {
      const { name: filename, type } = value;
      files.push({ field: name, filename, type, bytes: Buffer.from(await value.arrayBuffer()) });
    }
  }
  return { body, files };
}

/** A field that is repeated, or named as a list, becomes a list. */
function addField(body: JsonObject, name: string, value: string): void {
  const list = name.endsWith('[]');
  const plain = list ? name.slice(0, -2) : name;
  const before = body[plain];
  if (Array.isArray(before)) before.push(value);
  else if (before !== undefined) body[plain] = [before, value];
  else body[plain] = list ? [value] : value;
}

/** The form without its bytes: its fields, and a description of its files. */
export function summaryOf({ body, files }: ParsedBody): JsonObject {
  if (files.length === 0) return body;
  const uploads = files.map(({ bytes, field, filename, type }) => ({
    field,
    filename,
    type,
    bytes: bytes.length,
  }));
  return { ...body, files: uploads };
}
