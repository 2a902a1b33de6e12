import { rest } from '@tollgate/contracts';
import type { z } from 'zod';

import type { Api } from './api/management-api';
import { CHANGES, connected, FAILED, NOTHING_TO_DO, type Command, type Options } from './commands';
import { UsageError } from './config';
import { readInput } from './documents/input';
import { plainText } from './plain-text';

/**
 * Takes prices over from a price list or from the list of known models, all or none. A dry run says
 * what would change.
 */

type Row = rest.PriceImported['rows'][number];
type Body = z.input<typeof rest.priceImport>;

export async function importPrices(command: Command): Promise<number> {
  const { options, streams } = command;
  const body = await bodyOf(command);
  return connected(command, async (api) => {
    const organisationId = await organisationIdOf(api, options);
    const params = { organisationId };
    const result = await api.call(rest.importPrices, { params, body });
    streams.stdout.write(plainText(textOf(result)));
    if (result.faults.length > 0) return FAILED;
    return result.dryRun && result.added > 0 ? CHANGES : NOTHING_TO_DO;
  });
}

async function bodyOf({ options, streams, folder }: Command): Promise<Body> {
  const { files, known, models, dryRun } = options;
  if (known) {
    if (files.length > 0) throw new UsageError('Name a price list (-f) or --known, not both.');
    return {
      format: 'known_models',
      dryRun,
      ...(models.length === 0 ? {} : { models: [...models] }),
    };
  }
  if (models.length > 0)
    throw new UsageError('--model belongs to --known: a price list names its models.');
  const [path, ...more] = files;
  if (path === undefined || more.length > 0) {
    throw new UsageError('Name one price list (-f FILE, or -f - for standard input), or --known.');
  }
  const read = await readInput([path], streams.stdin, folder);
  const [file, ...others] = read;
  if (file === undefined || others.length > 0) throw new UsageError(`${path} is not one file.`);
  const format = file.name.endsWith('.json') || /^\s*\[/.test(file.text) ? 'json' : 'csv';
  return { format, content: file.text, dryRun };
}

async function organisationIdOf(api: Api, { organisations }: Options): Promise<string> {
  const [slug, ...more] = organisations;
  if (more.length > 0) throw new UsageError('Prices are imported into one organisation at a time.');
  const { organisation: own } = await api.call(rest.getMe, {});
  if (own !== null && (slug === undefined || slug === own.slug)) return own.id;
  if (slug === undefined) throw new UsageError('Name the organisation: --organisation SLUG.');
  const found = own === null ? await api.all(rest.listOrganisations, {}, { search: slug }) : [];
  const named = found.find((one) => one.slug === slug);
  if (named === undefined) throw new UsageError(`There is no organisation ${slug}.`);
  return named.id;
}

function textOf({ rows, faults, added, unchanged, applied }: rest.PriceImported): string {
  const lines = [
    ...faults.map((fault) => `! ${placeOf(fault)}${fault.message}`),
    ...rows.filter(({ action }) => action === 'ADD').flatMap(rowLines),
    `${String(added)} ${applied ? 'added' : 'to add'}, ${String(unchanged)} unchanged${
      faults.length === 0 ? '' : `, ${String(faults.length)} faults: nothing can be imported`
    }`,
  ];
  return `${lines.join('\n')}\n`;
}

function placeOf({ line, column }: rest.PriceImportFault): string {
  const places = [
    ...(line === null ? [] : [`line ${String(line)}`]),
    ...(column === null ? [] : [column]),
  ];
  return places.length === 0 ? '' : `${places.join(', ')}: `;
}

function rowLines({ model, before, after, effectiveFrom }: Row): string[] {
  const [then, now] = [amountsOf(before), amountsOf(after)];
  const changes = [...new Set([...then.keys(), ...now.keys()])]
    .filter((path) => then.get(path) !== now.get(path))
    .map((path) => `    ${path}: ${then.get(path) ?? '(none)'} → ${now.get(path) ?? '(none)'}`);
  return [`${before === null ? '+' : '~'} ${model} from ${effectiveFrom}`, ...changes];
}

/** Each amount with its place; classes of tokens are US dollars per million. */
function amountsOf(price: rest.PriceList | null): Map<string, string> {
  if (price === null) return new Map();
  return new Map([
    ...price.steps.flatMap(({ fromInputTokens, ...classes }) =>
      Object.entries(classes).map(
        ([name, usd]) =>
          [fromInputTokens === 0 ? name : `${name} from ${String(fromInputTokens)}`, usd] as const,
      ),
    ),
    ['per request', price.perRequestUsd] as const,
    ...Object.entries(price.perUnitUsd).map(([unit, usd]) => [`per ${unit}`, usd] as const),
    ...Object.entries(price.tierPercent).map(([tier, share]) => [tier, `${share} %`] as const),
  ]);
}
