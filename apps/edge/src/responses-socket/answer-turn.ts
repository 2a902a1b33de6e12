// Answers one message: by the ordinary pipeline, or here if it is only a warm-up.

import type { IncomingMessage } from 'node:http';
import { gatewayError, GatewayError } from '@tollgate/contracts';

import { serve, type Gateway } from '../pipeline';
import type { Route } from '../routes';
import { encodeRefusal, errorFrame } from './error-frame';
import { FrameReply, type EndedResponse, type SendFrame } from './frame-reply';
import { markStream } from './frames';
import { outputItems, sizeOf, type PreviousResponse } from './previous-response';
import { readTurn, type Message, type Turn } from './received-turn';
import { turnRequests } from './turn-request';
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
  /** Resolves with the status of the answer when all of it is sent or the client has left. */
  answer: (message: Message) => Promise<number>;
  /** The client has left. */
  abort: () => void;
}

export function createTurnAnswerer(deps: TurnDeps): TurnAnswerer {
  const { gateway, route, req, previous, send, connected } = deps;
  const requestOf = turnRequests(req);
  let running: FrameReply | undefined;

  const answer = async (message: Message): Promise<number> => {
    const turn = await readTurn(gateway, previous, message);
    const { streamId, previousResponseId } = turn;
    const reply = new FrameReply({
      send,
      streamId,
      previousResponseId,
      keepsEnd: turn.items !== undefined,
      eventBytes: gateway.limits.responseBytes,
    });
    const over = new Promise<void>((resolve) => {
      reply.on('close', resolve);
    });
    running = reply;
    if (!connected()) reply.destroy();
    if (turn.kind === 'warm-up') await warmUp(deps, turn, reply);
    else {
      const received = { lease: message.lease, body: turn.body };
      await serve(gateway, route, requestOf(received, turn.traceparent), reply);
    }
    // What is not sent by now never will be.
    if (!reply.writableEnded) reply.destroy();
    await over;
    running = undefined;
    // The client waits for the end of an answer that could not be written as frames.
    if (reply.errored && connected()) {
      send(markStream(errorFrame(gatewayError('upstream_error')), streamId), () => undefined);
    }
    if (turn.items && reply.ended) remember(previous, turn.items, reply.ended);
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
    const { json } = turn.body();
    // What continues a warm-up gets only what is remembered here, so nothing before it may be missing.
    if (turn.continuesElsewhere) throw notRemembered(turn.previousResponseId);
    const { id, events } = warmUpAnswer(json, gateway.wallMs());
    if (turn.items) previous.keep({ id, items: turn.items, bytes: sizeOf(turn.items) });
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

function notRemembered(id: string): GatewayError {
  const text = `The response ${id} is not known on this connection.`;
  return gatewayError('invalid_request', text, { param: 'previous_response_id' });
}

function remember(
  previous: PreviousResponse,
  items: readonly unknown[],
  last: EndedResponse,
): void {
  const { id, status } = last.response;
  if (typeof id !== 'string' || (status !== 'completed' && status !== 'incomplete')) return;
  const bytes = sizeOf(items) + last.bytes;
  previous.keep({ id, items: [...items, ...outputItems(last.response)], bytes });
}
