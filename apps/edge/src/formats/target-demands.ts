// What each vendor demands of names and schemas, as its documentation says.

import type { Demands } from './fitted-request';
import { SCHEMA_RULES } from './schema-rules';
import { NAME_RULES } from './tool-names';

const WHERE_STRICT = { answers: 'strict', tools: 'strict' } as const;

export const DEMANDS = {
  openai: {
    names: NAME_RULES.openai,
    schemas: SCHEMA_RULES.openai,
    knownIn: new Set(['openai-chat', 'openai-responses', 'unified']),
    holds: WHERE_STRICT,
    allRequired: true,
    objectRoots: true,
  },
  /** Servers that speak the vendor's formats: which schemas they take is not known. */
  openaiCompatible: {
    names: NAME_RULES.openai,
    holds: WHERE_STRICT,
    allRequired: false,
    objectRoots: true,
  },
  /** vLLM holds models to any schema. */
  vllm: { names: NAME_RULES.openai, holds: WHERE_STRICT, allRequired: false, objectRoots: false },
  anthropic: {
    names: NAME_RULES.anthropic,
    schemas: SCHEMA_RULES.anthropic,
    holds: { answers: 'always', tools: 'strict' },
    allRequired: false,
    objectRoots: true,
    strictTools: 20,
  },
  gemini: {
    names: NAME_RULES.gemini,
    schemas: SCHEMA_RULES.gemini,
    holds: { answers: 'always', tools: 'always' },
    allRequired: false,
    objectRoots: false,
  },
} as const satisfies Readonly<Record<string, Demands>>;
