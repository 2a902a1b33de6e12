import type { TryFormat } from '../../api/dry-run';

// What can be tried as a key, and with what it begins.

export const FORMAT_CHOICES: readonly { readonly value: TryFormat; readonly label: string }[] = [
  { value: 'unified', label: 'Gateway chat (/v1/llm/chat)' },
  { value: 'chat', label: 'Chat completions (/v1/chat/completions)' },
  { value: 'responses', label: 'Responses (/v1/responses)' },
  { value: 'messages', label: 'Messages (/v1/messages)' },
  { value: 'gemini', label: 'Generate content (/v1beta/models)' },
  { value: 'embeddings', label: 'Embeddings (/v1/embeddings)' },
];

/** A body to begin with. */
export function bodyFor(format: TryFormat, model: string): string {
  return JSON.stringify(exampleOf(format, model), null, 2);
}

function exampleOf(format: TryFormat, model: string): object {
  const messages = [{ role: 'user', content: 'Hello' }];
  switch (format) {
    case 'unified':
    case 'chat':
    case 'messages':
      return { model, max_tokens: 200, messages };
    case 'responses':
      return { model, max_output_tokens: 200, input: 'Hello' };
    case 'gemini':
      return {
        contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
        generationConfig: { maxOutputTokens: 200 },
      };
    case 'embeddings':
      return { model, input: 'Hello' };
  }
}

/** The body as an object; undefined: it is no JSON object. */
export function bodyIn(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
    return { ...value };
  } catch {
    return undefined;
  }
}
