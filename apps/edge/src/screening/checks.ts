// Asks services about texts. All rules ask at once, each within its own time.

import { SCREENING_LIMITS, type AskingRule } from '@tollgate/contracts';
import type { Check, CheckedText, ExternalRule, Hit, Screening } from '@tollgate/screening';

import type { Gateway } from '../exchange/gateway';
import type { Checks, ScreeningRules, TextToCheck } from '../exchange/screening';

export interface ChecksParts {
  readonly requestId: string;
  readonly screening: Screening;
  readonly services: ScreeningRules['services'];
}

/** Of one check. */
const MOST_TEXTS = 2_000;

export function createChecks(
  { log, metrics, nowMs }: Pick<Gateway, 'log' | 'metrics' | 'nowMs'>,
  { requestId, screening, services }: ChecksParts,
): Checks {
  const runOne = async (
    external: ExternalRule,
    texts: readonly TextToCheck[],
    hits: readonly Hit[][],
    parameters: Record<string, unknown> | undefined,
  ): Promise<void> => {
    const { at, named, rule } = external;
    const read = texts.flatMap((text, place) =>
      text.text !== '' && text.reads(external) ? [place] : [],
    );
    const first = texts[read[0] ?? -1];
    if (!first) return;
    const startedMs = nowMs();
    const done = (outcome: 'verdict' | 'failed'): void => {
      const ms = nowMs() - startedMs;
      screening.took(at, first.place, ms);
      metrics.screeningCheck(outcome, ms);
    };
    try {
      const service = services.get(at);
      if (!service) throw new Error('the service is not there');
      const asked = read.map((place, id) => checkedText(texts[place] ?? first, id));
      assertSize(asked);
      const { policy, version } = named;
      const check = {
        requestId,
        rule: { policy, id: rule.id, version },
        texts: asked,
        ...shownParameters(rule, parameters),
      };
      const {
        findings,
        message,
        refused,
        parameters: changes,
      } = await service.ask(check, rule.timeoutMs);
      const changed = changedParameters(rule, parameters, changes ?? {});
      for (const { end, label, replacement, start, text } of findings) {
        hits[read[text] ?? -1]?.push({ start, end, label, rule: at, replacement });
      }
      if (refused) screening.refused(at, first.place, message);
      if (changed > 0) screening.changed(at, first.place, changed);
      // A rule that only observes edits nothing, so its hits are noted with the others.
      done('verdict');
    } catch (error) {
      screening.failed(at, first.place);
      done('failed');
      const { message: reason } = error as Error;
      log.warn('a screening service gave no verdict', {
        requestId,
        rule: `${named.policy}/${rule.id}`,
        service: rule.service,
        reason,
      });
    }
  };

  return {
    run: async (rules, texts, parameters) => {
      const hits = texts.map((): Hit[] => []);
      await Promise.all(rules.map((rule) => runOne(rule, texts, hits, parameters)));
      return hits;
    },
  };
}

function shownParameters(
  rule: AskingRule,
  parameters: Record<string, unknown> | undefined,
): Pick<Check, 'parameters'> {
  if (rule.kind !== 'PLUGIN' || !parameters) return {};
  const shown = rule.mayChange.filter((name) => Object.hasOwn(parameters, name));
  return { parameters: Object.fromEntries(shown.map((name) => [name, parameters[name]])) };
}

/** Sets what a plugin changed, and returns how many it are. Throws for one that it may not change. */
function changedParameters(
  rule: AskingRule,
  parameters: Record<string, unknown> | undefined,
  changes: Readonly<Record<string, unknown>>,
): number {
  const names = Object.keys(changes);
  if (names.length === 0) return 0;
  const allowed: readonly string[] = rule.kind === 'PLUGIN' ? rule.mayChange : [];
  const other = names.find((name) => !allowed.includes(name));
  if (other !== undefined)
    throw new Error('the service changes a parameter that it may not change');
  if (!parameters || rule.action === 'OBSERVE') return 0;
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) delete parameters[name];
    else parameters[name] = value;
  }
  return names.length;
}

function checkedText({ place, role, text }: TextToCheck, id: number): CheckedText {
  return { id: String(id), place, role, text };
}

function assertSize(texts: readonly CheckedText[]): void {
  if (texts.length > MOST_TEXTS) throw new Error(`${texts.length} texts are too many`);
  const characters = texts.reduce((sum, { text }) => sum + text.length, 0);
  const most = SCREENING_LIMITS.checkedCharacters;
  if (characters > most) throw new Error(`${characters} characters are more than ${most}`);
}
