// What a provider keeps of responses: read, deleted, cancelled by its id, with no body and no model. The
// request goes to the connection that made it, and what it answers comes back as it is.

import { emptyUsage, gatewayError } from '@tollgate/contracts';
import { FORMATS } from '../formats';
import { renameModel } from '../formats/model-name';
import { createPassage } from './passage';
import { objectIn } from './answer';
import type { Job, Target } from './job';
import type { Payload } from '../upstream/payload';

/** The ids in a path, by the names of their places, and the query as the client wrote it. */
export type StoredInlet = {
  ids: Readonly<Record<string, string>>;
  query: string;
};

type StoredRow = {
  /** The place of the id that decides whose it is. */
  owner: string;
  /** The query may ask for events. */
  streams?: true;
};

const STORED = {
  response_retrieve: { owner: 'response_id', streams: true },
  response_delete: { owner: 'response_id' },
  response_cancel: { owner: 'response_id' },
  response_input_items: { owner: 'response_id' },
} as const satisfies Record<string, StoredRow>;

export type StoredOperation = keyof typeof STORED;

export function isStored(operation: string): operation is StoredOperation {
  return Object.hasOwn(STORED, operation);
}

const ID = /^[A-Za-z0-9_-]{1,256}$/;
const QUERY_CHARACTERS = 4_096;
const JSON_TYPE = 'application/json';
const EVENTS_TYPE = 'text/event-stream';
const FREE = { usage: emptyUsage(), free: true } as const;

/** @throws GatewayError `invalid_request`, naming the id or the query */
export function storedJob(operation: StoredOperation, { ids, query }: StoredInlet): Job {
  const { owner, streams }: StoredRow = STORED[operation];
  checkIds(ids);
  const asked = queryOf(query);
  const stream = streams === true && asked.get('stream') === 'true';
  const place: Payload['place'] = { ids, query: asked.toString() };
  const storedId = ids[owner] ?? '';
  return {
    model: '',
    provider: undefined,
    stream,
    growing: false,
    choices: 1,
    maxOutputTokens: 0,
    inputTokensEstimate: 0,
    audioInputTokensEstimate: 0,
    textOutput: true,
    unitsEstimate: {},
    previousResponseId: '',
    storedId,
    free: true,
    talk: (target) => {
      const format = FORMATS[target.endpoint.format];
      return {
        encode: () => ({
          body: '',
          contentType: '',
          accept: stream ? EVENTS_TYPE : JSON_TYPE,
          dropped: [],
          place,
        }),
        follow: () =>
          stream ? createPassage(format, format, replyContext(target), ONE) : undefined,
        countsOnly: false,
        read: (answer) => {
          const stored = objectIn(answer);
          return {
            body: renameModel(format.name, answer.bytes, target.context.model),
            contentType: JSON_TYPE,
            report: { ...FREE, responseId: storedId, stored },
          };
        },
        refused: (status, headers, body) => {
          const error = format.decodeError(status, headers, body);
          if (status !== 404) return error;
          return gatewayError('stored_object_not_found', error.message);
        },
      };
    },
  };
}

const ONE = { choices: 1, runningUsage: false };

function replyContext({ context }: Target) {
  return { ...context, includeUsage: true };
}

function checkIds(ids: StoredInlet['ids']): void {
  for (const [param, id] of Object.entries(ids)) {
    if (ID.test(id)) continue;
    const message = `${param}: must be 1 to 256 letters, numbers, underscores or dashes.`;
    throw gatewayError('invalid_request', message, { param });
  }
}

// Parameters are the provider's to check. The version of its interface is the gateway's setting.
function queryOf(query: string): URLSearchParams {
  if (query.length > QUERY_CHARACTERS) {
    const message = `The query must have at most ${QUERY_CHARACTERS} characters.`;
    throw gatewayError('invalid_request', message, { param: 'query' });
  }
  const asked = new URLSearchParams(query);
  asked.delete('api-version');
  return asked;
}
