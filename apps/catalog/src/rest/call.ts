import type { rest, Role } from '@tollgate/contracts';
import type { EntityManager } from 'typeorm';
import type { z } from 'zod';
import type { Change } from '../audit/change';

/** Who calls: read from the database for every call, so that a disabled user is out at once. */
export type Actor = {
  readonly id: string;
  readonly email: string;
  readonly name: string;
  readonly role: Role;
  /** Null for a platform user. */
  readonly organisation: ActorOrganisation | null;
  /** Of the sign-in this call's token came from. */
  readonly sessionId: string;
  /** Teams whose manager the caller is; empty unless the role is MANAGER. */
  readonly managedTeamIds: readonly string[];
  /** All teams the caller is in. */
  readonly teamIds: readonly string[];
};

export type ActorOrganisation = {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly timeZone: string;
};

/** How far this call reaches, worked out from the role table before the handler runs. */
export type Access = {
  readonly reach: rest.Reach;
  readonly userId: string;
  readonly managedTeamIds: readonly string[];
  readonly teamIds: readonly string[];
};

export type PublicCall<E extends rest.Endpoint = rest.Endpoint> = {
  readonly endpoint: E;
  readonly params: rest.PathParams<E['path']>;
  readonly query: z.output<E['query']>;
  readonly body: z.output<E['body']>;
  /** In a change this is its transaction; a read has no transaction of its own. */
  readonly db: EntityManager;
  readonly requestId: string;
  readonly remoteAddress: string;
  /** What the caller's program calls itself; null when it does not say. */
  readonly userAgent: string | null;
  readonly nowMs: number;
  readonly cookies: Readonly<Record<string, string>>;
  /** Whether the caller's connection is encrypted, up to a trusted proxy. */
  readonly encrypted: boolean;
  /** Several values make several headers of that name, as `set-cookie` needs. */
  setHeader(name: string, value: string | string[]): void;
  /** Answers with another status than the endpoint's own. */
  setStatus(status: number): void;
  /** Notes what was changed: the audit event and the news for the data plane join the transaction. */
  changed(change: Change): void;
};

export type Call<E extends rest.Endpoint = rest.Endpoint> = PublicCall<E> & {
  readonly actor: Actor;
  readonly access: Access;
  /** The organisation of the path; an endpoint without one must not ask for it. */
  readonly organisation: ActorOrganisation;
  /** Refuses with 412 when the caller's If-Match is not this object's tag. */
  expectMatch(current: unknown): void;
};

/** What a handler answers; nothing where the endpoint answers nothing. */
export type Answer<E extends rest.Endpoint> =
  undefined extends z.input<E['response']> ? void : z.input<E['response']>;

/** An endpoint with what it does. */
export type Route =
  | {
      readonly endpoint: rest.Endpoint;
      readonly open: true;
      readonly handle: (call: PublicCall) => Promise<unknown>;
    }
  | {
      readonly endpoint: rest.Endpoint;
      readonly open: false;
      /** Runs without a transaction, whatever its method: it changes nothing, and may take long. */
      readonly detached?: boolean;
      readonly handle: (call: Call) => Promise<unknown>;
    };

/** Binds an endpoint that needs a signed-in caller. */
export function serve<E extends rest.Endpoint>(
  endpoint: E,
  handle: (call: Call<E>) => Promise<Answer<E>>,
): Route {
  // The dispatcher builds each call with the schemas of this very endpoint, which the list of all
  // routes cannot say in its type.
  return { endpoint, open: false, handle: handle as unknown as (call: Call) => Promise<unknown> };
}

/** Binds an endpoint that asks others and changes nothing: no transaction waits for the answer. */
export function serveDetached<E extends rest.Endpoint>(
  endpoint: E,
  handle: (call: Call<E>) => Promise<Answer<E>>,
): Route {
  const erased = handle as unknown as (call: Call) => Promise<unknown>;
  return { endpoint, open: false, detached: true, handle: erased };
}

/** Binds an endpoint that anybody may call. */
export function serveOpen<E extends rest.Endpoint>(
  endpoint: E,
  handle: (call: PublicCall<E>) => Promise<Answer<E>>,
): Route {
  const erased = handle as unknown as (call: PublicCall) => Promise<unknown>;
  return { endpoint, open: true, handle: erased };
}
