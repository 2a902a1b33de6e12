import { storedEffectOf, tokensIn, tokensOut } from '@tollgate/contracts';
import type { AuthorizeRequest__Output, SettleRequest__Output } from '@tollgate/contracts/node';
import type { Clock, Logger } from '@tollgate/kit';

import { mayUseStored, ownerOf, type Issuer, type StoredItems } from '../decide';
import type { KeyPlan } from '../directory';
import type { Growth, Kept, PendingHold, Store, StoredOutput } from '../store';
import type { Ticket } from './ticket';

export interface IssuersDeps {
  readonly store: Pick<
    Store,
    'rememberIssuer' | 'recallIssuer' | 'recallItems' | 'growIssuer' | 'forgetIssuer'
  >;
  readonly clock: Clock;
  readonly wait: (ms: number) => Promise<void>;
  readonly log: Logger;
}

/** Which upstream connection made a response or conversation, and its owner. */
export interface Issuers {
  /**
   * Stores what a settled request created, or removes what it deleted. Never rejects: the settle
   * does not depend on it.
   */
  readonly settled: (ticket: Ticket, settle: SettleRequest__Output) => Promise<void>;
  /**
   * Takes back what a request had added to its conversation, if it was cancelled or refused. Only for the settle that closed
   * the hold: sent again, it would take back twice. Undefined: there is nothing to take back. Never rejects.
   */
  readonly takenBack: (
    ticket: Ticket,
    settle: SettleRequest__Output,
  ) => Promise<unknown> | undefined;
  /**
   * Counts what a request adds to its conversation, before it is sent: follow-ups that are decided meanwhile read it, too.
   * Resolves to the tokens that are counted. Never rejects.
   */
  readonly begun: (plan: KeyPlan, request: AuthorizeRequest__Output) => Promise<number>;
  /**
   * Stores a response that its provider continues in the background, with its hold. Never rejects.
   */
  readonly pending: (ticket: Ticket, response: PendingResponseRef) => Promise<void>;
  /** Undefined: there is none that this key may use. `renew`: it is kept longer for being used. */
  readonly find: (plan: KeyPlan, id: string, options: FindOptions) => Promise<Issuer | undefined>;
  /** The responses whose items a request's input names. */
  readonly findItems: (
    plan: KeyPlan,
    named: NamedItems,
    options: Pick<FindOptions, 'deadlineAtMs'>,
  ) => Promise<StoredItems>;
}

/** The two lists of an authorize request. */
export interface NamedItems {
  readonly itemIds: readonly string[];
  readonly replayedItemIds: readonly string[];
}

export interface FindOptions {
  readonly deadlineAtMs: number;
  readonly renew: boolean;
}

export interface PendingResponseRef extends PendingHold {
  readonly responseId: string;
  readonly modelId: string;
}

// A client gets its answer slightly before the settle arrives here, and may continue it at once.
const PAUSES_MS = [30, 90];

const NO_ITEMS: StoredItems = { issuers: [], readTokens: 0, refused: undefined };

type KeptBeside = Pick<Kept, 'items' | 'outputTokens'> & { pending?: PendingHold };

export function createIssuers(deps: IssuersDeps): Issuers {
  const { store, log } = deps;

  const logged = async <T>(requestId: string, act: Promise<T>): Promise<T | undefined> => {
    try {
      return await act;
    } catch (error) {
      log.warn('a response cannot be continued: the store did not keep it', { requestId, error });
      return undefined;
    }
  };

  const begun: Issuers['begun'] = async (plan, { addedTokens, requestId, ...names }) => {
    const responseId = names.conversationId || names.storedId;
    if (addedTokens === 0 || responseId === '') return 0;
    const { shard, organisationId } = plan;
    const growth = { addedTokens, totalTokens: 0 };
    const grown = await logged(
      requestId,
      store.growIssuer({ shard, organisationId, responseId }, growth),
    );
    return grown === true ? addedTokens : 0;
  };

  const settled: Issuers['settled'] = async (ticket, settle) => {
    const { conversationId, requestId, responseId } = settle;
    const ref = organisationOf(ticket);
    const growth = growthBy(settle);
    const effect =
      settle.cancelled || responseId === '' ? undefined : storedEffectOf(ticket.operation);
    const acts: Promise<unknown>[] = [];
    if (growth) acts.push(store.growIssuer({ ...ref, responseId: conversationId }, growth));
    if (effect === 'keep') {
      const stored = { items: settle.itemIds, outputTokens: tokensOf(settle).output };
      acts.push(keep(store, ticket, settle, tokensToRead(settle), stored));
    }
    if (effect === 'forget') acts.push(store.forgetIssuer({ ...ref, responseId }));
    await Promise.all(acts.map((act) => logged(requestId, act)));
  };

  const takenBack: Issuers['takenBack'] = (ticket, settle) => {
    const { assumedTokens, conversationId: responseId, requestId } = settle;
    if (responseId === '' || assumedTokens === 0 || !isUnsaid(settle)) return undefined;
    const growth = { addedTokens: -assumedTokens, totalTokens: 0 };
    return logged(requestId, store.growIssuer({ ...organisationOf(ticket), responseId }, growth));
  };

  const pending: Issuers['pending'] = (ticket, response) => {
    const { holdToken, requestId, turn } = response;
    // The hold covers the response's whole output, so a follow-up reads no more than the held tokens.
    const readTokens = ticket.inputTokens + ticket.heldOutputTokens;
    return logged(
      requestId,
      keep(store, ticket, response, readTokens, { pending: { holdToken, requestId, turn } }),
    );
  };

  // Another owner's object is searched for as long as an unknown one, so that the response time does
  // not reveal whether it exists.
  const find: Issuers['find'] = async (plan, responseId, { deadlineAtMs, renew }) => {
    const { shard, organisationId } = plan;
    return search(deps, deadlineAtMs, async () => {
      const issuer = await store.recallIssuer({ shard, organisationId, responseId }, renew);
      const usable = issuer !== null && mayUseStored(plan, issuer);
      return usable ? { again: false, result: issuer } : { again: true, result: undefined };
    });
  };

  return {
    settled,
    takenBack,
    begun,
    pending,
    find,
    findItems: (plan, named, options) => findItems(deps, plan, named, options),
  };
}

function organisationOf({ shard, subject }: Ticket) {
  return { shard, organisationId: subject.organisationId };
}

async function keep(
  { rememberIssuer }: Pick<Store, 'rememberIssuer'>,
  ticket: Ticket,
  { modelId, responseId }: { readonly modelId: string; readonly responseId: string },
  readTokens: number,
  { items = [], outputTokens = 0, pending }: KeptBeside = {},
): Promise<void> {
  const [first] = ticket.candidates;
  const candidate = ticket.candidates.find((one) => one.modelId === modelId) ?? first;
  if (candidate === undefined) return;
  const { shard, subject } = ticket;
  const { organisationId } = subject;
  const issuer = { ...candidate, owner: ownerOf(ticket), pending, readTokens };
  const grows = ticket.operation === 'conversation_create';
  const kept = { issuer, grows, items, outputTokens };
  await rememberIssuer({ shard, organisationId, responseId }, kept);
}

async function findItems(
  deps: IssuersDeps,
  plan: KeyPlan,
  named: NamedItems,
  { deadlineAtMs }: Pick<FindOptions, 'deadlineAtMs'>,
): Promise<StoredItems> {
  const { itemIds, replayedItemIds } = named;
  const ids = [...itemIds, ...replayedItemIds];
  return search(deps, deadlineAtMs, async () => {
    const outputs = await deps.store.recallItems(plan, ids);
    const refusedAt = outputs.findIndex((output, at) =>
      output === null ? at < itemIds.length : !mayUseStored(plan, output.issuer),
    );
    return refusedAt < 0
      ? { again: false, result: storedItems(outputs.slice(0, itemIds.length)) }
      : { again: true, result: { ...NO_ITEMS, refused: ids[refusedAt] } };
  });
}

/** `again`: another look may find more. */
interface Look<T> {
  readonly again: boolean;
  readonly result: T;
}

/** Looks again after the pauses that the deadline leaves room for. */
async function search<T>(
  { clock, wait }: Pick<IssuersDeps, 'clock' | 'wait'>,
  deadlineAtMs: number,
  look: () => Promise<Look<T>>,
): Promise<T> {
  for (const pauseMs of PAUSES_MS) {
    const { again, result } = await look();
    if (!again || clock.now() + 2 * pauseMs > deadlineAtMs) return result;
    await wait(pauseMs);
  }
  return (await look()).result;
}

/**
 * The tokens that a follow-up of a stored object reads again: the provider's count, or at least what
 * this request continued, sent and wrote.
 */
function tokensToRead(settle: SettleRequest__Output): number {
  const { addedTokens, readTokens } = settle;
  const { exact, input, output } = tokensOf(settle);
  return exact ? input + output : Math.max(readTokens + addedTokens + output, input + output);
}

/**
 * What a turn adds to its conversation at its end. The provider's count also corrects the estimate that the turn's
 * hold was based on; concurrent turns still add up, as each replaces only what it assumed itself. What was counted
 * when it began is not added again. A settle that is sent again counts twice, but the number stays at least the turn's
 * own total. Undefined: nothing.
 */
function growthBy(settle: SettleRequest__Output): Growth | undefined {
  const { addedTokens, assumedTokens, conversationId, readTokens } = settle;
  if (conversationId === '' || isUnsaid(settle)) return undefined;
  const { exact, input, output } = tokensOf(settle);
  const totalTokens = input + output;
  const turn = exact ? totalTokens - readTokens : addedTokens + output;
  return { addedTokens: turn - assumedTokens, totalTokens };
}

/** Several items of one response read no more than its output. */
function storedItems(outputs: readonly (StoredOutput | null)[]): StoredItems {
  const distinct = [...new Set(outputs)].filter((output) => output !== null);
  let readTokens = 0;
  for (const { outputTokens } of distinct) readTokens += outputTokens;
  return { issuers: distinct.map(({ issuer }) => issuer), readTokens, refused: undefined };
}

/** It was not sent, or every attempt was refused with a 4xx status, so the conversation is unchanged. */
function isUnsaid({ attempts, cancelled }: SettleRequest__Output): boolean {
  if (cancelled) return true;
  return (
    attempts.length > 0 && attempts.every(({ httpStatus }) => httpStatus >= 400 && httpStatus < 500)
  );
}

/** `exact`: the provider has counted them. */
function tokensOf({ usage, usageQuality }: SettleRequest__Output) {
  const input = usage === null ? 0 : tokensIn(usage);
  const output = usage === null ? 0 : tokensOut(usage);
  return { exact: usageQuality === 'EXACT' && input + output > 0, input, output };
}
