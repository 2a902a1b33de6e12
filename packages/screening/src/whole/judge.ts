import type { ScreeningPlace } from '@tollgate/contracts';

import type { PreparedRule } from '.';
import type { Breach, Judge } from '../judge';
import type { Verdicts } from '../verdicts';
import { judgeAnswer, type AnswerText } from './answers';
import { allowedCandidates, type AskedModels } from './models';
import type { AskedParameters } from './parameters';

export interface WholeJudge {
  /** Whether each candidate may answer. If none may, a rule refuses the request. */
  readonly models: (asked: AskedModels) => readonly boolean[];
  readonly parameters: (asked: AskedParameters) => void;
  /** Undefined: the answer cannot be read. */
  readonly answer: (choices: readonly AnswerText[] | undefined) => void;
  /** Whether a rule reads the whole answer. */
  readonly readsWholeAnswer: () => boolean;
  /** Whether the answer must wait for that, because a rule may refuse it. */
  readonly mayRefuseAnswer: () => boolean;
  /** What rules were not kept, those that only observe included. */
  readonly breaches: () => readonly FoundBreach[];
}

export interface FoundBreach {
  /** The place of the rule in the list. */
  readonly rule: number;
  readonly breach: Breach;
}

interface Parts {
  readonly judge: Pick<Judge, 'breaks' | 'looksAt' | 'undecided' | 'isBlocking'>;
  readonly program: {
    readonly whole: readonly PreparedRule[];
    /** Rules before this place have read the request. */
    readonly judged: number;
  };
  readonly verdicts: Pick<Verdicts, 'changed'>;
}

export function createWholeJudge({ judge, program, verdicts }: Parts): WholeJudge {
  const breaches: FoundBreach[] = [];
  const breaks = (rule: number, place: ScreeningPlace, breach: Breach): void => {
    breaches.push({ rule, breach });
    judge.breaks(rule, place, breach);
  };
  const looking = (): readonly PreparedRule[] =>
    program.whole.filter(({ at }) => judge.looksAt(at));
  const ofAnswers = () => looking().flatMap((rule) => (rule.kind === 'JSON_SCHEMA' ? [rule] : []));
  return {
    models: (asked) => {
      const { candidates, named } = asked;
      const open = candidates.map(() => true);
      for (const rule of looking()) {
        if (rule.kind !== 'MODELS') continue;
        // What an earlier rule has left out may not answer anyway.
        const places = candidates.flatMap((_, at) => (open[at] === true ? [at] : []));
        const left = places.map((at) => candidates[at] ?? '');
        const allowed = allowedCandidates(rule, rule.matches, { candidates: left, named });
        if (allowed === undefined) {
          breaks(rule.at, 'INPUT', { param: 'model', words: 'is not allowed' });
          continue;
        }
        const removed = places.filter((_, at) => allowed[at] !== true);
        if (removed.length > 0) verdicts.changed(rule.at, 'INPUT', removed.length);
        if (judge.isBlocking(rule.at)) for (const at of removed) open[at] = false;
      }
      return open;
    },
    parameters: (asked) => {
      for (const rule of looking()) {
        // Those before have read the parameters, which stay when another model is chosen.
        if (rule.kind !== 'PARAMETERS' || rule.at < program.judged) continue;
        const broken = rule.judge(asked);
        if (broken) breaks(rule.at, 'INPUT', { param: broken.param, words: broken.must });
      }
    },
    answer: (choices) => {
      for (const rule of ofAnswers()) {
        const verdict = choices ? judgeAnswer(rule.match, choices) : 'UNDECIDED';
        if (verdict === 'UNDECIDED') judge.undecided(rule.at, 'OUTPUT', 'UNREADABLE');
        else if (verdict !== 'MATCHES') breaks(rule.at, 'OUTPUT', verdict);
      }
    },
    readsWholeAnswer: () => ofAnswers().length > 0,
    mayRefuseAnswer: () => ofAnswers().some(({ at }) => judge.isBlocking(at)),
    breaches: () => breaches,
  };
}
