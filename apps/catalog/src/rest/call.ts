import type { rest, Role } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';

import type { Change } from '../audit/change';

/**
 * The caller, read from the database for every call, so that disabling a user takes effect at once.
 */
export interface Actor {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Null for a platform user. */
  readonly organisation: ActorOrganisation | null;
  /** The session of this call's token. */
  readonly sessionId: string;
  /** Teams that the caller manages; empty unless the role is MANAGER. */
  readonly managedTeamIds: readonly string[];
  /** All teams the caller is in. */
  readonly teamIds: readonly string[];
}

export interface ActorOrganisation {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly timeZone: string;
}

/** How far this call reaches, derived from the role table before the handler runs. */
export interface Access {
  readonly reach: rest.Reach;
  readonly userId: string;
  readonly managedTeamIds: readonly string[];
  readonly teamIds: readonly string[];
}

export interface PublicCall<E extends rest.Endpoint = rest.Endpoint> {
  readonly endpoint: E;
  readonly params: rest.PathParams<E['path']>;
  readonly query: z.output<E['query']>;
  readonly body: z.output<E['body']>;
  /** The transaction of a change; a read has none. */
  readonly db: EntityManager;
  readonly requestId: string;
  readonly remoteAddress: string;
  /** The User-Agent header; null when absent. */
  readonly userAgent: string | null;
  readonly nowMs: number;
  readonly cookies: Readonly<Record<string, string>>;
  /** Whether the caller's connection uses TLS, up to a trusted proxy. */
  readonly encrypted: boolean;
  /** An array sets the header several times, as `set-cookie` needs. */
  setHeader(name: string, value: string | string[]): void;
  /** Overrides the endpoint's status. */
  setStatus(status: number): void;
  /** Records a change: its audit event and its news are written in the same transaction. */
  changed(change: Change): void;
}

export type Call<E extends rest.Endpoint = rest.Endpoint> = PublicCall<E> & {
  readonly actor: Actor;
  readonly access: Access;
  /** The organisation of the path. Throws for an endpoint without one. */
  readonly organisation: ActorOrganisation;
  /** Throws 412 when the If-Match header is not this object's tag. */
  expectMatch(current: unknown): void;
};

/** What a handler returns; nothing for an endpoint without a body. */
export type Answer<E extends rest.Endpoint> =
  undefined extends z.input<E['response']> ? void : z.input<E['response']>;

/** An endpoint with its handler. */
export type Route =
  | {
      readonly endpoint: rest.Endpoint;
      readonly open: true;
      readonly handle: (call: PublicCall) => Promise<unknown>;
    }
  | {
      readonly endpoint: rest.Endpoint;
      readonly open: false;
      /**
       * Runs without a transaction whatever its method, because it changes nothing and may take
       * long.
       */
      readonly detached?: boolean;
      readonly handle: (call: Call) => Promise<unknown>;
    };

/** Binds an endpoint for signed-in callers. */
export function serve<E extends rest.Endpoint>(
  endpoint: E,
  handle: (call: Call<E>) => Promise<Answer<E>>,
): Route {
  // The dispatcher parses each call with this endpoint's schemas, which the type of a list of
  // routes cannot express.
  return { endpoint, open: false, handle: handle as unknown as (call: Call) => Promise<unknown> };
}

/**
 * Binds an endpoint that calls other services and changes nothing: no transaction stays open
 * meanwhile.
 */
export function serveDetached<E extends rest.Endpoint>(
  endpoint: E,
  handle: (call: Call<E>) => Promise<Answer<E>>,
): Route {
  const erased = handle as unknown as (call: Call) => Promise<unknown>;
  return { endpoint, open: false, detached: true, handle: erased };
}

/** Binds a public endpoint. */
export function serveOpen<E extends rest.Endpoint>(
  endpoint: E,
  handle: (call: PublicCall<E>) => Promise<Answer<E>>,
): Route {
  const erased = handle as unknown as (call: PublicCall) => Promise<unknown>;
  return { endpoint, open: true, handle: erased };
}
