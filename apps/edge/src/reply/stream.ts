import type { ServerResponse } from 'node:http';

import type { AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { outputBoundOf } from '../exchange/output-bound';
import { dropImplausibleUsage } from '../exchange/plausible-usage';
import type { UpstreamFailure } from '../upstream/failure';
import { answerHeaders } from './answer-headers';
import { createOutputBound } from './bound';
import { countStream } from './count';
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
import { createHoldGrowth } from './hold-growth';
import { reportOverlongAnswer } from './overlong-answer';

/**
 * Sends a started stream to its end, whichever side ends it. Resolves when the client has its
 * answer or has left. The result is in `exchange.ending`.
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
    /** The client left: data that has arrived is counted but not sent. */
    let leaving = false;
    let held: { parts: readonly Buffer[] } | undefined;
    let ended: { failure: UpstreamFailure | undefined } | undefined;

    // Runs once, because ending a stream may make the upstream report its own end as well.
    const finish = (act: () => void, failure?: UpstreamFailure): void => {
      if (finished) return;
      finished = true;
      dropImplausibleUsage(gateway, exchange, candidate, tap.report);
      act();
      note(gateway, exchange, answer, failure);
      // The rest of the upstream's answer is drained, so that the connection can be reused.
      stream.resume();
      resolve();
    };

    // As `finish`, after output that the provider has not counted has been counted.
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
      // After the terminal event no check is needed.
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
    // A named function first, for the reason given in `attempts/try-candidates.ts`.
    const giveUp = (): void => {
      if (finished || leaving) return;
      leaving = true;
      // Data in the socket has been billed already; reading it takes one turn of the event loop.
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
