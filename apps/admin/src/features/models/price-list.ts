import type { rest } from '@tollgate/contracts';

/** By the file's name; what is no JSON is taken for CSV, which says what is wrong line by line. */
export function formatOf(fileName: string): (typeof rest.PRICE_IMPORT_FORMATS)[number] {
  return fileName.toLowerCase().endsWith('.json') ? 'json' : 'csv';
}

/** Whether a list that was checked has something to change and no fault. */
export function mayApply({ faults, added }: Pick<rest.PriceImported, 'faults' | 'added'>): boolean {
  return faults.length === 0 && added > 0;
}

/** "line 3, input"; what is not known is left out. */
export function placeOf({ line, column }: Pick<rest.PriceImportFault, 'line' | 'column'>): string {
  return [
    ...(line === null ? [] : [`line ${String(line)}`]),
    ...(column === null ? [] : [column]),
  ].join(', ');
}
