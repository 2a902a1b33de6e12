// Each vendor's demands on names and schemas, by its documentation.

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
  /** Servers that use the vendor's formats: the schemas they accept are unknown. */
  openaiCompatible: {
    names: NAME_RULES.openai,
    holds: WHERE_STRICT,
    allRequired: false,
    objectRoots: true,
  },
  /** vLLM enforces any schema. */
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
