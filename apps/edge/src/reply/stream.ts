import type { ServerResponse } from 'node:http';
import { dropImplausibleUsage } from '../exchange/plausible-usage';
import type { AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import type { UpstreamFailure } from '../upstream/failure';
import { answerHeaders } from './answer-headers';
import { outputBoundOf } from '../exchange/output-bound';
import { createOutputBound } from './bound';
import { countStream } from './count';
import { createHoldGrowth } from './hold-growth';
import {
  abandon,
  breakOff,
  complete,
  note,
  stopAtBound,
  stopForBudget,
  type StreamAnswer,
} from './endings';
import { relayedHeader } from './header-text';
import { reportOverlongAnswer } from './overlong-answer';

/**
 * Passes a begun stream on to its end, whoever ends it. Resolves when the client has been answered
 * or has left; `exchange.ending` then says how it went.
 */
export function replyStream(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  answer: StreamAnswer,
): Promise<void> {
  const { res, ending } = exchange;
  const { stream, candidate } = answer;
  const { tap } = stream;
  res.writeHead(200, {
    ...answerHeaders(gateway, exchange, answer),
    'content-type': relayedHeader(tap.contentType),
    'cache-control': 'no-cache',
    'x-accel-buffering': 'no',
  });
  ending.candidate = candidate;
  ending.httpStatus = 200;

  return new Promise((resolve) => {
    let finished = false;
    /** Nobody reads any more: what has arrived is counted, and sent to nobody. */
    let leaving = false;
    let held: { parts: readonly Buffer[] } | undefined;
    let ended: { failure: UpstreamFailure | undefined } | undefined;

    // However the stream ends, it ends once: what ends it may make the upstream report its own end.
    const finish = (act: () => void, failure?: UpstreamFailure): void => {
      if (finished) return;
      finished = true;
      dropImplausibleUsage(gateway, exchange, candidate, tap.report);
      act();
      note(gateway, exchange, answer, failure);
      // What the upstream may still say is read and dropped, so that its connection is free again.
      stream.resume();
      resolve();
    };

    // The same, once what the provider has not counted has been.
    const finishCounted = (act: () => void, early = false, failure?: UpstreamFailure): void => {
      if (finished) return;
      dropImplausibleUsage(gateway, exchange, candidate, tap.report);
      const counting = countStream(gateway, exchange.job, tap);
      if (!counting) return finish(act, failure);
      const counted = (): void => {
        finished = false;
        if (exchange.clientGone) finish(() => abandon(exchange, answer));
        else finish(act, failure);
      };
      finished = true;
      if (early) stream.abort();
      counting.then(counted, counted);
    };

    const check = (): 'go' | 'wait' | 'stop' | 'overlong' => {
      const bounded = bound.check();
      if (bounded === 'stop') return 'overlong';
      const grown = holdGrowth.check(tap.report.outputTokensEstimate);
      return grown === 'go' ? bounded : grown;
    };

    const pass = (parts: readonly Buffer[]): boolean => {
      if (finished || leaving) return true;
      if (held) {
        held = { parts: [...held.parts, ...parts] };
        return false;
      }
      // What is terminal needs no more cover, and has nothing left to be kept from sending.
      const verdict = tap.report.terminal ? 'go' : check();
      if (verdict === 'wait') {
        held = { parts };
        return false;
      }
      if (verdict === 'stop') {
        finishCounted(() => stopForBudget(exchange, answer), true);
        return true;
      }
      if (verdict === 'overlong') {
        reportOverlongAnswer(gateway, exchange, answer.candidate);
        finishCounted(() => stopAtBound(exchange, answer), true);
        return true;
      }
      return send(parts);
    };

    const send = (parts: readonly Buffer[]): boolean => {
      if (!tap.report.terminal) return write(res, parts);
      // Written together with the end of the answer.
      finishCounted(() => complete(exchange, answer, parts));
      return true;
    };

    const release = (): void => {
      if (finished || leaving || !held) return;
      const { parts } = held;
      held = undefined;
      const more = pass(parts);
      if (ended) over(ended.failure);
      else if (more) stream.resume();
    };

    const over = (failure: UpstreamFailure | undefined): void => {
      if (finished || leaving) return;
      if (held) {
        ended = { failure };
        return;
      }
      if (failure?.own) finishCounted(() => breakOff(exchange, answer, failure), true, failure);
      else if (failure) finish(() => breakOff(exchange, answer, failure), failure);
      else finishCounted(() => complete(exchange, answer, []));
    };

    const holdGrowth = createHoldGrowth(exchange.hold, candidate, exchange.job.choices, release);
    const bound = createOutputBound(gateway, outputBoundOf(candidate, exchange.job), tap, release);
    // Named before it is set, for the reason given in `pipeline/call.ts`.
    const giveUp = (): void => {
      if (finished || leaving) return;
      leaving = true;
      // What waits in the socket has been billed: one turn reads it, and costs nothing.
      stream.resume();
      const abort = (): void => finishCounted(() => abandon(exchange, answer), true);
      setImmediate(() => setImmediate(abort));
    };
    exchange.onClientGone = giveUp;
    res.on('drain', () => {
      if (!held && !finished) stream.resume();
    });
    if (exchange.clientGone) giveUp();
    else stream.read({ pass, over });
  });
}

function write(res: ServerResponse, parts: readonly Buffer[]): boolean {
  let more = true;
  for (const part of parts) more = res.write(part);
  return more;
}
