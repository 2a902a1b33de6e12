import type { rest } from '@tollgate/contracts';

import { Badge, type Tone } from '../../design/badge';
import { sentence } from '../../format/words';

const TONES: Readonly<Record<rest.QuarantinedEntry['status'], Tone>> = {
  OPEN: 'bad',
  BOOKED: 'good',
  DISCARDED: 'neutral',
};

export function QuarantineStatus({ status }: { status: rest.QuarantinedEntry['status'] }) {
  return <Badge tone={TONES[status]}>{sentence(status)}</Badge>;
}
