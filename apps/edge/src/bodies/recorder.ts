import type { BodyLeftOut } from '@tollgate/contracts';

import type { BodyRecorder, RecordedBody } from '../exchange/kept-bodies';
import type { Format } from '../formats';
import { createAnswerRecorder } from '../tracing';

/** A larger answer is not read again, whatever is left of it without its media. */
const WHOLE_MOST_BYTES = 8 * 1024 * 1024;
/** A character of a text in memory. */
const CHARACTER_BYTES = 2;

interface RecorderOptions {
  readonly format: Format;
  /** The answer is a conversation's; other streams are not put together. */
  readonly conversation: boolean;
  readonly mostBytes: number;
  /** Memory; false: there is none. */
  readonly take: (bytes: number) => boolean;
}

export function createBodyRecorder(options: RecorderOptions): BodyRecorder {
  const { conversation, format, mostBytes, take } = options;
  const stream = createAnswerRecorder(format, mostBytes, (characters) =>
    take(characters * CHARACTER_BYTES),
  );
  let whole: Pick<Extract<RecordedBody, { kind: 'whole' }>, 'contentType' | 'payload'> | undefined;
  let why: BodyLeftOut | undefined;
  let bytes = 0;
  return {
    keep: (parts) => {
      for (const part of parts) bytes += part.length;
      if (conversation) stream.keep(parts);
    },
    keepWhole: (payload, contentType) => {
      if (payload.length > WHOLE_MOST_BYTES) why = 'TOO_LARGE';
      else if (!take(payload.length)) why = 'QUEUE_FULL';
      else whole = { contentType, payload };
    },
    answer: () => {
      if (why !== undefined) return { kind: 'left-out', why };
      if (whole !== undefined) return { kind: 'whole', ...whole };
      if (bytes === 0) return { kind: 'left-out', why: 'NONE' };
      if (!conversation) return { kind: 'bytes', bytes };
      const { complete, cut, leftOut, response, withoutRoom } = stream.answer();
      if (withoutRoom) return { kind: 'left-out', why: 'QUEUE_FULL' };
      if (cut) return { kind: 'left-out', why: 'TOO_LARGE' };
      if (leftOut) return { kind: 'left-out', why: 'UNREADABLE' };
      return { kind: 'stream', response, complete };
    },
  };
}
