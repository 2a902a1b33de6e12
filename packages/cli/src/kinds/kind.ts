import type { rest } from '@tollgate/contracts';
import type { z } from 'zod';

import type { Api } from '../api/management-api';

/**
 * What a kind of document is: its fields, how the installation lists, creates and changes it, and
 * which other objects it names. A kind is a row of `kinds/index.ts`; everything else is general.
 */

export type Values = Readonly<Record<string, unknown>>;

/** Refers to an object of the same organisation by its name. */
export interface Reference {
  readonly kind: string;
  readonly name: string;
  readonly ordinal: number;
  /** Where the document names it. */
  readonly path: readonly (string | number)[];
}

/** Identifies an object: in documents, and in the installation. */
export interface Identity {
  readonly kind: string;
  /** The slug of the organisation; null: an object of the platform. */
  readonly organisation: string | null;
  readonly name: string;
  /** Tells objects with the same name apart, in the order of their creation, from 1. */
  readonly ordinal: number;
}

export interface Named {
  readonly name: string;
  readonly ordinal: number;
}

/** The names of the objects of one organisation, by id. */
export interface Names {
  of(kind: string, id: string): Named | undefined;
}

/** The ids of the objects of one organisation, by name. Throws if there is none. */
export interface Ids {
  of(kind: string, name: string, ordinal?: number): string;
  readonly organisationId: string | null;
}

/** A secret by reference. `undefined`: the variable or file does not exist. */
export type Resolve = (reference: SecretReference) => string | undefined;

export type SecretReference = { readonly env: string } | { readonly file: string };

export interface Place {
  /** The organisation; null: the platform. */
  readonly organisation: { readonly id: string; readonly slug: string } | null;
  /** Whether the caller manages the whole platform. */
  readonly platform: boolean;
}

export interface Operations {
  readonly create: rest.Endpoint;
  readonly get?: rest.Endpoint;
  readonly update?: rest.Endpoint;
  readonly remove?: rest.Endpoint;
}

/** One call that brings a part of an object to its wanted state. */
export interface PartChange {
  readonly path: string;
  /** For people; never a secret. */
  readonly before: unknown;
  readonly after: unknown;
  /** Deletes something, so it is done only with --prune. */
  readonly removes?: boolean;
  /** After all other changes: it would refuse some of them. */
  readonly last?: boolean;
  /** The secret that the call sends. */
  readonly needs?: SecretReference;
  run(api: Api, params: Readonly<Record<string, string>>, ids: Ids): Promise<void>;
}

export interface PartContext {
  readonly place: Place;
  readonly resolve: Resolve;
  readonly nowMs: number;
}

/** A field of the spec that has endpoints of its own. */
export interface Part<Row> {
  readonly field: string;
  /** `row` is undefined while the object does not exist. */
  changes(wanted: Values, row: Row | undefined, context: PartContext): PartChange[];
  /** Secrets that the object has and that cannot be compared, because they are not there now. */
  unknown?(wanted: Values, row: Row, context: PartContext): SecretReference[];
}

export interface Kind<Row = unknown> {
  readonly kind: string;
  readonly level: 'platform' | 'organisation' | 'either';
  /** The schema of `metadata.name`; null: the spec identifies the object. */
  readonly name: z.ZodType<string> | null;
  /** Whether several objects may have the same name. */
  readonly repeats: boolean;
  readonly spec: z.ZodObject;
  /** The parameter of paths that is the object's id. */
  readonly idParameter: string;
  /** The same for objects of the platform, if it has another name there. */
  readonly platformIdParameter?: string;
  /** Fields whose order means nothing. */
  readonly sets?: readonly string[];
  /** Fields that only creating uses. */
  readonly createOnly?: readonly string[];
  /** Fields of the spec that have another name in bodies; also that of the secret. */
  readonly renamed?: Readonly<Record<string, string>>;
  readonly parts?: readonly Part<Row>[];
  /** The field with the secret of the object itself, which is sent with it. */
  readonly secretField?: string;
  /** Paths of fields with which the installation forgets the secret, so that it is sent again. */
  readonly secretBoundTo?: readonly string[];
  /** Paths of fields that never change, of a field that may. */
  readonly fixed?: readonly string[];
  /** A secret that passes the API's validation, for checking documents. Absent: any text passes. */
  readonly sampleSecret?: string;
  /** Whether the answer of `create` has a secret that is shown once. */
  showsSecret?(spec: Values): boolean;
  /** What the answer of `create` says, if it is not the object itself. */
  created?(answer: unknown): { readonly id: string; readonly secret: string | undefined };

  operations(place: Place): Operations;
  list(api: Api, place: Place): Promise<Row[]>;
  idOf(row: Row): string;
  /** Fields of the installation as a document has them; undefined: not a thing to configure. */
  read(row: Row, names: Names): { readonly name: string; readonly spec: Values } | undefined;
  /** Of a kind without names: what identifies it. */
  nameOf?(spec: Values): string;
  references(spec: Values): Reference[];
  /** The body of create and update, for the fields that are not parts. */
  body(spec: Values, ids: Ids, name: string, resolve: Resolve): Values;
  /** Brings both sides to one form, for comparing. */
  normal?(spec: Values): Values;
  secretPreviewOf?(row: Row): string | null;
  /** The instant of the last change, to notice changes by others. */
  changedAt?(row: Row): string;
  /** Why an export leaves the object out; undefined: it is exported. */
  ended?(row: Row): string | undefined;
  /** Why this state of the object cannot be changed; undefined: it can be. */
  refusal?(row: Row): string | undefined;
}

/** `acme/Provider openai`, for people. */
export function titleOf({ kind, organisation, name, ordinal }: Identity): string {
  const number = ordinal === 1 ? '' : `#${String(ordinal)}`;
  return `${kind} ${organisation === null ? '' : `${organisation}/`}${name}${number}`;
}

export function keyOf({ kind, organisation, name, ordinal }: Identity): string {
  return JSON.stringify([kind, organisation, name, ordinal]);
}
