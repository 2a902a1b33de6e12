import { answerLease } from '../exchange/answer-lease';
import type { AuthorisedExchange } from '../exchange/exchange';
import type { Gateway } from '../exchange/gateway';
import { outputBoundOf } from '../exchange/output-bound';
import { dropImplausibleUsage } from '../exchange/plausible-usage';
import {
  createAnswerCheck,
  observe,
  openAnswerStream,
  throwIfBlocked,
  withJudgedEnd,
  type AnswerCheck,
} from '../screening';
import { faultOf, stoppedBy, UpstreamFailure } from '../upstream/failure';
import { answerHeaders } from './answer-headers';
import { createOutputBound } from './bound';
import { countStream } from './count';
import {
  abandon,
  breakOff,
  complete,
  note,
  refuseUnsent,
  refuseWithheld,
  stopAtBound,
  stopForBudget,
  type StreamAnswer,
} from './endings';
import { relayedHeader } from './header-text';
import { createHoldGrowth } from './hold-growth';
import { reportOverlongAnswer } from './overlong-answer';
import { write } from './write-parts';

/**
 * Sends a started stream to its end, whichever side ends it. Resolves when the client has its
 * answer or has left. The result is in `exchange.ending`.
 */
export function replyStream(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  answer: StreamAnswer,
): Promise<void> {
  const { withholding } = exchange;
  if (!withholding) return passStream(gateway, exchange, answer);
  return withholding.then(() => {
    if (exchange.screening?.blocked()) refuseWithheld(gateway, exchange, answer);
    throwIfBlocked(exchange.screening);
    return passStream(gateway, exchange, answer);
  });
}

function passStream(
  gateway: Gateway,
  exchange: AuthorisedExchange,
  given: StreamAnswer,
): Promise<void> {
  const { res, ending } = exchange;
  const { stream, candidate } = given;
  const { tap } = stream;
  res.writeHead(200, {
    ...answerHeaders(gateway, exchange, given),
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
    /** A service is asked about all of the answer. */
    let checking = false;
    /** More than a service can be asked about. */
    let tooLong = false;

    // Runs once, because ending a stream may make the upstream report its own end as well.
    const finish = (act: () => void, failure?: UpstreamFailure): void => {
      if (finished) return;
      finished = true;
      clearInterval(idling);
      clearInterval(keepingAlive);
      judged?.cancel();
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
        if (exchange.clientGone) finish(() => abandon(gateway, exchange, answer));
        else finish(act, failure);
      };
      finished = true;
      if (early) stream.abort();
      counting.then(counted, counted);
    };

    const checkLimits = (): 'go' | 'wait' | 'stop' | 'overlong' => {
      const bounded = bound.check();
      if (bounded === 'stop') return 'overlong';
      const grown = holdGrowth.check(tap.report.outputTokensEstimate);
      return grown === 'go' ? bounded : grown;
    };

    /** Runs `act` with what was withheld, if the services allow it. */
    const afterCheck = (act: (parts: readonly Buffer[]) => void): void => {
      if (checking) return;
      if (check && !check.withholds && !tooLong) observe(exchange, check.verdict());
      if (judged) {
        checking = true;
        return judged.finish(() => {
          checking = false;
          if (!finished && !leaving) act([]);
        });
      }
      if (!check?.withholds || tooLong) return act([]);
      checking = true;
      void checkThen(check, act);
    };

    const checkThen = async (
      { verdict }: AnswerCheck,
      act: (parts: readonly Buffer[]) => void,
    ): Promise<void> => {
      const passed = await verdict().catch(stoppedBy);
      checking = false;
      if (!expectsPings(exchange, candidate)) clearInterval(keepingAlive);
      if (finished || leaving) return;
      if (passed instanceof UpstreamFailure) return refuse(passed);
      exchange.withheldUntilMs = gateway.nowMs();
      act(passed);
    };

    const refuse = (failure: UpstreamFailure): void =>
      finishCounted(() => refuseUnsent(gateway, exchange, answer, failure), true, failure);

    const pass = (parts: readonly Buffer[]): boolean => {
      if (finished || leaving || checking) return true;
      if (held) {
        held = { parts: [...held.parts, ...parts] };
        return false;
      }
      // After the terminal event no check is needed.
      const verdict = tap.report.terminal ? 'go' : checkLimits();
      if (verdict === 'wait') {
        held = { parts };
        return false;
      }
      if (verdict === 'stop') {
        stopEarly(() => stopForBudget(exchange, answer));
        return true;
      }
      if (verdict === 'overlong') {
        reportOverlongAnswer(gateway, exchange, candidate);
        stopEarly(() => stopAtBound(exchange, answer));
        return true;
      }
      return send(parts);
    };

    const stopEarly = (act: () => void): void => {
      afterCheck((parts) => {
        write(exchange, parts);
        finishCounted(act, true);
      });
      if (checking) stream.abort(); // Nothing holds what is made while a service judges.
    };

    const send = (parts: readonly Buffer[]): boolean => {
      if (check && !tooLong) {
        if (!check.keep(parts)) return passUnchecked(check, parts);
        if (check.withholds) {
          if (tap.report.terminal) finishChecked();
          return true;
        }
      }
      if (judged) {
        judged.push(parts);
        if (tap.report.terminal) finishChecked();
        return judged.hasRoom() && !res.writableNeedDrain;
      }
      if (!tap.report.terminal) return write(exchange, parts);
      // Written together with the end of the answer.
      afterCheck(() => finishCounted(() => complete(exchange, answer, parts)));
      return true;
    };

    const passUnchecked = (unchecked: AnswerCheck, parts: readonly Buffer[]): boolean => {
      tooLong = true;
      try {
        const kept = unchecked.tooLong();
        return send(unchecked.withholds ? kept : parts);
      } catch (error) {
        if (unchecked.withholds) refuse(stoppedBy(error));
        else over(stoppedBy(error));
        return true;
      }
    };

    const finishChecked = (): void =>
      afterCheck((parts) => finishCounted(() => complete(exchange, answer, parts)));

    const release = (): void => {
      if (finished || leaving || !held) return;
      const { parts } = held;
      held = undefined;
      const more = pass(parts);
      if (ended) over(ended.failure);
      else if (more) stream.resume();
    };

    const over = (failure: UpstreamFailure | undefined): void => {
      if (finished || leaving || checking) return;
      if (held) {
        ended = { failure };
        return;
      }
      if (failure?.own) finishCounted(() => breakOff(exchange, answer, failure), true, failure);
      else if (failure) finish(() => breakOff(exchange, answer, failure), failure);
      else finishChecked();
    };

    const { idle } = tap;
    const tick = (): void => {
      const parts = idle?.() ?? [];
      if (tap.report.fault) over(faultOf(tap));
      else if (parts.length > 0) pass(parts);
    };
    const idling = idle && setInterval(tick, IDLE_MS);
    const check = createAnswerCheck(exchange, tap.contentType, (bytes) =>
      answerLease(gateway, exchange).take(bytes),
    );
    const judged = openAnswerStream(exchange, tap.contentType, {
      nowMs: gateway.nowMs,
      onPassed: (parts, text) => {
        if (finished || leaving) return;
        if (text) exchange.withheldUntilMs ??= gateway.nowMs();
        const more = write(exchange, parts);
        if (more && !held && !checking) stream.resume();
      },
      onBlocked: (error) => {
        checking = false;
        over(stoppedBy(error));
      },
    });
    const waits = judged !== undefined || check?.withholds === true;
    const judgedEnd = (text: string): string =>
      tooLong ? text : ((judged ?? check)?.end(text) ?? text);
    const answer = waits
      ? { ...given, stream: { ...stream, tap: withJudgedEnd(tap, judgedEnd) } }
      : given;
    const sayAlive = (): void => void res.write(tap.comment('keep-alive'));
    const keepsAlive = waits || expectsPings(exchange, candidate);
    const keepingAlive = keepsAlive ? setInterval(sayAlive, gateway.limits.keepAliveMs) : undefined;
    // The client learns now that its stream has begun.
    if (waits) res.flushHeaders();
    const holdGrowth = createHoldGrowth(exchange.hold, candidate, exchange.job.choices, release);
    const bound = createOutputBound(gateway, outputBoundOf(candidate, exchange.job), tap, release);
    // A named function first, for the reason given in `attempts/try-candidates.ts`.
    const giveUp = (): void => {
      if (finished || leaving) return;
      leaving = true;
      // Data in the socket has been billed already; reading it takes one turn of the event loop.
      stream.resume();
      const abort = (): void => finishCounted(() => abandon(gateway, exchange, answer), true);
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

/** What was withheld for what follows goes on after one to two of these without anything. */
const IDLE_MS = 75;

/** Messages clients abandon a silent stream. Anthropic pings by itself, others do not. */
function expectsPings(
  { formatName }: AuthorisedExchange,
  { upstreamFormat }: StreamAnswer['candidate'],
) {
  return formatName === 'anthropic-messages' && upstreamFormat !== 'anthropic';
}
