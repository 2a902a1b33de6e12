import type { ModelType } from '@tollgate/contracts';

/** Lists rarely state a model's type: its methods decide, else its name. */
const BY_METHOD: readonly (readonly [string, ModelType])[] = [
  ['embedContent', 'embeddings'],
  ['embedText', 'embeddings'],
  ['predict', 'image'],
];

const BY_NAME: readonly (readonly [RegExp, ModelType])[] = [
  [/embed|(^|[/-])(bge|e5|gte)-/i, 'embeddings'],
  [/moderation/i, 'moderation'],
  [/whisper|transcri/i, 'transcription'],
  [/(^|[-_/])tts([-_]|$)/i, 'tts'],
  [/dall-e|gpt-image|imagen|stable-diffusion|sdxl|flux/i, 'image'],
  [/realtime|audio/i, 'audio'],
  [/(^|[/-])(o[134])(-|$)|deepseek-r1|(^|[/-])qwq|reason|thinking/i, 'reasoning'],
];

/** The most likely type of a model; `chat` without evidence of another. */
export function typeOf(name: string, methods: readonly string[] = []): ModelType {
  if (!methods.includes('generateContent')) {
    const byMethod = BY_METHOD.find(([method]) => methods.includes(method));
    if (byMethod !== undefined) return byMethod[1];
  }
  return BY_NAME.find(([pattern]) => pattern.test(name))?.[1] ?? 'chat';
}
