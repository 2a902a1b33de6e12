// Asks services about texts. All rules ask at once, each within its own time.

import {
  SCREENING_LIMITS,
  tagKey,
  tagValue,
  type AskingRule,
  type ScreeningPlace,
} from '@tollgate/contracts';
import type {
  Check,
  CheckedText,
  ExternalRule,
  Hit,
  Screening,
  ServiceVerdict,
} from '@tollgate/screening';
import { z } from 'zod';

import type { Gateway } from '../exchange/gateway';
import type { RequestTrace } from '../exchange/request-trace';
import type { Changeable, Checks, ScreeningRules, TextToCheck } from '../exchange/screening';
import { noteServiceStep } from './check-steps';

export interface ChecksParts {
  readonly requestId: string;
  /** Undefined: the request is not traced. */
  readonly trace: RequestTrace | undefined;
  readonly screening: Screening;
  readonly services: ScreeningRules['services'];
}

/** Of one check. */
const MOST_TEXTS = 2_000;

export function createChecks(
  { log, metrics, nowMs }: Pick<Gateway, 'log' | 'metrics' | 'nowMs'>,
  { requestId, screening, services, trace }: ChecksParts,
): Checks {
  const runOne = async (
    external: ExternalRule,
    texts: readonly TextToCheck[],
    hits: readonly Hit[][],
    changeable: Changeable = NOTHING,
  ): Promise<void> => {
    const { at, named, rule } = external;
    const read = texts.flatMap((text, place) =>
      text.text !== '' && text.reads(external) ? [place] : [],
    );
    const first = texts[read[0] ?? -1];
    if (!first) return;
    const startMs = nowMs();
    const parentSpanId = trace?.screeningSpanId ?? '';
    const done = (outcome: 'verdict' | 'failed'): void => {
      const endMs = nowMs();
      const { place } = first;
      screening.took(at, place, endMs - startMs);
      metrics.screeningCheck(outcome, endMs - startMs);
      const failed = outcome === 'failed';
      noteServiceStep(trace, external, { startMs, endMs, place, parentSpanId, failed, screening });
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
        ...shown(rule, changeable),
      };
      const verdict = await service.ask(check, rule.timeoutMs);
      takeVerdict(screening, external, verdict, { changeable, hits, place: first.place, read });
      done('verdict');
    } catch (error) {
      screening.failed(at, first.place);
      done('failed');
      warn(external, (error as Error).message);
    }
  };

  const warn = ({ named, rule }: ExternalRule, reason: string): void =>
    log.warn('a screening service gave no verdict', {
      requestId,
      rule: `${named.policy}/${rule.id}`,
      service: rule.service,
      reason,
    });

  return {
    run: async (rules, texts, changeable) => {
      const hits = texts.map((): Hit[] => []);
      await Promise.all(rules.map((rule) => runOne(rule, texts, hits, changeable)));
      return hits;
    },
    ...streamedChecks({ metrics, nowMs, requestId, screening, services, trace, warn }),
  };
}

interface Asked {
  readonly changeable: Changeable;
  readonly hits: readonly Hit[][];
  readonly place: ScreeningPlace;
  /** The places of the texts of the check among all texts. */
  readonly read: readonly number[];
}

/** Notes what a service found, and changes what it may. Throws, before anything is noted, if it may not. */
function takeVerdict(
  screening: Screening,
  { at, rule }: ExternalRule,
  { findings, message, model, parameters = {}, refused, tags }: ServiceVerdict,
  { changeable, hits, place, read }: Asked,
): void {
  const chosen = chosenModel(rule, changeable, model);
  const tagged = setTags(rule, tags);
  const changed = changedParameters(rule, changeable, parameters);
  for (const { end, label, replacement, start, text } of findings) {
    hits[read[text] ?? -1]?.push({ start, end, label, rule: at, replacement });
  }
  if (refused) screening.refused(at, place, message);
  if (changed > 0) screening.changed(at, place, changed);
  if (chosen !== undefined) screening.routed(at, place, chosen);
  // Tags change nothing, so a rule that only observes sets them as well.
  screening.tagged(at, tagged);
}

type Warn = (external: ExternalRule, reason: string) => void;

function streamedChecks({
  metrics,
  nowMs,
  requestId,
  screening,
  services,
  trace,
  warn,
}: ChecksParts & Pick<Gateway, 'metrics' | 'nowMs'> & { readonly warn: Warn }): Pick<
  Checks,
  'noteStream' | 'openStream' | 'streams'
> {
  return {
    streams: ({ at }) => services.get(at)?.openStream !== undefined,
    openStream: ({ at, named: { policy, rule, version } }, on) => {
      const open = services.get(at)?.openStream;
      if (!open) throw new Error(`the service of ${policy}/${rule.id} does not stream`);
      return open({ requestId, rule: { policy, id: rule.id, version } }, on);
    },
    noteStream: (external, places, ms, reason) => {
      const { at } = external;
      for (const place of places) screening.took(at, place, ms);
      metrics.screeningCheck(reason === undefined ? 'verdict' : 'failed', ms);
      const endMs = nowMs();
      noteServiceStep(trace, external, {
        startMs: endMs - ms,
        endMs,
        place: places[0] ?? 'OUTPUT',
        parentSpanId: '',
        failed: reason !== undefined,
        screening,
      });
      if (reason === undefined) return;
      screening.failed(at, places[0] ?? 'OUTPUT');
      warn(external, reason);
    },
  };
}

const NOTHING: Changeable = { parameters: undefined, model: undefined };

function shown(
  rule: AskingRule,
  { model, parameters }: Changeable,
): Pick<Check, 'model' | 'parameters' | 'routeTo'> {
  if (rule.kind !== 'PLUGIN') return {};
  const routes = model !== undefined && rule.mayRouteTo.length > 0;
  const known = rule.mayChange.filter((name) => parameters && Object.hasOwn(parameters, name));
  return {
    ...(parameters
      ? { parameters: Object.fromEntries(known.map((name) => [name, parameters[name]])) }
      : {}),
    ...(routes ? { model, routeTo: rule.mayRouteTo } : {}),
  };
}

/** Undefined: the model stays. Throws for one that the plugin may not choose. */
function chosenModel(rule: AskingRule, { model }: Changeable, chosen: unknown): string | undefined {
  // Over gRPC a text that was not sent is empty.
  if (chosen === undefined || chosen === null || chosen === '' || chosen === model) {
    return undefined;
  }
  // Another rule may not route, so it does not read this field.
  if (rule.kind !== 'PLUGIN' || rule.mayRouteTo.length === 0) return undefined;
  if (typeof chosen !== 'string' || !rule.mayRouteTo.includes(chosen)) {
    throw new Error('the service chooses a model that it may not choose');
  }
  return model === undefined ? undefined : chosen;
}

const tagsOfPlugin = z.record(tagKey, tagValue).nullish();

/** Throws for a tag that the plugin may not set, or that no record can have. */
function setTags(rule: AskingRule, given: unknown): Readonly<Record<string, string>> {
  if (rule.kind !== 'PLUGIN' || rule.mayTag.length === 0) return {};
  const { data, success } = tagsOfPlugin.safeParse(given);
  if (!success) throw new Error('the service sets tags that no record can have');
  const tags = data ?? {};
  if (Object.keys(tags).some((key) => !rule.mayTag.includes(key))) {
    throw new Error('the service sets a tag that it may not set');
  }
  return tags;
}

/** Sets what a plugin changed, and returns how many it are. Throws for one that it may not change. */
function changedParameters(
  rule: AskingRule,
  { parameters }: Changeable,
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
