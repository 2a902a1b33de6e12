import { upstreamApiOf, type rest } from '@tollgate/contracts';

interface ListNoteProps {
  readonly provider: Pick<rest.Provider, 'type' | 'upstreamFormat'>;
}

/** What the list of models of a cloud does not say. */
export function ListNote({ provider: { type, upstreamFormat } }: ListNoteProps) {
  const { listNote } = upstreamApiOf(type, upstreamFormat);
  return listNote === undefined ? null : <p className="text-sm text-ink-soft">{listNote}</p>;
}
