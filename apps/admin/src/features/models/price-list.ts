import type { rest } from '@tollgate/contracts';

export interface PriceListFile {
  readonly name: string;
  readonly content: string;
}

export interface ImportDraft {
  readonly source: 'file' | 'known';
  readonly file: PriceListFile | undefined;
  readonly dryRun: boolean;
}

export function isReady({ source, file }: ImportDraft): boolean {
  return source === 'known' || file !== undefined;
}

export function importBody({ source, file, dryRun }: ImportDraft) {
  return source === 'known'
    ? { format: 'known_models' as const, dryRun }
    : { format: formatOf(file?.name ?? ''), content: file?.content ?? '', dryRun };
}

/** Decides by the file's name. Everything but JSON is sent as CSV, whose errors name lines. */
export function formatOf(fileName: string): (typeof rest.PRICE_IMPORT_FORMATS)[number] {
  return fileName.toLowerCase().endsWith('.json') ? 'json' : 'csv';
}

/** Whether the checked list has changes and no errors. */
export function mayApply({ faults, added }: Pick<rest.PriceImported, 'faults' | 'added'>): boolean {
  return faults.length === 0 && added > 0;
}

/** "line 3, input"; unknown parts are left out. */
export function placeOf({ line, column }: Pick<rest.PriceImportFault, 'line' | 'column'>): string {
  return [
    ...(line === null ? [] : [`line ${String(line)}`]),
    ...(column === null ? [] : [column]),
  ].join(', ');
}
