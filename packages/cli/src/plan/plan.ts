import { FaultyDocuments, pathText, type Fault } from '../documents/faults';
import type { Document, Documents } from '../documents/read';
import type { Existing, Installation } from '../installation/read';
import { keyOf, KINDS, titleOf, type Identity, type PartChange } from '../kinds/index';
import type { FieldChange } from './normal';
import { planCreate, planUpdate } from './plan-object';

/** What has to be done so that the installation is as the documents say. Nothing is changed here. */

export type Action = 'create' | 'update' | 'delete';

export interface Step {
  readonly action: Action;
  readonly identity: Identity;
  /** Undefined for `delete`. */
  readonly document?: Document;
  /** Undefined for `create`. */
  readonly existing?: Existing;
  readonly fields: readonly FieldChange[];
  /** The secret of the object itself is sent. */
  readonly sendsSecret: boolean;
  readonly parts: readonly PartChange[];
}

export interface Plan {
  readonly steps: readonly Step[];
  readonly unchanged: number;
  /** What the user should know, though nothing is done about it. */
  readonly notes: readonly string[];
}

export interface PlanOptions {
  readonly prune: boolean;
  readonly nowMs: number;
}

export function createPlan(
  { documents, owned }: Documents,
  installation: Installation,
  options: PlanOptions,
): Plan {
  const faults: Fault[] = [];
  const notes: string[] = [];
  const steps: Step[] = [];
  let unchanged = 0;
  const described = new Map(documents.map((one) => [keyOf(one.identity), one]));
  const known = (identity: Identity): boolean => {
    const key = keyOf(identity);
    return described.has(key) || installation.objects.has(key);
  };
  for (const document of inOrder(documents)) {
    const faulty = faultsOf(document, known, installation);
    faults.push(...faulty);
    if (faulty.length > 0) continue;
    const existing = installation.objects.get(keyOf(document.identity));
    const step =
      existing === undefined
        ? planCreate(document, installation, options, faults)
        : planUpdate(document, existing, installation, options, faults, notes);
    if (step === undefined) unchanged += 1;
    else steps.push(step);
  }
  for (const slug of owned.keys()) {
    if (installation.organisations.has(slug) || known(organisationOf(slug))) continue;
    faults.push({
      place: '',
      title: `Ownership ${slug}`,
      path: 'metadata.organisation',
      message: `there is no organisation ${slug}`,
    });
  }
  if (faults.length > 0) throw new FaultyDocuments(faults);
  const surplus = [...installation.objects.values()]
    .filter(({ identity }) => isOwned(identity, owned) && !described.has(keyOf(identity)))
    .toReversed();
  if (options.prune) steps.push(...surplus.map(deletion));
  else notes.push(...surplus.map(({ identity }) => `${titleOf(identity)}: ${NOT_DESCRIBED}`));
  return { steps, unchanged, notes };
}

const NOT_DESCRIBED = 'is owned but not described; --prune deletes it';

const organisationOf = (slug: string): Identity => ({
  kind: 'Organisation',
  organisation: null,
  name: slug,
  ordinal: 1,
});

/** Kinds that are named come first; objects of one name in the order of their ordinals. */
function inOrder(documents: readonly Document[]): Document[] {
  const rank = new Map(KINDS.map(({ kind }, index) => [kind, index]));
  return documents.toSorted(
    (a, b) =>
      (rank.get(a.kind.kind) ?? 0) - (rank.get(b.kind.kind) ?? 0) ||
      a.identity.ordinal - b.identity.ordinal,
  );
}

function isOwned(
  { kind, organisation }: Identity,
  owned: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  return organisation !== null && owned.get(organisation)?.has(kind) === true;
}

function deletion(existing: Existing): Step {
  const { identity } = existing;
  return { action: 'delete', identity, existing, fields: [], sendsSecret: false, parts: [] };
}

/** Names that nothing has, and objects that the caller cannot manage. */
function faultsOf(
  document: Document,
  known: (identity: Identity) => boolean,
  { platform, organisations }: Installation,
): Fault[] {
  const { identity, kind, spec, at } = document;
  const fault = (path: readonly PropertyKey[], message: string): Fault => ({
    place: at(path),
    title: titleOf(identity),
    path: pathText(path),
    message,
  });
  const { organisation, ordinal } = identity;
  if (organisation === null && !platform && !organisations.has(identity.name)) {
    return [fault(['metadata'], 'only a platform administrator can manage it')];
  }
  if (organisation !== null && !known(organisationOf(organisation))) {
    return [fault(['metadata', 'organisation'], `there is no organisation ${organisation}`)];
  }
  const faults: Fault[] = [];
  if (ordinal > 1 && !known({ ...identity, ordinal: ordinal - 1 })) {
    const message = `there is no ${titleOf({ ...identity, ordinal: ordinal - 1 })} before it`;
    faults.push(fault(['metadata', 'ordinal'], message));
  }
  for (const { path, ...named } of kind.references(spec)) {
    if (known({ organisation, ...named })) continue;
    const message = `there is no ${titleOf({ organisation, ...named })}`;
    faults.push(fault(['spec', ...path], message));
  }
  return faults;
}
