// What a chat request asks for, whatever the format it came in. The simulator's own notion: it knows
// only what decides the answer.

import type { JsonObject } from './json';
import type { InputCount } from './tokens';

export interface Tool {
  name: string;
  kind: 'function' | 'custom';
  /** JSON schema. */
  parameters: unknown;
}

export interface Ask {
  /** The last turn, which is what is answered. */
  said: { by: 'user' | 'tool' | 'other'; text: string };
  tools: Tool[];
  choice: {
    mode: 'auto' | 'none' | 'required';
    /** Only these tools may be called; undefined: any. */
    only?: string[];
    parallel: boolean;
  };
  /** Answer with JSON, to a schema if there is one. */
  json?: { schema: unknown };
  stops: string[];
  /** The most tokens one choice may have. */
  bound: number | undefined;
  /** Whether it asks for thinking. */
  thinks: boolean;
  /** Whether it asks for citations. */
  cites: boolean;
  choices: number;
  /** What the directive `params` answers with: the body without the conversation. */
  params: JsonObject;
  count: InputCount;
}
