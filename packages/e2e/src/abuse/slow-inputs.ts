import { runOf } from './bodies';
import { talk, type Conversation, type Seen } from './client';
import {
  KEY_STATES,
  keyLines,
  type Input,
  type KeyState,
  type Outcome,
  type Target,
} from './input';
import { postHead } from './json-inputs';
import { MIB } from './limits';

// Many bodies at once that seem never to end, and forms: memory and files held for unknown callers.

const BODY_BYTES = 20 * MIB;
const SLICE_BYTES = 64 * 1024;
/** How long the last byte is withheld after all the others. */
const WITHHELD_MS = 3_000;
const BOUNDARY = 'abuse-boundary';
/** The limit for a form of an unknown caller. */
const UPLOADED_MOST_BYTES = 0;
const UPLOADED_EVERY_MS = 50;

interface Framing {
  readonly lengthLine: string;
  readonly frame: (bytes: Buffer) => Buffer;
  readonly end: string;
}

const FRAMINGS: Readonly<Record<'length' | 'chunked', Framing>> = {
  length: {
    lengthLine: `content-length: ${String(BODY_BYTES)}`,
    frame: (bytes) => bytes,
    end: '',
  },
  chunked: {
    lengthLine: 'transfer-encoding: chunked',
    frame: (bytes) =>
      Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]),
    end: '0\r\n\r\n',
  },
};

interface BodyKind {
  readonly name: string;
  readonly path: string;
  readonly contentType: string;
  readonly open: string;
  readonly close: string;
  readonly isForm: boolean;
}

const JSON_BODY: BodyKind = {
  name: 'JSON',
  path: '/v1/chat/completions',
  contentType: 'application/json',
  open: '{"model":"chat","messages":[{"role":"user","content":"',
  close: '"}]}',
  isForm: false,
};

function formBody(name: string, path: string, field: string): BodyKind {
  const disposition = (rest: string): string => `content-disposition: form-data; ${rest}\r\n`;
  return {
    name,
    path,
    contentType: `multipart/form-data; boundary=${BOUNDARY}`,
    open:
      `--${BOUNDARY}\r\n${disposition('name="model"')}\r\nchat\r\n` +
      `--${BOUNDARY}\r\n${disposition('name="prompt"')}\r\nHello there\r\n` +
      `--${BOUNDARY}\r\n${disposition(`name="${field}"; filename="a.bin"`)}` +
      'content-type: application/octet-stream\r\n\r\n',
    close: `\r\n--${BOUNDARY}--\r\n`,
    isForm: true,
  };
}

const TRANSCRIPTION = formBody('audio form', '/v1/audio/transcriptions', 'file');
const IMAGE_EDIT = formBody('image form', '/v1/images/edits', 'image');

function bodyOf({ open, close }: BodyKind): Buffer {
  const body = runOf(open, 'a', close)(BODY_BYTES);
  if (body.length !== BODY_BYTES) throw new Error('the body does not have the size it is said to');
  return body;
}

async function sendSlowly(
  { send, wait }: Conversation,
  head: string,
  body: Buffer,
  framing: Framing,
): Promise<void> {
  let open = await send(head);
  const last = body.length - 1;
  for (let at = 0; open && at < last; at += SLICE_BYTES) {
    open = await send(framing.frame(body.subarray(at, Math.min(at + SLICE_BYTES, last))));
  }
  if (!open || !(await wait(WITHHELD_MS))) return;
  if (await send(framing.frame(body.subarray(last)))) await send(framing.end);
}

/** The largest size of the edge's upload files during `work`. */
async function mostUploaded(target: Target, work: Promise<unknown>): Promise<number> {
  let most = 0;
  const timer = setInterval(() => {
    void target.uploadedBytes().then((bytes) => (most = Math.max(most, bytes)));
  }, UPLOADED_EVERY_MS);
  await work;
  clearInterval(timer);
  return most;
}

function withheld(
  kind: BodyKind,
  framingName: keyof typeof FRAMINGS,
  connections: number,
  keyState: KeyState,
): Input {
  const framing = FRAMINGS[framingName];
  return {
    name: `${String(connections)} × 20 MiB ${kind.name}, last byte withheld (${framingName}), ${keyState}`,
    run: async (target): Promise<Outcome> => {
      const body = bodyOf(kind);
      const head = postHead(
        kind.path,
        keyLines(keyState, target),
        framing.lengthLine,
        kind.contentType,
      );
      const all = Promise.all(
        Array.from({ length: connections }, () =>
          talk({
            port: target.port,
            signal: target.signal,
            say: (conversation) => sendSlowly(conversation, head, body, framing),
          }),
        ),
      );
      const uploaded = await mostUploaded(target, all);
      const early = kind.isForm && keyState !== 'good key' && uploaded > UPLOADED_MOST_BYTES;
      return {
        answers: (await all).flat(),
        breaches: early
          ? [`${(uploaded / MIB).toFixed(0)} MiB were in UPLOAD_DIR before the key was known`]
          : [],
      };
    },
  };
}

const TRICKLE_CONNECTIONS = 200;
const TRICKLE_BYTES = 8;
const TRICKLE_EVERY_MS = 1_000;

/** One byte per second for the length of a row; then the caller disconnects. */
function trickled(where: 'headers' | 'body', keyState: KeyState): Input {
  return {
    name: `${String(TRICKLE_CONNECTIONS)} × one byte a second in the ${where}, ${keyState}`,
    run: async (target): Promise<Outcome> => {
      const keys = keyLines(keyState, target);
      const start: Readonly<Record<typeof where, string>> = {
        headers: `POST ${JSON_BODY.path} HTTP/1.1\r\nhost: edge\r\n${keys}x-slow: `,
        body: postHead(JSON_BODY.path, keys, 'content-length: 1000'),
      };
      const one = (): Promise<Seen[]> =>
        talk({
          port: target.port,
          signal: target.signal,
          hangUp: true,
          say: async ({ send, wait }) => {
            let open = await send(start[where]);
            for (let n = 0; open && n < TRICKLE_BYTES; n += 1) {
              open = (await wait(TRICKLE_EVERY_MS)) && (await send(' '));
            }
          },
        });
      const answers = await Promise.all(Array.from({ length: TRICKLE_CONNECTIONS }, one));
      return { answers: answers.flat() };
    },
  };
}

const FEW = 40;
const MANY = 200;

export const SLOW_INPUTS: readonly Input[] = [
  ...KEY_STATES.flatMap((keyState) => [
    withheld(JSON_BODY, 'length', FEW, keyState),
    withheld(JSON_BODY, 'chunked', FEW, keyState),
    withheld(JSON_BODY, 'length', MANY, keyState),
    withheld(JSON_BODY, 'chunked', MANY, keyState),
    withheld(TRANSCRIPTION, 'length', 1, keyState),
    withheld(IMAGE_EDIT, 'length', 1, keyState),
    withheld(TRANSCRIPTION, 'length', FEW, keyState),
    withheld(IMAGE_EDIT, 'chunked', FEW, keyState),
    withheld(TRANSCRIPTION, 'chunked', MANY, keyState),
  ]),
  trickled('headers', 'made-up key'),
  trickled('body', 'made-up key'),
  trickled('body', 'good key'),
];
