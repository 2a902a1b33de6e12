// Answers one message: by the ordinary pipeline, or here if it is only a warm-up.

import type { IncomingMessage } from 'node:http';
import { gatewayError, GatewayError } from '@tollgate/contracts';

import type { JsonObject } from '../formats';
import { objectOf } from '../formats/json';
import { serve, type Gateway } from '../pipeline';
import type { Route } from '../routes';
import { encodeRefusal } from './error-frame';
import { FrameReply, type SendFrame } from './frame-reply';
import { outputItems, type PreviousResponse } from './previous-response';
import { readTurn, type Message, type Turn } from './received-turn';
import { turnRequest } from './turn-request';
import { warmUpAnswer } from './warm-up';

export interface TurnDeps {
  gateway: Gateway;
  route: Route;
  /** The request that opened the connection. */
  req: IncomingMessage;
  keySha256: Buffer;
  previous: PreviousResponse;
  send: SendFrame;
  /** Whether the client is still there. */
  connected: () => boolean;
}

export interface TurnAnswerer {
  /** Resolves with the status of the answer when all of it is sent or the client has left; 0: none was due. */
  answer: (message: Message) => Promise<number>;
  /** The client has left. */
  abort: () => void;
}

export function createTurnAnswerer(deps: TurnDeps): TurnAnswerer {
  const { gateway, route, req, previous, send, connected } = deps;
  let running: FrameReply | undefined;

  const answer = async (message: Message): Promise<number> => {
    const turn = await readTurn(gateway, previous, message);
    if (turn.kind === 'processed') return 0;
    const { streamId, previousResponseId } = turn;
    const reply = new FrameReply({ send, streamId, previousResponseId });
    const over = new Promise<void>((resolve) => {
      reply.on('close', resolve);
    });
    running = reply;
    if (!connected()) reply.destroy();
    if (turn.kind === 'warm-up') await warmUp(deps, turn, reply);
    else {
      const received = { lease: message.lease, body: turn.body };
      await serve(gateway, route, turnRequest(req, received, turn.traceparent), reply);
    }
    // What is not sent by now never will be.
    if (!reply.writableEnded) reply.destroy();
    await over;
    running = undefined;
    if (turn.remembered && reply.ended) remember(previous, turn, reply.ended);
    return reply.status;
  };

  return { answer, abort: () => running?.destroy() };
}

async function warmUp(
  { gateway, keySha256, previous, route }: TurnDeps,
  turn: Turn,
  reply: FrameReply,
): Promise<void> {
  const startMs = gateway.nowMs();
  try {
    if (!(await gateway.policy.confirmKey(keySha256))) throw gatewayError('invalid_api_key');
    const { id, events } = warmUpAnswer(turn.body().json, gateway.wallMs());
    previous.keep({ id, items: turn.items, bytes: turn.bytes });
    reply.writeHead(200, { 'content-type': 'text/event-stream' });
    reply.end(events);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    const { status, headers, body } = encodeRefusal(error);
    reply.writeHead(status, headers);
    reply.end(body);
  }
  gateway.metrics.request(route.path, reply.status, gateway.nowMs() - startMs);
}

function remember(previous: PreviousResponse, turn: Turn, event: JsonObject): void {
  const response = objectOf(event['response']) ?? {};
  const { id, status } = response;
  if (typeof id !== 'string' || (status !== 'completed' && status !== 'incomplete')) return;
  const output = outputItems(response);
  const bytes = turn.bytes + Buffer.byteLength(JSON.stringify(output));
  previous.keep({ id, items: [...turn.items, ...output], bytes });
}
