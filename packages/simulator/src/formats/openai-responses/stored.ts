// Stored responses, per key: read, streamed again, cancelled and deleted by id. Each read of a
// background response advances it by one step, so nothing here depends on time.

import { emptyUsage, type BillLine } from '../../bill';
import { countOf, textOf, type JsonObject } from '../../json';
import type { StoredResponse } from '../../memory';
import {
  EVENT_STREAM,
  invalid,
  isProblem,
  json,
  type Call,
  type Problem,
  type Reply,
} from '../../reply';

/** The default number of reads until a background response is complete. */
const USUAL_STEPS = 2;

export type Finished = 'completed' | 'incomplete' | 'failed' | 'cancelled';

export interface Work {
  call: Call;
  /** Earlier items, and the input of this request. */
  items: JsonObject[];
  input: JsonObject[];
  output: JsonObject[];
  tokens: number;
  /** The status in which it ends by itself. */
  ends: Exclude<Finished, 'cancelled'>;
  /** The response object in a given status. */
  object: (status: Finished | 'queued' | 'in_progress') => JsonObject;
  events: () => string[];
  /** Called once, when it has ended by itself. */
  ended?: () => void;
  line: (generated: number) => Omit<BillLine, 'completed' | 'generatedTokens'>;
}

export function createStored(work: Work): StoredResponse {
  const { call, ends, items, output, tokens } = work;
  const background = call.body['background'] === true;
  const steps = call.directives.steps ?? USUAL_STEPS;
  let looks = 0;
  let finished: Finished | undefined = background ? undefined : ends;

  const finish = (status: Finished): void => {
    if (finished !== undefined) return;
    finished = status;
    const generated = status === 'cancelled' ? Math.floor((tokens * looks) / steps) : tokens;
    const completed = status !== 'cancelled';
    call.charge({ ...work.line(generated), completed, generatedTokens: generated });
    if (completed) work.ended?.();
  };
  const now = (): JsonObject => work.object(finished ?? (looks === 0 ? 'queued' : 'in_progress'));

  return {
    items: [...items, ...output],
    input: work.input.map((item, at) => listed(item, `${call.id}_${at}`)),
    background,
    streams: background && call.body['stream'] === true,
    now,
    look() {
      looks += 1;
      if (looks >= steps) finish(ends);
      return now();
    },
    cancel() {
      finish('cancelled');
      return now();
    },
    replay() {
      finish(ends);
      return work.events();
    },
  };
}

/** An item as returned in lists. */
export function listed(item: JsonObject, key: string): JsonObject {
  if (item['type'] !== undefined && item['type'] !== 'message')
    return { id: `item_${key}`, ...item };
  const { content } = item;
  const parts = typeof content === 'string' ? [{ type: 'input_text', text: content }] : content;
  return { id: `msg_in_${key}`, type: 'message', status: 'completed', ...item, content: parts };
}

function keyOf({ apiKey, ids }: Call): string {
  return `${apiKey} ${ids['response_id'] ?? ''}`;
}

function found(call: Call): StoredResponse | Problem {
  const known = call.memory.responses.get(keyOf(call));
  if (known !== undefined) return known;
  const message = `Response with id '${call.ids['response_id'] ?? ''}' not found.`;
  return { status: 404, code: null, message };
}

export function retrieve(call: Call): Reply | Problem {
  const stored = found(call);
  if (isProblem(stored)) return stored;
  if (call.query.get('stream') !== 'true') return answered(stored.look());
  if (!stored.streams) {
    return invalid(
      'This response cannot be streamed: it was not created with background=true and stream=true.',
      'stream',
    );
  }
  const after = Number(call.query.get('starting_after') ?? -1);
  const events = stored.replay().filter((event) => numberOf(event) > after);
  return {
    ...answered({}),
    stream: {
      type: EVENT_STREAM,
      frames: events.map((text) => ({ text, tokens: 0 })),
      ending: () => '',
      problem: () => undefined,
      garbage: '',
      keepAlive: '',
    },
  };
}

function numberOf(event: string): number {
  return Number(/"sequence_number":(\d+)\}\n\n$/.exec(event)?.[1] ?? -1);
}

export function cancel(call: Call): Reply | Problem {
  const stored = found(call);
  if (isProblem(stored)) return stored;
  if (!stored.background) return invalid('Cannot cancel a synchronous response.');
  return answered(stored.cancel());
}

export function remove(call: Call): Reply | Problem {
  const stored = found(call);
  if (isProblem(stored)) return stored;
  call.memory.responses.delete(keyOf(call));
  return answered({ id: call.ids['response_id'], object: 'response.deleted', deleted: true });
}

export function inputItems(call: Call): Reply | Problem {
  const stored = found(call);
  if (isProblem(stored)) return stored;
  return pageOf(stored.input, call.query);
}

const MOST_LISTED = 100;
const USUALLY_LISTED = 20;

/** A page of a list, newest first unless the query says otherwise. */
export function pageOf(items: JsonObject[], query: URLSearchParams): Reply | Problem {
  const limit = Number(query.get('limit') ?? USUALLY_LISTED);
  if (countOf(limit) === undefined || limit < 1 || limit > MOST_LISTED) {
    return invalid(`Invalid 'limit': expected 1 to ${MOST_LISTED}.`, 'limit');
  }
  const ordered = query.get('order') === 'asc' ? items : items.toReversed();
  const after = query.get('after');
  const start = after === null ? 0 : ordered.findIndex(({ id }) => id === after) + 1;
  const data = ordered.slice(start, start + limit);
  return answered({
    object: 'list',
    data,
    first_id: textOf(data[0]?.['id']) || null,
    last_id: textOf(data.at(-1)?.['id']) || null,
    has_more: start + limit < ordered.length,
  });
}

/** An answer that costs nothing and is not billed. */
export function answered(value: JsonObject): Reply {
  return {
    tokens: 0,
    usage: emptyUsage,
    unary: () => json(value),
  };
}
