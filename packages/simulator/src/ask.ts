// A chat request in the simulator's own terms, independent of its format. Holds only what
// determines the answer.

import type { JsonObject } from './json';
import type { InputCount } from './tokens';

export interface Tool {
  name: string;
  kind: 'function' | 'custom';
  /** JSON schema. */
  parameters: unknown;
}

export interface Ask {
  /** The last turn, which the answer refers to. */
  said: { by: 'user' | 'tool' | 'other'; text: string };
  tools: Tool[];
  choice: {
    mode: 'auto' | 'none' | 'required';
    /** Only these tools may be called; undefined: any. */
    only?: string[];
    parallel: boolean;
  };
  /** Answers with JSON, following the schema if there is one. */
  json?: { schema: unknown };
  stops: string[];
  /** The output bound per choice. */
  bound: number | undefined;
  /** Whether the request asks for thinking. */
  thinks: boolean;
  /** Whether the request asks for citations. */
  cites: boolean;
  choices: number;
  /** The answer to the directive `params`: the body without the conversation. */
  params: JsonObject;
  count: InputCount;
}
