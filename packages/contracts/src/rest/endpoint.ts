import { z } from 'zod';

import type { Action } from './permissions';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The parameter names of a path template. */
export type PathParameter<Path extends string> =
  Path extends `${string}:${infer Name}/${infer Rest}`
    ? Name | PathParameter<Rest>
    : Path extends `${string}:${infer Name}`
      ? Name
      : never;

export type PathParams<Path extends string> = Record<PathParameter<Path>, string>;

/**
 * Who may call: `public` needs no token, `signed-in` any valid one, an action is looked up in the
 * role table.
 */
export type EndpointAccess = 'public' | 'signed-in' | Action;

/** One row of the REST interface: the source of validation, OpenAPI, tests and clients. */
export interface Endpoint<
  Path extends string = string,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Response extends z.ZodType = z.ZodType,
> {
  /** Operation id, unique: `listTeams`. */
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly method: Method;
  readonly path: Path;
  readonly access: EndpointAccess;
  readonly query: Query;
  /** `nothing` without a request body. */
  readonly body: Body;
  /** `nothing` without an answer body. */
  readonly response: Response;
  /** 302 is a redirect; its target is in `location`. */
  readonly status: 200 | 201 | 204 | 302;
  /** The media type of a successful answer; files are streamed. */
  readonly produces: 'application/json' | 'text/csv' | 'application/pdf' | 'text/event-stream';
  /** The answer has an ETag; a change of the same path accepts it as If-Match. */
  readonly etag: boolean;
  /** With an Idempotency-Key a repeated request gets the first answer. */
  readonly idempotent: boolean;
  /** The answer contains a secret that is shown once; a stored replay is sealed. */
  readonly secret: boolean;
}

export const nothing = z.undefined();
export const noQuery = z.strictObject({});

type Draft<
  Path extends string,
  Query extends z.ZodType,
  Body extends z.ZodType,
  Response extends z.ZodType,
> = Pick<Endpoint, 'id' | 'tag' | 'summary' | 'method' | 'access'> & {
  readonly path: Path;
  readonly query?: Query;
  readonly body?: Body;
  readonly response?: Response;
} & Partial<Pick<Endpoint, 'status' | 'produces' | 'etag' | 'idempotent' | 'secret'>>;

/**
 * Completes a row: no answer body means 204, creating (POST answered with an object and status
 * 201) is idempotent unless the row says otherwise.
 */
export function endpoint<
  const Path extends string,
  Query extends z.ZodType = typeof noQuery,
  Body extends z.ZodType = typeof nothing,
  Response extends z.ZodType = typeof nothing,
>(draft: Draft<Path, Query, Body, Response>): Endpoint<Path, Query, Body, Response> {
  const status = draft.status ?? (draft.response === undefined ? 204 : 200);
  return {
    id: draft.id,
    tag: draft.tag,
    summary: draft.summary,
    method: draft.method,
    path: draft.path,
    access: draft.access,
    query: draft.query ?? (noQuery as z.ZodType as Query),
    body: draft.body ?? (nothing as z.ZodType as Body),
    response: draft.response ?? (nothing as z.ZodType as Response),
    status,
    produces: draft.produces ?? 'application/json',
    etag: draft.etag ?? false,
    idempotent: draft.idempotent ?? status === 201,
    secret: draft.secret ?? false,
  };
}

/** `/api/teams/:teamId` and `{teamId: 'x'}` → `/api/teams/x`, percent-encoded. */
export function fillPath<Path extends string>(path: Path, params: PathParams<Path>): string {
  const values: Record<string, string> = params;
  return path.replace(/:([A-Za-z]+)/g, (_whole, name: string) => {
    const value = values[name];
    if (value === undefined) throw new RangeError(`path parameter ${name} is missing`);
    return encodeURIComponent(value);
  });
}
