// One interface for all the vendors' SDKs, so that each case exists once. Each driver in this
// folder contains whatever an application would do with its SDK.

import { z } from 'zod';

/** A part of a user's message: text, or an image by URL or data URL. */
export type Part = string | { readonly image: string };

export interface Tool {
  readonly name: string;
  readonly parameters: { readonly type: 'object'; readonly properties: Record<string, object> };
}

export interface Settings {
  readonly model: string;
  readonly stream: boolean;
  readonly tools?: readonly Tool[];
  /** Requests the FORECAST schema, and parses it with the SDK's own helper where there is one. */
  readonly structured?: boolean;
  /** Requests the smallest amount of thinking, included in the answer. */
  readonly thinks?: boolean;
  readonly maxTokens?: number;
  readonly stopSequence?: string;
  /** Sets the temperature to a word, which no format accepts. */
  readonly malformed?: boolean;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Disjoint classes for every vendor; reasoning is a part of output. */
export interface Usage {
  readonly input: number;
  readonly cacheRead: number;
  readonly output: number;
  readonly reasoning: number;
}

export interface Said {
  readonly text: string;
  readonly thinking: string;
  readonly calls: readonly Call[];
  /** The format's own word. */
  readonly stop: string;
  readonly usage: Usage;
  /** The structured output as the SDK parsed it. */
  readonly parsed?: unknown;
}

/** A conversation keeps the SDK's objects and returns them unchanged, as applications do. */
export interface Conversation {
  ask(parts: readonly Part[]): Promise<Said>;
  /** Answers every call of the last turn. */
  answer(result: (call: Call) => string): Promise<Said>;
}

/** The fields of an SDK's error that an application can read. */
export interface Refusal {
  /** The class, which must be one of the SDK's own to differ from a bug. */
  readonly error: string;
  /** Absent for errors inside a stream. */
  readonly status?: number | undefined;
  readonly code: string | undefined;
  readonly type: string | undefined;
  readonly param?: string | undefined;
  readonly message: string;
}

export interface Client {
  converse(settings: Settings): Conversation;
  /** Calls a route of the vendor that the gateway lacks. */
  unknownRoute(): Promise<unknown>;
}

export interface Sdk {
  readonly name: string;
  /** Whether it is the newest installed version of its SDK. */
  readonly newest: boolean;
  readonly format: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini-generate';
  readonly open: (access: Access) => Client;
  /** Rethrows an error that is not the SDK's own. */
  readonly refusalOf: (error: unknown) => Refusal;
  readonly stopWords: Readonly<Record<Stop, string>>;
  /** The class and the type of an error with this status. */
  readonly errors: Readonly<Record<Status, readonly [error: string, type: string]>>;
  /** The type of a gateway error that differs from the others of its status. */
  readonly ownTypes?: Readonly<Record<string, string>>;
  /** The class and the type of an error inside a stream, which has no status. */
  readonly midStream: readonly [error: string, type: string | undefined];
}

/** The statuses that clients can get. */
export type Status = 400 | 401 | 402 | 403 | 404 | 429 | 502 | 503;

/** A refusal has the model's own words; a filter has none. */
export type Stop = 'stop' | 'length' | 'tool_calls' | 'stop_sequence' | 'refusal' | 'filter';

/** The fields of a gateway error as an application sees them. */
export function expectedOf(sdk: Sdk, { status, code }: { status: Status; code: string }) {
  const [error, type] = sdk.errors[status];
  return { error, status, code, type: sdk.ownTypes?.[code] ?? type };
}

export interface Access {
  readonly url: string;
  readonly key: string;
  /** The number of retries of a failed call; absent: the SDK's default. */
  readonly retries?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

/** The schema that a case requests, and the answer that the simulator makes up for it. */
export const FORECAST = z.object({ city: z.string(), celsius: z.number() });

export interface Attempt {
  readonly status: number;
  readonly headers: Headers;
}

/** A `fetch` that records every request on the wire, retries included. */
export function createRecorder(): { fetch: typeof fetch; attempts: readonly Attempt[] } {
  const attempts: Attempt[] = [];
  const recording: typeof fetch = async (input, init) => {
    // One SDK sets a dispatcher that the test runner's fetch does not accept.
    const { dispatcher: _, ...rest }: RequestInit & { dispatcher?: unknown } = init ?? {};
    try {
      const response = await fetch(input, rest);
      attempts.push({ status: response.status, headers: response.headers });
      return response;
    } catch (error) {
      attempts.push({ status: NO_ANSWER, headers: new Headers() });
      throw error;
    }
  };
  return { fetch: recording, attempts };
}

const NO_ANSWER = 0;

export function textIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function objectIn(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
