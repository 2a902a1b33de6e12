// What a screening service is asked, and what it finds, whichever protocol it speaks.

import type { ScreeningPlace, ScreeningRole } from '@tollgate/contracts';

/** A text that a service reads. */
export interface CheckedText {
  readonly id: string;
  readonly place: ScreeningPlace;
  readonly role: ScreeningRole;
  readonly text: string;
}

/** Never has headers, keys or anything else of the request but its texts. */
export interface Check {
  readonly requestId: string;
  /** The rule that asks. */
  readonly rule: { readonly policy: string; readonly id: string; readonly version: number };
  readonly texts: readonly CheckedText[];
  /** Of a plugin: the parameters that it may change. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Of a plugin that may route: the model that the request asks for. */
  readonly model?: string;
  /** The models that it may choose. */
  readonly routeTo?: readonly string[];
}

/** A part of a text. */
export interface Finding {
  /** The place of the text in the check. */
  readonly text: number;
  /** UTF-16 offsets. */
  readonly start: number;
  readonly end: number;
  /** Capital letters, digits and underscores: names the placeholder. */
  readonly label: string;
  /** What the service puts in its place; undefined: a placeholder. */
  readonly replacement?: string;
}

export interface ServiceVerdict {
  /** The service refuses all texts together, whether or not it names parts. */
  readonly refused: boolean;
  readonly findings: readonly Finding[];
  /** What the refused client reads. */
  readonly message?: string | undefined;
  /** Those that change; null: it goes. */
  readonly parameters?: Readonly<Record<string, unknown>> | undefined;
  /** As the service sent it: the model that it chooses for the request. */
  readonly model?: unknown;
  /** As the service sent them: tags of the request, by their keys. */
  readonly tags?: unknown;
}

/** One call: POST with JSON. */
export interface ServiceCall {
  /** Appended to the path of the service's URL. */
  readonly path: string;
  readonly body: unknown;
}

export interface Protocol {
  /** Usually one call; all are made at once. */
  readonly callsOf: (check: Check) => readonly ServiceCall[];
  /**
   * The parsed answers, in the order of the calls.
   * @throws ServiceAnswerError
   */
  readonly read: (answers: readonly unknown[], check: Check) => ServiceVerdict;
}

/** The service answered something else than its protocol says. */
export class ServiceAnswerError extends Error {
  override readonly name = 'ServiceAnswerError';
}

/** More are as bad as none: the rule counts as failed. */
export const MOST_FINDINGS = 10_000;

/** Findings count Unicode code points, as most languages do; texts here count UTF-16 units. */
export function createOffsets(text: string): (codePoint: number) => number {
  // Without surrogates both are the same.
  if (!/[\ud800-\udfff]/.test(text)) return (at) => at;
  const offsets: number[] = [];
  let unit = 0;
  for (const character of text) {
    offsets.push(unit);
    unit += character.length;
  }
  offsets.push(unit);
  return (at) => offsets[at] ?? Number.NaN;
}

export type FindingReader = (
  text: number,
  range: readonly [start: number, end: number],
  label: string,
) => Finding;

/**
 * Makes findings of one answer, and reads each text at most once.
 * @throws ServiceAnswerError when a finding is outside of the texts, or is one too many
 */
export function createFindings(check: Check): FindingReader {
  const offsets = new Map<number, (codePoint: number) => number>();
  let count = 0;
  return (text, [start, end], label) => {
    const checked = check.texts[text];
    if (!checked) throw new ServiceAnswerError('a finding names no text of the check');
    count += 1;
    if (count > MOST_FINDINGS) throw new ServiceAnswerError('the findings are too many');
    const offset = offsets.get(text) ?? createOffsets(checked.text);
    offsets.set(text, offset);
    const finding = { text, start: offset(start), end: offset(end), label: labelOf(label) };
    const { length } = checked.text;
    if (!(finding.start >= 0 && finding.start < finding.end && finding.end <= length)) {
      throw new ServiceAnswerError('a finding is outside of its text');
    }
    return finding;
  };
}

export function labelOf(name: string): string {
  const label = name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, '_')
    .replaceAll(/^_+|_+$/g, '')
    .slice(0, 32);
  return /^[A-Z]/.test(label) ? label : 'FOUND';
}

/** A whole text as one finding. */
export function wholeText(check: Check, text: number, label: string): Finding {
  const end = check.texts[text]?.text.length ?? 0;
  return { text, start: 0, end, label: labelOf(label) };
}
