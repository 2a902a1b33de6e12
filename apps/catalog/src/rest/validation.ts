import { restError, type rest } from '@tollgate/contracts';
import type { z } from 'zod';

const MAX_DEPTH = 32;
const MAX_DETAILS = 50;

/**
 * Parses one part of a request; throws 422 with every invalid field. Refuses text that PostgreSQL
 * cannot store: NUL and unpaired surrogates.
 */
export function parsePart(schema: z.ZodType, value: unknown): unknown {
  const bad = unstorable(value);
  if (bad !== undefined) throw restError('validation_failed', undefined, [bad]);
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.flatMap(detailsOf).slice(0, MAX_DETAILS);
  throw restError('validation_failed', undefined, details);
}

function detailsOf(issue: z.core.$ZodIssue): rest.ErrorDetail[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({
      path: pathText([...issue.path, key]),
      message: 'unknown field',
    }));
  }
  return [{ path: pathText(issue.path), message: issue.message }];
}

/** `['prices', 0, 'input']` → `prices[0].input`. */
function pathText(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}

interface Visit {
  value: unknown;
  path: readonly PropertyKey[];
}

function unstorable(root: unknown): rest.ErrorDetail | undefined {
  const waiting: Visit[] = [{ value: root, path: [] }];
  for (let visit = waiting.pop(); visit !== undefined; visit = waiting.pop()) {
    const { value, path } = visit;
    if (typeof value === 'string') {
      const message = textFault(value);
      if (message !== undefined) return { path: pathText(path), message };
      continue;
    }
    if (typeof value !== 'object' || value === null) continue;
    if (path.length >= MAX_DEPTH) {
      return { path: pathText(path), message: `nested more than ${MAX_DEPTH} levels deep` };
    }
    for (const [key, item] of Object.entries(value)) {
      const message = textFault(key);
      if (message !== undefined)
        return { path: pathText(path), message: `a field name: ${message}` };
      waiting.push({ value: item, path: [...path, Array.isArray(value) ? Number(key) : key] });
    }
  }
  return undefined;
}

function textFault(text: string): string | undefined {
  if (text.includes('\0')) return 'contains a NUL character';
  return text.isWellFormed() ? undefined : 'contains an unpaired surrogate';
}
