// What a request asks for, and which model types can do it.
import type { ModelType } from './enums';

const GENERATES_TEXT = ['chat', 'reasoning', 'audio'] as const;
const TEXT_ONLY = ['chat', 'reasoning'] as const;
const EMBEDS = ['embeddings'] as const;
const DRAWS = ['image'] as const;
const LISTENS = ['transcription', 'audio'] as const;

const SERVED_BY = {
  chat: GENERATES_TEXT,
  completions: TEXT_ONLY,
  responses: GENERATES_TEXT,
  embeddings: EMBEDS,
  image_generation: DRAWS,
  image_edit: DRAWS,
  image_variation: DRAWS,
  moderation: ['moderation'],
  transcription: LISTENS,
  translation: LISTENS,
  speech: ['tts', 'audio'],
  tokenize: TEXT_ONLY,
  detokenize: TEXT_ONLY,
  pooling: EMBEDS,
  classify: EMBEDS,
  score: EMBEDS,
  rerank: EMBEDS,
  count_tokens: GENERATES_TEXT,
} as const satisfies Record<string, readonly ModelType[]>;

export type Operation = keyof typeof SERVED_BY;
export const OPERATIONS = Object.keys(SERVED_BY) as readonly Operation[];

/** Whether a model of this type can do the operation; if not: 400 `unsupported_model`. */
export function operationServes(operation: Operation, modelType: ModelType): boolean {
  return (SERVED_BY[operation] as readonly ModelType[]).includes(modelType);
}
