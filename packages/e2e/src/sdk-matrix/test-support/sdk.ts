// One face for all the vendors' SDKs, so that a case is written once. A file beside this one drives
// each; what an application would do with that SDK is done there and nowhere else.

import { z } from 'zod';

/** What a user says: text, or an image by its address or data URL. */
export type Part = string | { readonly image: string };

export interface Tool {
  readonly name: string;
  readonly parameters: { readonly type: 'object'; readonly properties: Record<string, object> };
}

export interface Settings {
  readonly model: string;
  readonly stream: boolean;
  readonly tools?: readonly Tool[];
  /** Asks for the FORECAST, and reads it with the SDK's own help where there is one. */
  readonly structured?: boolean;
  /** Asks for thinking, as little as there is, and to be shown it. */
  readonly thinks?: boolean;
  readonly maxTokens?: number;
  readonly stopSequence?: string;
  /** Makes the temperature a word, which no format takes. */
  readonly malformed?: boolean;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
}

/** Disjoint, however the vendor counts; reasoning is a part of output. */
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
  /** What the SDK made of structured output. */
  readonly parsed?: unknown;
}

/** A conversation keeps what the SDK gave and hands it back as it was, as applications do. */
export interface Conversation {
  ask(parts: readonly Part[]): Promise<Said>;
  /** Answers every call of the last turn. */
  answer(result: (call: Call) => string): Promise<Said>;
}

/** What an application can learn from an error that the SDK raised. */
export interface Refusal {
  /** The class, which is the SDK's own: anything else is not told apart from a bug. */
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
  /** Calls a route of the vendor's that the gateway does not have. */
  unknownRoute(): Promise<unknown>;
}

export interface Sdk {
  readonly name: string;
  /** Of the versions of it that there are here. */
  readonly newest: boolean;
  readonly format: 'openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini-generate';
  readonly open: (access: Access) => Client;
  /** Throws the error again if it is none of the SDK's own. */
  readonly refusalOf: (error: unknown) => Refusal;
  readonly stopWords: Readonly<Record<Stop, string>>;
  /** The class and the type of an error that came with this status. */
  readonly errors: Readonly<Record<Status, readonly [error: string, type: string]>>;
  /** The type of an error of ours that has another than the rest of its status. */
  readonly ownTypes?: Readonly<Record<string, string>>;
  /** The same of one that came inside a stream, where no status can tell. */
  readonly midStream: readonly [error: string, type: string | undefined];
}

/** The statuses that the gateway's clients can meet. */
export type Status = 400 | 401 | 402 | 403 | 404 | 429 | 502 | 503;

/** A refusal is spelled out in words of the model's; a filter says nothing. */
export type Stop = 'stop' | 'length' | 'tool_calls' | 'stop_sequence' | 'refusal' | 'filter';

/** What an application is to see of an error of ours. */
export function expectedOf(sdk: Sdk, { status, code }: { status: Status; code: string }) {
  const [error, type] = sdk.errors[status];
  return { error, status, code, type: sdk.ownTypes?.[code] ?? type };
}

export interface Access {
  readonly url: string;
  readonly key: string;
  /** How often a failed call is sent again; absent: as the SDK does by itself. */
  readonly retries?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
}

/** The answer that is asked for by schema, and what the simulator makes up for it. */
export const FORECAST = z.object({ city: z.string(), celsius: z.number() });

export interface Attempt {
  readonly status: number;
  readonly headers: Headers;
}

/** A `fetch` that notes every request that really went out, retries included. */
export function createRecorder(): { fetch: typeof fetch; attempts: readonly Attempt[] } {
  const attempts: Attempt[] = [];
  const recording: typeof fetch = async (input, init) => {
    // One SDK brings a dispatcher that the fetch of the test runner cannot take.
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
