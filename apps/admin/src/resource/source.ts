'use client';

import type { rest } from '@tollgate/contracts';
import type { z } from 'zod';

import { useRead } from '../api/provider';
import type { RestQuestion } from '../api/rest-client';
import type { ListInput } from './list-input';

type ListEndpoint = rest.Endpoint<string, z.ZodType, z.ZodType, z.ZodType<rest.PageOf<unknown>>>;

/** The row type of a list endpoint. */
export type RowOf<E extends ListEndpoint> = z.output<E['response']>['data'][number];

declare const row: unique symbol;

/** The source of a list's rows: an endpoint and its path parameters. */
export interface Source<Row> {
  readonly endpoint: ListEndpoint;
  readonly params: Readonly<Record<string, string>>;
  readonly [row]?: Row;
}

export function sourceOf<E extends ListEndpoint>(
  endpoint: E,
  params: rest.PathParams<E['path']>,
): Source<RowOf<E>> {
  return { endpoint, params };
}

/** Reads a page of the list, under the same cache key as any other read. */
export function useRows<Row>({ endpoint, params }: Source<Row>, query: ListInput) {
  // The concrete endpoint's input type is unknown here.
  const asked: unknown = Object.keys(params).length === 0 ? { query } : { params, query };
  const read = useRead(endpoint, asked as RestQuestion<ListEndpoint>, { keep: true });
  return { ...read, data: read.data as rest.PageOf<Row> | undefined };
}
