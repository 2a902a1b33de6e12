import { chatErrorIn, createEventReader, EMPTY_ANSWER, read, type Answer } from './stream';
import type { Tool } from './tools';

// One chat request through the console's server, which holds the key.

export interface ImageBlock {
  readonly type: 'image_url';
  readonly image_url: { readonly url: string };
}

export interface Message {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
  /** Pictures in addition to the text. */
  readonly content_blocks?: readonly ImageBlock[];
}

export interface ChatRequest {
  readonly model: string;
  readonly messages: readonly Message[];
  readonly temperature?: number;
  readonly top_p?: number;
  readonly max_tokens?: number;
  readonly tools?: readonly Tool[];
}

export type Reply = Answer & {
  readonly requestId: string | undefined;
  /** HTTP status of a refusal; 200 once the response started. */
  readonly status: number | undefined;
  readonly provider: string | undefined;
  readonly firstMs: number | undefined;
  readonly totalMs: number | undefined;
};

export const EMPTY_REPLY: Reply = {
  ...EMPTY_ANSWER,
  requestId: undefined,
  status: undefined,
  provider: undefined,
  firstMs: undefined,
  totalMs: undefined,
};

/**
 * Calls back with the growing reply and resolves with the complete one. Rejects only when aborted.
 */
export async function chat(
  organisationId: string,
  request: ChatRequest,
  signal: AbortSignal,
  onReply: (reply: Reply) => void,
): Promise<Reply> {
  const startedMs = performance.now();
  let reply = EMPTY_REPLY;
  const set = (changes: Partial<Reply>): void => {
    reply = { ...reply, ...changes };
    onReply(reply);
  };
  try {
    const answer = await fetch(
      `/api/organisations/${encodeURIComponent(organisationId)}/playground/chat`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(request),
        signal,
      },
    );
    set({
      status: answer.status,
      requestId: answer.headers.get('x-request-id') ?? undefined,
      provider: answer.headers.get('x-tollgate-provider') ?? undefined,
    });
    if (!answer.ok || answer.body === null) set({ error: await refusalIn(answer) });
    else await readAll(answer.body, startedMs, () => reply, set);
  } catch (error) {
    if (signal.aborted) throw error;
    set({ error: { code: 'unreachable', message: 'The connection was lost.' } });
  }
  if (reply.error === undefined && !reply.complete) {
    set({ error: { code: 'incomplete', message: 'The response ended early.' } });
  }
  set({ totalMs: performance.now() - startedMs });
  return reply;
}

async function readAll(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  startedMs: number,
  current: () => Reply,
  set: (changes: Partial<Reply>) => void,
): Promise<void> {
  const events = createEventReader();
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const before = current();
    const after = events(value).reduce<Answer>(read, before);
    const first = before.firstMs === undefined && (after.text !== '' || after.toolCalls.length > 0);
    set({ ...after, ...(first ? { firstMs: performance.now() - startedMs } : {}) });
  }
}

async function refusalIn(answer: Response): Promise<{ code: string; message: string }> {
  const text = await answer.text();
  try {
    const error = chatErrorIn(JSON.parse(text));
    if (error !== undefined) return error;
  } catch {
    // Not JSON: a proxy in front of the console responded.
  }
  return { code: String(answer.status), message: answer.statusText || 'The request was refused.' };
}
