/** What is wrong with documents, with its place. All faults are told at once, up to a limit. */

export interface Fault {
  /** `acme.yaml:12`, or the name of the input without a line. */
  readonly place: string;
  /** `Model acme/gpt-4o`; empty while the document has no identity. */
  readonly title: string;
  /** `spec.prices[0].input`; empty for the whole document. */
  readonly path: string;
  readonly message: string;
}

const MOST_FAULTS = 100;

export class FaultyDocuments extends Error {
  override readonly name = 'FaultyDocuments';

  constructor(readonly faults: readonly Fault[]) {
    super(textOf(faults));
  }
}

function textOf(faults: readonly Fault[]): string {
  const lines = faults
    .slice(0, MOST_FAULTS)
    .map(({ place, title, path, message }) =>
      [place, title, path, message].filter((part) => part !== '').join(': '),
    );
  const more = faults.length - lines.length;
  return [...lines, ...(more > 0 ? [`and ${String(more)} more`] : [])].join('\n');
}

/** `['spec', 'prices', 0, 'input']` → `spec.prices[0].input`. */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part) => (typeof part === 'number' ? `[${String(part)}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');
}
