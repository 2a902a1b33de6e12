// The screening of one request and its answer.

import type { ScreeningPlace } from '@tollgate/contracts';

import { createChannel, type Channel, type Edit } from './channel';
import { createDecider, isOfRequest } from './decider';
import { editPieces } from './edit-pieces';
import type { Finder, Hit } from './finder';
import { createJudge, type Block, type Judge, type ScreeningOptions } from './judge';
import {
  createPlaceholderFinder,
  createPlaceholders,
  type Hide,
  type Placeholders,
} from './placeholders';
import type { ExternalRule, InputKind, Program } from './program';
import { createVerdicts, type Verdict, type Verdicts } from './verdicts';
import { createWholeJudge, type WholeJudge } from './whole';

export type { Block } from './judge';

export interface InputText {
  readonly kind: InputKind;
  readonly text: string;
  /** Whether the text is a part of a JSON text, in which replacements are escaped. */
  readonly json?: boolean;
}

/** A text of an answer. */
export interface AnswerKind {
  readonly place: 'OUTPUT' | 'TOOL_ARGUMENTS' | 'MCP_RESULT';
  /** It is JSON itself, in which replacements are escaped. */
  readonly json: boolean;
  /** It may repeat texts that were screened before, whose hits are counted once. */
  readonly repeats?: boolean;
}

export interface Screening {
  readonly program: Program;
  /** The first rule that refuses. */
  readonly blocked: () => Block | undefined;
  /** Screens a text of the request; returns the text that goes on. */
  readonly input: (input: InputText) => string;
  /** A long text of the request, in pieces. */
  readonly longInput: (input: Omit<InputText, 'text'>) => Channel;
  /** Marks placeholders that the client wrote itself. Call it for all texts before the first one is screened. */
  readonly reserve: (text: string) => void;
  /** Whether an answer of a model needs to be read. */
  readonly readsAnswer: () => boolean;
  /** A text of the answer that arrives in pieces. */
  readonly answer: (kind: AnswerKind) => Channel;
  /** What each rule found in each place. */
  readonly verdicts: () => readonly Verdict[];
  /** What the rules found, as structured fields (RFC 9651); empty: nothing. */
  readonly evidence: () => string;
  /** Notes that no rule of a place can read what is there; those that mask or block refuse it. */
  readonly unreadable: (place: ScreeningPlace) => void;
  /** Rules that ask services about texts of these places. */
  readonly externalRules: (...places: ScreeningPlace[]) => readonly ExternalRule[];
  /** Whether an answer of a model must wait for the verdict of services. Ask when the request was screened. */
  readonly withholdsAnswer: () => boolean;
  /** Judges by rules that look at more than texts. */
  readonly whole: WholeJudge;
  /** Whether an answer may have to get texts back. */
  readonly restores: () => boolean;
  /** Masks texts of the answer again that were masked in the request. */
  readonly hide: Hide;
  /** Notes that a service refuses texts of a place, as a hit without a part to mask. */
  readonly refused: (rule: number, place: ScreeningPlace, message?: string) => void;
  /** Notes that a plugin changed parameters of the request. */
  readonly changed: (rule: number, place: ScreeningPlace, count: number) => void;
  /** Notes the model that a plugin chose. */
  readonly routed: (rule: number, place: ScreeningPlace, model: string) => void;
  /** The model that a plugin chose for the request; undefined: it stays. */
  readonly chosenModel: () => string | undefined;
  /** Notes tags that a plugin set. */
  readonly tagged: (rule: number, tags: Readonly<Record<string, string>>) => void;
  readonly tags: () => ReadonlyMap<string, string>;
  /** Notes that a service gave no verdict. */
  readonly failed: (rule: number, place: ScreeningPlace) => void;
  /** How long a service took. */
  readonly took: (rule: number, place: ScreeningPlace, ms: number) => void;
  /**
   * A text of the answer that services judge piece by piece, after the other rules. `judge` finds their
   * hits, and withholds what they have not released.
   */
  readonly judged: (kind: AnswerKind, judge: Finder) => Channel;
  /** Notes what services found in a text, and returns its pieces as they go on. */
  readonly edit: (edited: EditedText, hits: readonly Hit[]) => string[];
  /**
   * The same request with more rules. `program` begins with the rules of this screening, which have judged
   * the request; what they found and masked stays.
   */
  readonly joined: (program: Program) => Screening;
}

/** A text that is complete, in one or several pieces. */
export interface EditedText {
  readonly place: ScreeningPlace;
  /** It is JSON itself; hits are in its decoded form. */
  readonly json: boolean;
  /** Its hits were counted before. */
  readonly repeats?: boolean;
  readonly pieces: readonly string[];
}

/** Of the answers of models. */
export const ANSWER_PLACES: readonly ScreeningPlace[] = ['OUTPUT', 'TOOL_ARGUMENTS'];

export function createScreening(options: ScreeningOptions): Screening {
  const verdicts = createVerdicts(options.program.rules);
  const placeholders = createPlaceholders(options.placeholdersFrom);
  const judge = createJudge({ ...options, verdicts });
  return assemble(options, { judge, placeholders, verdicts });
}

interface Parts {
  readonly judge: Judge;
  readonly placeholders: Placeholders;
  readonly verdicts: Verdicts;
}

function assemble(options: ScreeningOptions, { judge, placeholders, verdicts }: Parts): Screening {
  const { program } = options;
  const { externalRules } = judge;
  // Services read an answer before masked texts are put back into it.
  const restoresLater = (place: ScreeningPlace): boolean =>
    (place === 'MCP_RESULT' ? externalRules(place) : externalRules(...ANSWER_PLACES)).length > 0;
  const deciderOf = (place: ScreeningPlace, json: boolean, repeats = false) =>
    createDecider({ judge, placeholders, place, json, repeats });
  const measured = (channel: Channel, place: ScreeningPlace): Channel => ({
    ...channel,
    push: (text) => {
      judge.measure(place, text.length);
      return channel.push(text);
    },
  });
  const longInput: Screening['longInput'] = ({ json = false, kind }) => {
    const finders = program.findersOf(kind.place, kind);
    const onHits = deciderOf(kind.place, json);
    return measured(createChannel({ finders, json, onHits }), kind.place);
  };
  return {
    program,
    blocked: judge.blocked,
    reserve: placeholders.reserve,
    input: ({ json = false, kind, text }) => {
      if (json) return throughChannel(longInput({ json, kind }), text);
      judge.measure(kind.place, text.length);
      const finders = program.findersOf(kind.place, kind);
      return finders.length === 0 ? text : screened(text, finders, deciderOf(kind.place, json));
    },
    longInput,
    readsAnswer: () =>
      placeholders.any() || program.places.has('OUTPUT') || program.places.has('TOOL_ARGUMENTS'),
    answer: ({ json, place, repeats }) => {
      const finders = program.findersOf(place);
      const restores = placeholders.any() && !restoresLater(place);
      const channel = createChannel({
        finders: restores ? [...finders, createPlaceholderFinder()] : finders,
        json,
        onHits: deciderOf(place, json, repeats),
      });
      return repeats ? channel : measured(channel, place);
    },
    verdicts: verdicts.all,
    evidence: verdicts.text,
    unreadable: judge.unreadable,
    externalRules,
    // Without masked texts there is nothing that a service must not see in the answer as it is sent.
    withholdsAnswer: () => {
      const rules = externalRules(...ANSWER_PLACES);
      if (rules.length === 0) return false;
      return placeholders.any() || rules.some(({ rule }) => rule.action !== 'OBSERVE');
    },
    whole: createWholeJudge({ judge, program, verdicts }),
    restores: placeholders.any,
    hide: placeholders.hide,
    refused: judge.refused,
    changed: verdicts.changed,
    routed: verdicts.routed,
    chosenModel: verdicts.chosenModel,
    tagged: verdicts.tagged,
    tags: verdicts.tags,
    failed: judge.failed,
    took: verdicts.took,
    ...afterServices(placeholders, deciderOf),
    joined: (joint) => join(options, { judge, placeholders, verdicts }, joint),
  };
}

function join(given: ScreeningOptions, parts: Parts, program: Program): Screening {
  const { judge, placeholders, verdicts } = parts;
  verdicts.grow(program.rules);
  const options = { ...given, program };
  const together = createJudge({ ...options, verdicts, judged: judge.judged });
  const screening = assemble(options, { ...parts, judge: together });
  // Placeholders of the earlier rules are not the client's own.
  const reserve = given.program.masksInput ? () => undefined : placeholders.reserve;
  return { ...screening, reserve };
}

/** What services find is edited after the other rules, and masked texts are put back with it. */
function afterServices(
  placeholders: Placeholders,
  deciderOf: (
    place: ScreeningPlace,
    json: boolean,
    repeats?: boolean,
  ) => ReturnType<typeof createDecider>,
): Pick<Screening, 'edit' | 'judged'> {
  return {
    judged: ({ json, place, repeats }, finder) =>
      createChannel({
        finders: [finder, ...restoringFinders(placeholders, place)],
        json,
        // What was not judged must not go on, however much it is.
        mostWithheld: Number.POSITIVE_INFINITY,
        onHits: deciderOf(place, json, repeats),
      }),
    edit: ({ json, pieces, place, repeats }, hits) => {
      const found = [...hits];
      const onHits = deciderOf(place, json, repeats);
      const finders = restoringFinders(placeholders, place);
      return editPieces({ finders, found, json, onHits, pieces });
    },
  };
}

function restoringFinders({ any }: Placeholders, place: ScreeningPlace): Finder[] {
  return !isOfRequest(place) && any() ? [createPlaceholderFinder()] : [];
}

function throughChannel(channel: Channel, text: string): string {
  const piece = channel.push(text);
  channel.flush();
  return piece.edited ?? text;
}

function screened(
  text: string,
  finders: readonly Finder[],
  onHits: (hits: readonly Hit[], text: string) => readonly Edit[],
): string {
  const hits: Hit[] = [];
  for (const finder of finders) finder.scan(text, hits);
  if (hits.length === 0) return text;
  hits.sort((one, other) => one.start - other.start || other.end - one.end);
  let result = '';
  let at = 0;
  for (const edit of onHits(hits, text)) {
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}
