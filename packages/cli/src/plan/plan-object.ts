import { previewOf } from '@tollgate/contracts/node';

import { pathText, type Fault } from '../documents/faults';
import type { Document } from '../documents/read';
import { placeOf, UnreadableSecret } from '../documents/secrets';
import type { Existing, Installation } from '../installation/read';
import { isChangeable } from '../kinds/body';
import { secretReference } from '../kinds/fields';
import { titleOf, type PartChange, type Place, type SecretReference } from '../kinds/index';
import { changesBetween, normalSpec, type FieldChange } from './normal';
import type { PlanOptions, Step } from './plan';

/** The step for one document: what its object lacks, and which fields differ. */

const NOTHING = { fields: [], sendsSecret: false };

export function planCreate(
  document: Document,
  installation: Installation,
  options: PlanOptions,
  faults: Fault[],
): Step | undefined {
  const { identity, kind, spec } = document;
  if (kind.kind === 'Organisation' && !installation.platform) {
    faults.push(
      faultAt(document, ['metadata', 'name'], 'only a platform administrator can create it'),
    );
    return undefined;
  }
  const parts = partsOf(document, undefined, installation, options);
  for (const field of [kind.secretField, ...(kind.createOnly ?? [])]) {
    if (field === undefined) continue;
    const given = secretReference.safeParse(spec[field]).data;
    if (given !== undefined) assertReadable(document, given, ['spec', field], faults);
  }
  assertParts(document, parts, faults);
  const sendsSecret = kind.secretField !== undefined;
  return { action: 'create', identity, document, fields: [], sendsSecret, parts };
}

export function planUpdate(
  document: Document,
  existing: Existing,
  installation: Installation,
  options: PlanOptions,
  faults: Fault[],
  notes: string[],
): Step | undefined {
  const { identity, kind } = document;
  const refusal = kind.refusal?.(existing.row);
  if (refusal !== undefined) {
    faults.push(faultAt(document, ['metadata', 'name'], refusal));
    return undefined;
  }
  const fields = fieldsOf(document, existing);
  assertChangeable(document, fields, installation, faults);
  const sendsSecret = isSecretSent(document, existing, fields, faults, notes);
  const all = partsOf(document, existing, installation, options);
  for (const reference of unknownSecrets(document, existing, installation, options)) {
    notes.push(keptNote(document, reference));
  }
  const parts = all.filter(({ removes }) => options.prune || removes !== true);
  for (const { path, removes } of all) {
    if (removes === true && !options.prune) {
      notes.push(`${titleOf(identity)}: ${path} is not described; --prune removes it`);
    }
  }
  assertParts(document, parts, faults);
  if (fields.length + parts.length === 0 && !sendsSecret) return undefined;
  return { action: 'update', identity, document, existing, ...NOTHING, fields, sendsSecret, parts };
}

/** Fields that the document gives and that differ. Parts and secrets are compared by themselves. */
function fieldsOf({ kind, spec }: Document, { spec: current }: Existing): FieldChange[] {
  const [wanted, present] = [normalSpec(kind, spec), normalSpec(kind, current)];
  const elsewhere = new Set([
    ...(kind.parts ?? []).map(({ field }) => field),
    ...(kind.createOnly ?? []),
    ...(kind.secretField === undefined ? [] : [kind.secretField]),
  ]);
  return Object.keys(spec)
    .filter((field) => !elsewhere.has(field))
    .flatMap((field) => changesBetween(present[field], wanted[field], field));
}

/** The field of the spec that a change is in. */
export const topOf = ({ path }: Pick<FieldChange, 'path'>): string => path.split(/[.[]/)[0] ?? '';

function assertChangeable(
  document: Document,
  fields: readonly FieldChange[],
  installation: Installation,
  faults: Fault[],
): void {
  const { update } = document.kind.operations(placeIn(document, installation));
  for (const change of fields) {
    const field = topOf(change);
    const changeable = update !== undefined && isChangeable(document.kind, update, field);
    if (changeable && !isWithin(change, document.kind.fixed)) continue;
    const was = JSON.stringify(change.before);
    const message = `is ${was ?? 'absent'} and cannot be changed; use another name for a new object`;
    faults.push(faultAt(document, ['spec', field], message));
  }
}

/** Whether a change is at one of the paths, or below. */
function isWithin({ path }: FieldChange, paths: readonly string[] = []): boolean {
  return paths.some((one) => path === one || path.startsWith(`${one}.`));
}

/**
 * Only a preview of a stored secret is known, so a secret counts as another one if its preview
 * differs.
 */
function isSecretSent(
  document: Document,
  { row }: Existing,
  fields: readonly FieldChange[],
  faults: Fault[],
  notes: string[],
): boolean {
  const { kind, spec } = document;
  const { secretField } = kind;
  if (secretField === undefined || spec[secretField] === undefined) return false;
  const preview = kind.secretPreviewOf?.(row) ?? null;
  if (spec[secretField] === null) return preview !== null;
  const reference = secretReference.parse(spec[secretField]);
  const secret = readSecret(document, reference, ['spec', secretField], faults);
  if (secret === undefined) {
    if (preview === null) assertReadable(document, reference, ['spec', secretField], faults);
    else notes.push(keptNote(document, reference));
    return false;
  }
  return previewOf(secret) !== preview || fields.some((one) => isWithin(one, kind.secretBoundTo));
}

const keptNote = ({ identity }: Document, reference: SecretReference): string =>
  `${titleOf(identity)}: ${placeOf(reference)} is not set; its secret is kept`;

function unknownSecrets(
  document: Document,
  existing: Existing,
  installation: Installation,
  options: PlanOptions,
): SecretReference[] {
  const { kind, spec } = document;
  const context = contextOf(document, installation, options);
  return (kind.parts ?? [])
    .filter(({ field }) => field in spec)
    .flatMap((part) => part.unknown?.(spec, existing.row, context) ?? []);
}

const contextOf = (document: Document, installation: Installation, { nowMs }: PlanOptions) => ({
  place: placeIn(document, installation),
  resolve: document.resolve,
  nowMs,
});

function partsOf(
  document: Document,
  existing: Existing | undefined,
  installation: Installation,
  options: PlanOptions,
): PartChange[] {
  const { kind, spec } = document;
  const context = contextOf(document, installation, options);
  return (kind.parts ?? [])
    .filter(({ field }) => field in spec)
    .flatMap((part) => part.changes(spec, existing?.row, context));
}

function assertParts(document: Document, parts: readonly PartChange[], faults: Fault[]): void {
  for (const { needs, path } of parts) {
    if (needs !== undefined) assertReadable(document, needs, ['spec', ...path.split('.')], faults);
  }
}

export function placeIn({ identity }: Document, installation: Installation): Place {
  const { platform, organisations } = installation;
  const slug = identity.organisation;
  if (slug === null) return { organisation: null, platform };
  return { organisation: organisations.get(slug) ?? { id: '', slug }, platform };
}

function assertReadable(
  document: Document,
  reference: SecretReference,
  path: readonly PropertyKey[],
  faults: Fault[],
): void {
  if (readSecret(document, reference, path, faults) !== undefined) return;
  faults.push(
    faultAt(document, path, `${placeOf(reference)} is needed, and is not there or empty`),
  );
}

function readSecret(
  document: Document,
  reference: SecretReference,
  path: readonly PropertyKey[],
  faults: Fault[],
): string | undefined {
  try {
    return document.resolve(reference);
  } catch (error) {
    if (!(error instanceof UnreadableSecret)) throw error;
    faults.push(faultAt(document, path, error.message));
    return undefined;
  }
}

function faultAt({ identity, at }: Document, path: readonly PropertyKey[], message: string): Fault {
  return { place: at(path), title: titleOf(identity), path: pathText(path), message };
}
