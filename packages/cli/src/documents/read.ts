import { LineCounter, parseAllDocuments, type Document as YamlDocument } from 'yaml';
import type { z } from 'zod';

import {
  keyOf,
  kindOf,
  KINDS,
  titleOf,
  type Identity,
  type Kind,
  type Resolve,
  type Values,
} from '../kinds/index';
import { bodyIssues } from './check-body';
import { FaultyDocuments, pathText, type Fault } from './faults';
import type { InputFile } from './input';
import {
  envelope,
  looseMetadata,
  metadataOf,
  OWNERSHIP,
  ownershipMetadata,
  ownershipSpec,
} from './schema';
import { createResolve } from './secrets';

/** Turns texts into checked documents. YAML and JSON are read alike: JSON is YAML. */

export type At = (path: readonly PropertyKey[]) => string;

export interface Document {
  readonly kind: Kind;
  readonly identity: Identity;
  /** The fields that the document gives; the others are none of its business. */
  readonly spec: Values;
  /** `acme.yaml:12` of a path of the document. */
  readonly at: At;
  readonly resolve: Resolve;
}

export interface Documents {
  readonly documents: readonly Document[];
  /** By slug: the kinds whose objects are all described. */
  readonly owned: ReadonlyMap<string, ReadonlySet<string>>;
}

const MOST_DOCUMENTS = 20_000;
const MOST_ALIASES = 1_000;

interface Raw {
  readonly value: unknown;
  readonly at: At;
  readonly file: InputFile;
}

export function readDocuments(
  files: readonly InputFile[],
  env: Readonly<Record<string, string | undefined>>,
): Documents {
  const faults: Fault[] = [];
  const raws = files.flatMap((file) => rawsOf(file, faults));
  if (raws.length > MOST_DOCUMENTS) {
    faults.push({
      place: files[0]?.name ?? '',
      title: '',
      path: '',
      message: `more than ${String(MOST_DOCUMENTS)} documents`,
    });
    throw new FaultyDocuments(faults);
  }
  const documents: Document[] = [];
  const owned = new Map<string, Set<string>>();
  const seen = new Map<string, string>();
  for (const raw of raws) {
    const document = read(raw, env, owned, faults);
    if (document === undefined) continue;
    const key = keyOf(document.identity);
    const earlier = seen.get(key);
    if (earlier !== undefined) {
      const message = `is described twice, first at ${earlier}${document.kind.repeats ? '; metadata.ordinal tells objects of one name apart' : ''}`;
      faults.push({ place: raw.at([]), title: titleOf(document.identity), path: '', message });
    }
    seen.set(key, raw.at([]));
    documents.push(document);
  }
  if (faults.length > 0) throw new FaultyDocuments(faults);
  return { documents, owned };
}

function rawsOf(file: InputFile, faults: Fault[]): Raw[] {
  const lines = new LineCounter();
  const parsed = parseAllDocuments(file.text, { lineCounter: lines, prettyErrors: false });
  // Without any document the library returns an object with the property `empty`.
  const list = Array.isArray(parsed) ? parsed : [];
  return list.flatMap((yaml) => {
    for (const error of yaml.errors) {
      const place = `${file.name}:${String(lines.linePos(error.pos[0]).line)}`;
      faults.push({ place, title: '', path: '', message: error.message });
    }
    if (yaml.errors.length > 0) return [];
    return valuesOf(yaml, file, lines, faults);
  });
}

function valuesOf(
  yaml: YamlDocument.Parsed,
  file: InputFile,
  lines: LineCounter,
  faults: Fault[],
): Raw[] {
  const at = (path: readonly PropertyKey[]): string =>
    `${file.name}:${String(lineOf(yaml, lines, path))}`;
  let value: unknown;
  try {
    value = yaml.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (error) {
    const message = error instanceof Error ? error.message : 'cannot be read';
    faults.push({ place: at([]), title: '', path: '', message });
    return [];
  }
  if (value === null || value === undefined) return [];
  if (!Array.isArray(value)) return [{ value, at, file }];
  return value.map((one: unknown, index) => ({
    value: one,
    at: (path: readonly PropertyKey[]) => at([index, ...path]),
    file,
  }));
}

/** The line of the deepest part of the path that exists. */
function lineOf(
  yaml: YamlDocument.Parsed,
  lines: LineCounter,
  path: readonly PropertyKey[],
): number {
  for (let length = path.length; length > 0; length -= 1) {
    const node: unknown = yaml.getIn(path.slice(0, length), true);
    if (typeof node !== 'object' || node === null || !('range' in node)) continue;
    if (Array.isArray(node.range)) return lines.linePos(Number(node.range[0])).line;
  }
  return lines.linePos(yaml.contents?.range?.[0] ?? yaml.range[0]).line;
}

function read(
  raw: Raw,
  env: Readonly<Record<string, string | undefined>>,
  owned: Map<string, Set<string>>,
  faults: Fault[],
): Document | undefined {
  const { at } = raw;
  const parsed = envelope.safeParse(raw.value);
  if (!parsed.success) return fail(faults, at, '', [], parsed.error);
  const { kind: kindName, metadata, spec } = parsed.data;
  if (kindName === OWNERSHIP) {
    readOwnership(parsed.data, at, owned, faults);
    return undefined;
  }
  if (!KINDS.some(({ kind }) => kind === kindName)) {
    const known = [...KINDS.map(({ kind }) => kind), OWNERSHIP].join(', ');
    const message = `is not a kind; the kinds are ${known}`;
    faults.push({ place: at(['kind']), title: '', path: 'kind', message });
    return undefined;
  }
  const kind = kindOf(kindName);
  const title = `${kindName} ${looseMetadata.safeParse(metadata).data?.name ?? ''}`.trimEnd();
  const given = metadataOf(kind).safeParse(metadata);
  if (!given.success) return fail(faults, at, title, ['metadata'], given.error);
  const checked = kind.spec.safeParse(spec);
  if (!checked.success) return fail(faults, at, title, ['spec'], checked.error);
  const { organisation = null, name, ordinal = 1 } = looseMetadata.parse(given.data);
  const identity: Identity = {
    kind: kindName,
    organisation,
    name: name ?? kind.nameOf?.(checked.data) ?? '',
    ordinal,
  };
  for (const { path, message } of bodyIssues(kind, identity, checked.data)) {
    const place = at(['spec', ...path]);
    faults.push({ place, title: titleOf(identity), path: pathText(['spec', ...path]), message });
  }
  return { kind, identity, spec, at, resolve: createResolve(raw.file.folder, env) };
}

function readOwnership(
  { metadata, spec }: z.output<typeof envelope>,
  at: At,
  owned: Map<string, Set<string>>,
  faults: Fault[],
): void {
  const where = ownershipMetadata.safeParse(metadata);
  if (!where.success) {
    fail(faults, at, OWNERSHIP, ['metadata'], where.error);
    return;
  }
  const what = ownershipSpec.safeParse(spec);
  if (!what.success) {
    fail(faults, at, OWNERSHIP, ['spec'], what.error);
    return;
  }
  const { organisation } = where.data;
  owned.set(organisation, new Set([...(owned.get(organisation) ?? []), ...what.data.kinds]));
}

function fail(
  faults: Fault[],
  at: At,
  title: string,
  prefix: readonly string[],
  error: z.ZodError,
): undefined {
  for (const issue of error.issues) {
    const path = [...prefix, ...issue.path];
    faults.push({ place: at(path), title, path: pathText(path), message: issue.message });
  }
  return undefined;
}
