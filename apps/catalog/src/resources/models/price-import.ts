import { isDeepStrictEqual } from 'node:util';
import { rest, restError } from '@tollgate/contracts';
import { In, type EntityManager } from 'typeorm';

import { Model } from '../../entities/model.entity';
import { Price } from '../../entities/price.entity';
import type { Call } from '../../rest/call';
import { listKnownPrices } from './list-known-prices';
import { PAST_ALLOWED_MS } from './price-history';
import { readPriceList, type ListedPrice, type ReadList } from './price-lists';
import { insertPrice, representPriceList, storedPriceList } from './prices';

/** Imports prices of many models from a list. */

type Fault = rest.PriceImportFault;
interface Planned {
  readonly row: rest.PriceImportRow;
  readonly price: rest.PriceCreate;
}

/**
 * Reports what a list changes and, unless it is a dry run, applies all of it, or nothing when
 * anything is invalid. Prices that are already in effect at their instant are skipped, so importing
 * the same list again is a no-op.
 */
export async function importPrices(
  call: Call<typeof rest.importPrices>,
): Promise<rest.PriceImported> {
  const { body } = call;
  const list = await listOf(call);
  const { planned, faults } = await plan(call, list.prices);
  const all = [...list.faults, ...faults].slice(0, rest.PRICE_IMPORT_MAX_FAULTS);
  if (all.length > 0 && !body.dryRun) {
    throw refusal(all, body.format === 'known_models' ? 'models' : 'content');
  }
  const apply = !body.dryRun;
  if (apply) await addAll(call, planned);
  const rows = planned.map(({ row }) => row);
  const added = rows.filter(({ action }) => action === 'ADD').length;
  return {
    dryRun: body.dryRun,
    applied: apply,
    added,
    unchanged: rows.length - added,
    faults: all,
    rows,
  };
}

/** The prices to import: those of the text, or of the list of known models. */
async function listOf(call: Call<typeof rest.importPrices>): Promise<ReadList> {
  const { body } = call;
  return body.format === 'known_models'
    ? listKnownPrices(call, body.models)
    : readPriceList(body.format, body.content);
}

const MAX_DETAILS = 50;

function refusal(faults: readonly Fault[], field: 'content' | 'models'): Error {
  const details = faults.slice(0, MAX_DETAILS).map(({ line, column, message }) => {
    const places = [line === null ? '' : `line ${line}`, column ?? ''].filter(
      (text) => text !== '',
    );
    return { path: `${field}: ${places.join(', ') || 'the whole'}`, message };
  });
  return restError('validation_failed', undefined, details);
}

async function plan(
  call: Call<typeof rest.importPrices>,
  prices: readonly ListedPrice[],
): Promise<{ planned: Planned[]; faults: Fault[] }> {
  const { db, nowMs } = call;
  const models = await modelsNamed(call, prices);
  const histories = await historiesOf(db, [...models.values()]);
  const planned: Planned[] = [];
  const faults: Fault[] = [];
  const seen = new Set<string>();
  // Sorted by start: what a line changes depends on earlier lines.
  const fromMsOf = ({ price }: ListedPrice): number =>
    price.effectiveFrom === undefined ? nowMs : Date.parse(price.effectiveFrom);
  for (const listed of prices.toSorted((a, b) => fromMsOf(a) - fromMsOf(b))) {
    const model = models.get(listed.model);
    const fault = (field: 'model' | 'effectiveFrom', message: string): void =>
      void faults.push({ line: listed.line, column: listed.at(field), message });
    if (model === undefined) {
      fault('model', `the organisation has no model ${JSON.stringify(listed.model)}`);
      continue;
    }
    const fromMs = fromMsOf(listed);
    const history = histories.get(model.id) ?? [];
    const key = `${model.id} ${fromMs}`;
    if (seen.has(key)) fault('effectiveFrom', 'this model and instant appear twice in the list');
    seen.add(key);
    const row = rowOf(listed, model, history, fromMs);
    if (row.action === 'ADD') {
      if (fromMs < nowMs - PAST_ALLOWED_MS) {
        fault('effectiveFrom', 'is in the past: correct booked usage with a re-rating');
      }
      if (history.some((price) => price.effectiveFrom.getTime() === fromMs)) {
        fault('effectiveFrom', 'another price of the model starts at this instant');
      }
      histories.set(model.id, followed(history, fromMs, listed.price));
    }
    planned.push({ row, price: { ...listed.price, effectiveFrom: row.effectiveFrom } });
  }
  return { planned, faults };
}

type Held = Pick<
  Price,
  'effectiveFrom' | 'steps' | 'perRequestNanoUsd' | 'perUnitNanoUsd' | 'tierPercent'
>;

function followed(history: readonly Held[], fromMs: number, price: rest.PriceCreate): Held[] {
  const one = { effectiveFrom: new Date(fromMs), ...storedPriceList(price) };
  const begins = ({ effectiveFrom }: Held): number => effectiveFrom.getTime();
  return [...history, one].toSorted((a, b) => begins(a) - begins(b));
}

function rowOf(
  listed: ListedPrice,
  model: Model,
  history: readonly Held[],
  fromMs: number,
): rest.PriceImportRow {
  const present = history.findLast((price) => price.effectiveFrom.getTime() <= fromMs);
  const before = present === undefined ? null : representPriceList(present);
  const after = representPriceList(storedPriceList(listed.price));
  return {
    line: listed.line,
    modelId: model.id,
    model: model.name,
    action: isDeepStrictEqual(before, after) ? 'UNCHANGED' : 'ADD',
    effectiveFrom: new Date(fromMs).toISOString(),
    before,
    after,
  };
}

/** Locked in order of ids, so that concurrent imports run one after the other without deadlock. */
async function modelsNamed(
  call: Call<typeof rest.importPrices>,
  prices: readonly ListedPrice[],
): Promise<Map<string, Model>> {
  const { db, organisation, body } = call;
  const names = [...new Set(prices.map(({ model }) => model))];
  const rows = await db.find(Model, {
    where: {
      organisationId: organisation.id,
      name: In(names),
      status: In(['ACTIVE', 'DISABLED']),
    },
    order: { id: 'ASC' },
    ...(body.dryRun ? {} : { lock: { mode: 'pessimistic_write' } }),
  });
  return new Map(rows.map((row) => [row.name, row]));
}

/** All prices of the models, in order of their start. */
async function historiesOf(
  db: EntityManager,
  models: readonly Model[],
): Promise<Map<string, Held[]>> {
  const rows = await db.find(Price, {
    where: { modelId: In(models.map(({ id }) => id)) },
    order: { modelId: 'ASC', effectiveFrom: 'ASC' },
  });
  const histories = new Map<string, Held[]>();
  for (const row of rows) histories.set(row.modelId, [...(histories.get(row.modelId) ?? []), row]);
  return histories;
}

async function addAll(
  call: Call<typeof rest.importPrices>,
  planned: readonly Planned[],
): Promise<void> {
  const { db, organisation, actor, nowMs } = call;
  const organisationId = organisation.id;
  const added = planned.filter(({ row }) => row.action === 'ADD');
  for (const [at, { row, price }] of added.entries()) {
    const owner = { organisationId, modelId: row.modelId, createdBy: actor.id };
    const id = await insertPrice(db, owner, price, nowMs);
    call.changed({
      action: 'price.create',
      organisationId,
      target: { type: 'price', id },
      after: { modelId: row.modelId, effectiveFrom: row.effectiveFrom, ...row.after },
      // One piece of news covers all changes.
      news: at === 0 ? [{ kind: 'MODEL', organisationId }] : [],
    });
  }
}
