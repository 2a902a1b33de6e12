import type { ModelType, rest } from '@tollgate/contracts';
import { z } from 'zod';

import { typeOf } from './model-types';

/** What all shapes of lists of models have. */

export const text = z.string().min(1).max(300);

/** A listed model without what `discover-models.ts` adds. */
export type Listed = Omit<rest.UpstreamModel, 'known' | 'modelId'>;

export interface Page {
  readonly models: Listed[];
  readonly next: string | null;
}

/** What is particular to a shape of lists. */
export interface ListShape {
  /** The query of a page, where the list has pages. */
  readonly paging?: (after: string | null) => string;
  /** Undefined when the body is not such a list. */
  readonly read: (body: unknown) => Page | undefined;
}

interface Known {
  displayName?: string | null;
  contextTokens?: number | null;
  maxOutputTokens?: number | null;
  methods?: readonly string[] | undefined;
}

export function listed(upstreamModel: string, known: Known): Listed {
  const type: ModelType = typeOf(upstreamModel, known.methods);
  const { displayName = null, contextTokens = null, maxOutputTokens = null } = known;
  return { upstreamModel, displayName, type, contextTokens, maxOutputTokens };
}

export function reading<T>(schema: z.ZodType<T>, page: (list: T) => Page): ListShape['read'] {
  return (body) => {
    const parsed = schema.safeParse(body);
    return parsed.success ? page(parsed.data) : undefined;
  };
}

export function query(parameters: Readonly<Record<string, string | null>>): string {
  const given = Object.entries(parameters).filter(
    (pair): pair is [string, string] => pair[1] !== null,
  );
  return new URLSearchParams(given).toString();
}
