import { z } from 'zod';

// Parses the gateway's streamed chat. Pure: chat.ts decodes bytes and measures time.

/** One event of a stream: a `data:` line or a comment line. */
export type StreamEvent = { readonly data: string } | { readonly comment: string };

/** Assembles events from arbitrary chunks of text. */
export function createEventReader(): (piece: string) => StreamEvent[] {
  let rest = '';
  return (piece) => {
    const lines = `${rest}${piece}`.split(/\r?\n/);
    rest = lines.pop() ?? '';
    return lines.flatMap((line): StreamEvent[] => {
      if (line.startsWith('data:')) return [{ data: line.slice(5).trim() }];
      return line.startsWith(':') ? [{ comment: line.slice(1).trim() }] : [];
    });
  };
}

/** An error of the gateway, as in its error table. */
export interface ChatError {
  readonly code: string;
  readonly message: string;
}

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  /** The model's raw JSON. */
  readonly arguments: string;
}

export interface Answer {
  readonly text: string;
  /** By their index in the response. */
  readonly toolCalls: readonly ToolCall[];
  readonly tokensIn: number | undefined;
  readonly tokensOut: number | undefined;
  readonly costUsd: string | undefined;
  readonly stopReason: string | undefined;
  readonly error: ChatError | undefined;
  /** The stream ended with its terminal event. */
  readonly complete: boolean;
}

export const EMPTY_ANSWER: Answer = {
  text: '',
  toolCalls: [],
  tokensIn: undefined,
  tokensOut: undefined,
  costUsd: undefined,
  stopReason: undefined,
  error: undefined,
  complete: false,
};

const errorBody = z.object({
  error: z.object({ code: z.string().nullish(), type: z.string().nullish(), message: z.string() }),
});
const callPiece = z.object({
  index: z.int().min(0).max(255),
  id: z.string().nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }).nullish(),
});
const chunk = z.object({
  choices: z
    .array(
      z.object({
        delta: z
          .object({
            content: z.string().nullish(),
            refusal: z.string().nullish(),
            tool_calls: z.array(callPiece).nullish(),
          })
          .optional(),
        finish_reason: z.string().nullish(),
      }),
    )
    .optional(),
  comment: z.string().nullish(),
  usage: z.object({ prompt_tokens: z.number(), completion_tokens: z.number() }).nullish(),
});

const COST = 'x-tollgate-cost-usd:';

/** Adds one event to the reply. */
export function read(answer: Answer, event: StreamEvent): Answer {
  if ('comment' in event) return { ...answer, ...costIn(event.comment) };
  if (event.data === '[DONE]') return { ...answer, complete: true };
  const value = jsonOf(event.data);
  const error = chatErrorIn(value);
  if (error !== undefined) return { ...answer, error };
  const parsed = chunk.safeParse(value);
  if (!parsed.success) {
    return {
      ...answer,
      error: {
        code: 'unexpected_answer',
        message: 'The stream contains an event that cannot be read.',
      },
    };
  }
  const { choices, comment, usage } = parsed.data;
  const [choice] = choices ?? [];
  const piece = choice?.delta?.content ?? choice?.delta?.refusal ?? '';
  return {
    ...answer,
    text: answer.text + piece,
    toolCalls: (choice?.delta?.tool_calls ?? []).reduce(withPiece, answer.toolCalls),
    stopReason: choice?.finish_reason ?? answer.stopReason,
    ...costIn(comment ?? ''),
    tokensIn: usage?.prompt_tokens ?? answer.tokensIn,
    tokensOut: usage?.completion_tokens ?? answer.tokensOut,
  };
}

function costIn(comment: string): Partial<Answer> {
  return comment.startsWith(COST) ? { costUsd: comment.slice(COST.length).trim() } : {};
}

function withPiece(
  calls: readonly ToolCall[],
  { index, id, function: said }: z.output<typeof callPiece>,
): readonly ToolCall[] {
  const call = calls[index] ?? { id: '', name: '', arguments: '' };
  return calls.toSpliced(index, 1, {
    id: id ?? call.id,
    name: said?.name ?? call.name,
    arguments: call.arguments + (said?.arguments ?? ''),
  });
}

/** The error of a body or an event; undefined when there is none. */
export function chatErrorIn(value: unknown): ChatError | undefined {
  const parsed = errorBody.safeParse(value);
  if (!parsed.success) return undefined;
  const { code, type, message } = parsed.data.error;
  return { code: code ?? type ?? 'error', message };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not an object; the schemas refuse it.
    return undefined;
  }
}
